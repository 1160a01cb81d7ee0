/// When a campaign is due on each recipient's own clock: at 09:00 wherever they are.
package struct LocalSchedule: Hashable, Sendable {
    package enum Times: Hashable, Sendable {
        case at(LocalTime, IfPassed)
        /// Again and again, from `start` through `end`.
        case cron(Cron, start: LocalTime?, end: LocalTime?)
    }

    /// What becomes of people whose clock had passed the time when herald first saw the campaign, and for longer than
    /// `max_lateness`.
    package enum IfPassed: String, Hashable, Sendable, CaseIterable {
        /// They are left out.
        case skip
        /// They get it at the same time of the next day.
        case nextDay = "next_day"
    }

    package var times: Times
    /// The field of the target's audience that has each recipient's zone.
    package var field: String

    package init(_ times: Times, field: String) { (self.times, self.field) = (times, field) }

    package var isCron: Bool { if case .cron = times { true } else { false } }

    /// The first `limit` times in (after, through], ascending.
    package func times(after: LocalTime, through: LocalTime, limit: Int) -> [LocalTime] {
        switch times {
        case .at(let time, _): return time > after && time <= through && limit > 0 ? [time] : []
        case .cron(let cron, let start, let end):
            // No clock changes here: what a zone does to a local time is asked for later, zone by zone.
            var search = CronSearch(cron, zone: .utc, dst: DST())
            let first = max(after.secondsAsUTC + 1, start?.secondsAsUTC ?? .min)
            let last = min(through.secondsAsUTC, end?.secondsAsUTC ?? .max)
            return search.all(in: first..<max(first, last + 1), limit: limit).map { LocalTime(secondsAsUTC: $0) }
        }
    }

    /// The first times that it ever has, from at most 400 days: a year and a month show how they repeat.
    package func firstTimes(limit: Int) -> [LocalTime] {
        let (begin, cycle) = (LocalTime(secondsAsUTC: -1), Gregorian.daysOfCycle * 86_400)
        var start = begin
        if case .cron(_, let first?, _) = times { start = max(begin, LocalTime(secondsAsUTC: first.secondsAsUTC - 1)) }
        let end = LocalTime(secondsAsUTC: start.secondsAsUTC + cycle)
        guard let first = times(after: start, through: end, limit: 1).first else { return [] }
        let last = LocalTime(secondsAsUTC: first.secondsAsUTC + 400 * 86_400)
        return times(after: LocalTime(secondsAsUTC: first.secondsAsUTC - 1), through: last, limit: limit)
    }

    /// What `text` begins with, whichever field and rules it has.
    static func text(of cron: Cron) -> String { "local cron \(cron) " }

    /// The times of a cron, of the text that a watermark has of a schedule: of one by whatever zone, whenever it began. `nil`
    /// for others.
    static func cron(ofText text: String) -> LocalSchedule? {
        let words = text.split(separator: " ").drop { $0 == "local" }
        guard words.first == "cron", let cron = try? Cron(parsing: words.dropFirst().prefix(5).joined(separator: " "))
        else { return nil }
        return LocalSchedule(.cron(cron, start: nil, end: nil), field: "")
    }

    /// Whether a `text` is of one that is due once.
    static func isOnce(_ text: String) -> Bool { text.hasPrefix("local at ") }

    /// Everything that decides when it fires, as a canonical text.
    func text(_ dst: DST) -> String {
        switch times {
        case .at(let time, let ifPassed): return "local at \(time) \(field) if_passed=\(ifPassed.rawValue)"
        case .cron(let cron, let start, let end):
            var text = "\(Self.text(of: cron))\(field) gap=\(dst.gap.rawValue) overlap=\(dst.overlap.rawValue)"
            if let start { text += " start=\(start)" }
            if let end { text += " end=\(end)" }
            return text
        }
    }
}

extension LocalTime {
    /// In seconds. The clocks of the world differ from UTC by this at most: +14:00 is the first to have a time.
    private static var farthestOffset: Int { 14 * 3600 }

    /// The first instant at which some clock of the world may show it.
    package var firstInstant: Date { Date(wholeSeconds: secondsAsUTC - Self.farthestOffset) }

    /// The last one.
    package var lastInstant: Date { Date(wholeSeconds: secondsAsUTC + Self.farthestOffset) }

    /// The latest time that some clock of the world may show at an instant.
    package init(latestAt instant: Date) { self.init(secondsAsUTC: instant.wholeSeconds + Self.farthestOffset) }

    /// The earliest one.
    package init(earliestAt instant: Date) { self.init(secondsAsUTC: instant.wholeSeconds - Self.farthestOffset) }

    package var startOfDay: LocalTime { LocalTime(year: year, month: month, day: day) }

    var nextDay: LocalTime { LocalTime(secondsAsUTC: secondsAsUTC + 86_400) }

    /// As occurrences are called by it: `2026-12-01T09:00`, with seconds if there are any.
    package var shortText: String { "\(description.prefix(11))\(clock)" }
}

extension Schedule {
    /// When a zone's clock reaches a local time of the schedule.
    package struct Reaching: Hashable, Sendable {
        package var instant: Date
        package var fate = Fate.sent

        package enum Fate: Hashable, Sendable {
            case sent
            /// The clocks jump over it, and `gap` is skip. The instant is the end of the gap.
            case noSuchTime
            /// An earlier local time of the schedule is the same instant there.
            case sameInstant
        }
    }

    package func reaching(_ local: LocalTime, in zone: Zone) -> Reaching {
        let clock = local.secondsAsUTC
        // Most days have no clock change near them. This is asked for each zone of a list.
        let stretch = zone.stretch(at: clock - 3 * 86_400)
        if stretch.end > clock + 86_400 { return Reaching(instant: Date(wholeSeconds: clock - stretch.offset)) }
        let reaching = single(local, in: zone)
        guard reaching.fate == .sent, case .local(let schedule) = times else { return reaching }
        // Only a clock change brings two times together, and none takes longer than a day.
        let before = LocalTime(secondsAsUTC: local.secondsAsUTC - 86_400)
        let last = LocalTime(secondsAsUTC: local.secondsAsUTC - 1)
        let earlier = schedule.times(after: before, through: last, limit: Self.mostADay * 2)
        return earlier.contains { single($0, in: zone) == reaching }
            ? Reaching(instant: reaching.instant, fate: .sameInstant) : reaching
    }

    private func single(_ local: LocalTime, in zone: Zone) -> Reaching {
        switch zone.instants(of: local) {
        case .one(let instant): Reaching(instant: instant)
        case .gap(let next): Reaching(instant: next, fate: dst.gap == .skip ? .noSuchTime : .sent)
        case .overlap(let first, let second): Reaching(instant: dst.overlap == .second ? second : first)
        }
    }

    /// How often a campaign in local time may be due on one day.
    package static let mostADay = 4

    /// Whether people whose clock has passed a time get it a day later.
    var mayWaitADay: Bool { if case .at(_, .nextDay)? = local?.times { true } else { false } }

    /// When the last clock of the world has shown a local time, and a day later where people may wait a day.
    func lastInstant(of local: LocalTime) -> Date { (mayWaitADay ? local.nextDay : local).lastInstant }

    package var local: LocalSchedule? { if case .local(let schedule) = times { schedule } else { nil } }
}
