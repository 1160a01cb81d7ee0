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
    /// Those of the unknown and deferred whose last request had no effect. An earlier one may have.
    var unrepeated: RecipientSet = []
    /// Recipients to be forgotten. They are also among the rejected.
    var forgotten: RecipientSet = []
    /// Recipients among the forgotten that are tried with another registration, and that registration. They count as
    /// before.
    var changed: [RecipientID: Registration] = [:]
    /// The messages that the project may send in a minute, as FCM told in a refusal. `nil` if the state has it already.
    var quota: Int?

    var isEmpty: Bool { count == 0 && forgotten.isEmpty && quota == nil }

    /// Does not add the forgotten, who are among the rejected.
    var count: Int {
        accepted.count + preexisting.count + everyRejected.count + unknown.count + untried.count + deferred.count
    }

    /// Whom the last request for them did not reach.
    var unstarted: RecipientSet { everyRejected.union(untried).union(unrepeated) }

    var everyRejected: RecipientSet { rejected.values.reduce(into: RecipientSet()) { $0.formUnion($1) } }
}
