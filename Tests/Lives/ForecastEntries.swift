@testable import HeraldCore

extension ForecastComparison {
    /// A held occurrence without how many recipients are left, and without which wave comes next.
    struct Hold: Hashable {
        var occurrence: OccurrenceID
        var reason: String
        var resolve: String

        init(_ held: Plan.Held) {
            (occurrence, resolve) = (held.occurrence, held.resolve)
            reason = held.reason.split(separator: "; ").filter { !$0.contains(" wave ") }.joined(separator: "; ")
        }
    }

    /// A missed occurrence without how many people it was for.
    struct Miss: Hashable {
        var occurrence: OccurrenceID
        var due: Date
        var reason: String

        init(_ missed: Plan.Missed) {
            (occurrence, due, reason) = (missed.occurrence, missed.due, String(missed.reason.prefix { $0 != "," }))
        }
    }
}
