/// Recipients whose answers have come and are not written down yet.
struct UnwrittenOutcomes {
    var accepted: RecipientSet = []
    var preexisting: RecipientSet = []
    /// By code.
    var rejected: [String: RecipientSet] = [:]
    var unknown: RecipientSet = []
    /// Whose request had no effect, so that they count as not tried.
    var untried: RecipientSet = []
    /// Whom FCM refused a message for the time being.
    var deferred: RecipientSet = []
    /// To be forgotten, beside being rejected.
    var forgotten: RecipientSet = []

    var isEmpty: Bool { count == 0 && forgotten.isEmpty }

    /// The dead are among the rejected.
    var count: Int {
        accepted.count + preexisting.count + everyRejected.count + unknown.count + untried.count + deferred.count
    }

    var everyRejected: RecipientSet { rejected.values.reduce(into: RecipientSet()) { $0.formUnion($1) } }

    mutating func withdrawRejection(of id: RecipientID) {
        rejected = rejected.mapValues { $0.subtracting([id]) }
        untried.insert(id)
    }
}
