@testable import HeraldCore

extension LifeFiles.Campaign.Due {
    /// Whether a time of each day is none any more.
    func hasLost(_ time: Date) -> Bool {
        guard case .daily = self else { return false }
        return firings(after: time.addingTimeInterval(-1), through: time).isEmpty
    }

    /// When it fires in (after, through].
    func firings(after: Date, through: Date) -> [Date] {
        switch self {
        case .once: return []
        case .at(let date): return date > after && date <= through ? [date] : []
        case .daily(let minute, let hours):
            let day = (after.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
            var firings: [Date] = []
            for begin in stride(from: day, through: through.timeIntervalSince1970, by: 86_400) {
                for hour in hours.sorted() {
                    let date = Date(timeIntervalSince1970: begin + Double(hour * 3600 + minute * 60))
                    if date > after, date <= through { firings.append(date) }
                }
            }
            return firings
        }
    }

    /// The same in every life of a seed: a set's own order is not.
    var description: String {
        switch self {
        case .once: "once"
        case .at(let date): "at \(date.rfc3339)"
        case .daily(let minute, let hours): "daily at minute \(minute) of \(hours.sorted())"
        }
    }

    /// As in a schedule. `nil` without one.
    ///
    /// - Parameter ifPassed: `nil` if it is the same time for all.
    func text(_ ifPassed: LocalSchedule.IfPassed?) -> String? {
        switch self {
        case .once: nil
        case .at(let date):
            ifPassed.map { "at: \"\(date.rfc3339.prefix(16))\", if_passed: \($0.rawValue)" }
                ?? "at: \"\(date.rfc3339)\""
        case .daily(let minute, let hours):
            "cron: \"\(minute) \(hours.sorted().map { "\($0)" }.joined(separator: ",")) * * *\""
        }
    }
}
