internal import FCM

/// Outcomes that are known but not yet written to the state.
struct UnwrittenOutcomes {
    var accepted: RecipientSet = []
    var preexisting: RecipientSet = []
    /// By error code.
    var rejected: [String: RecipientSet] = [:]
    var unknown: RecipientSet = []
    /// Recipients whose request had no effect. They count as not tried.
    var untried: RecipientSet = []
    /// Recipients that FCM refused for now.
    var deferred: RecipientSet = []
    /// Recipients to be forgotten. They are also among the rejected.
    var forgotten: RecipientSet = []
    /// Recipients among the forgotten that are tried with another registration, and that registration. They count as not
    /// tried.
    var changed: [RecipientID: Registration] = [:]
    /// The messages that the project may send in a minute, as FCM told in a refusal. `nil` if the state has it already.
    var quota: Int?

    var isEmpty: Bool { count == 0 && forgotten.isEmpty && quota == nil }

    /// Does not add the forgotten, who are among the rejected.
    var count: Int {
        accepted.count + preexisting.count + everyRejected.count + unknown.count + untried.count + deferred.count
    }

    var everyRejected: RecipientSet { rejected.values.reduce(into: RecipientSet()) { $0.formUnion($1) } }

    mutating func withdrawRejection(of id: RecipientID) {
        rejected = rejected.mapValues { $0.subtracting([id]) }
        untried.insert(id)
    }
}
