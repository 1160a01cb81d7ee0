@testable import HeraldCore

extension ForecastComparison {
    /// A held occurrence without how many recipients are left, and without which wave comes next.
    struct Hold: Hashable {
        var occurrence: OccurrenceID
        var reason: String
        var resolve: String

        init(_ held: Plan.Held) {
            let held = held.asSnapshotsTell
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

extension Plan.Held {
    /// Without what keeps an occurrence from going on, and without codes: a snapshot says neither who got which text nor
    /// why somebody was rejected.
    var asSnapshotsTell: Plan.Held {
        var held = self
        let prospect = "what the file says now"
        if reason.contains(prospect) { (held.resolve, held.command) = ("", "") }
        held.reason = reason.split(separator: "; ").filter { !$0.contains(prospect) && !$0.contains("--retry") }
            .joined(separator: "; ")
        // Nor does it know whether one request was for everybody.
        if let doubt = held.reason.firstRange(of: " may or may not have got it") {
            held.reason.removeSubrange(..<doubt.lowerBound)
        }
        return held
    }
}
