import Foundation
import HeraldCore

/// How old the lists are, and how many of the registrations that the state knows are dead.
struct ListCheck {
    /// FCM's advice: registrations that were not seen for a month are stale.
    private static let oldDays = 30
    private static let deadPercent = 20

    /// A list that an audience names. `changed` is `nil` if the file cannot be looked at.
    struct List: Hashable {
        var name: String
        var changed: Date?
    }

    static func result(_ lists: [List], known: Int, dead: Int, at now: Date) -> CheckResult {
        guard !lists.isEmpty else { return .skipped(.lists, "no audience has a list") }
        if let missing = lists.first(where: { $0.changed == nil }) {
            return .error(.lists, "\(missing.name) cannot be read", fix: "Export \(missing.name) again.")
        }
        let oldest = lists.min { ($0.changed ?? now) < ($1.changed ?? now) }
        let days = oldest?.changed.map { Int(now.timeIntervalSince($0) / 86_400) } ?? 0
        let share = known > 0 ? dead * 100 / known : 0
        let dead = known > 0 ? "; \(share) % of \(count(known, "known registration")) are dead" : ""
        let age = days == 0 ? "today" : "\(count(days, "day")) ago"
        let found = "\(count(lists.count, "list")), the oldest from \(age)\(dead)"
        if days > oldDays, let oldest {
            return .warning(.lists, found, fix: "Export \(oldest.name) again: apps register anew all the time.")
        }
        guard share <= deadPercent else {
            return .warning(
                .lists, found, fix: "Leave the dead ones out of the lists: 'herald state export --dead' names them.")
        }
        return .ok(.lists, found)
    }
}
