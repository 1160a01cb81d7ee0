/// When a campaign is due.
package struct Schedule: Hashable, Sendable {
    package enum Times: Hashable, Sendable {
        /// At once and only one time.
        case once
        case at(Date)
        /// Repeatedly, from `start` through `end`.
        case cron(Cron, start: Date?, end: Date?)
        /// On each recipient's own clock. It is due at no instant of its own, so all that asks for instants finds none.
        case local(LocalSchedule)
    }

    /// Which occurrences are still sent if they came due while nothing ran.
    package enum CatchUp: String, Hashable, Sendable, CaseIterable {
        case none, latest, all
    }

    package var times: Times
    /// The local time that `at` names, if the clocks skip it. The time in `times` is then the first one after the gap.
    package var skipped: LocalTime?
    /// Whose clock it goes by; in local time, that of recipients whose row names no zone.
    package var zone: Zone
    package var dst: DST
    /// An occurrence that is later than this is reported as missed and never sent.
    package var maxLateness: Duration
    package var catchUp: CatchUp

    package init(
        _ times: Times = .once, zone: Zone = .utc, dst: DST = DST(), maxLateness: Duration = .seconds(2 * 3600),
        catchUp: CatchUp = .latest
    ) {
        self.times = times
        self.zone = zone
        self.dst = dst
        self.maxLateness = maxLateness
        self.catchUp = catchUp
    }

    /// Whether it may be due again and again.
    package var repeats: Bool { isCron || local?.isCron == true }

    /// Whether it is due again and again, at instants that are the same for all.
    package var isCron: Bool { if case .cron = times { true } else { false } }

    /// The time of a schedule with exactly one time.
    package var at: Date? { if case .at(let date) = times { date } else { nil } }

    /// Everything that decides when it fires, as a canonical text.
    package var text: String {
        switch times {
        case .once: return "once"
        case .at(let date): return "at \(Zone.utc.local(at: date))Z"
        case .cron(let cron, let start, let end):
            var text = "cron \(cron) \(zone.name) gap=\(dst.gap.rawValue) overlap=\(dst.overlap.rawValue)"
            if let start { text += " start=\(Zone.utc.local(at: start))Z" }
            if let end { text += " end=\(Zone.utc.local(at: end))Z" }
            return text
        case .local(let schedule): return schedule.text(dst)
        }
    }

    /// The zone of a cron, of the `text` that a watermark has of it. `nil` for others.
    static func zone(ofText text: String) -> Zone? {
        let words = text.split(separator: " ")
        return words.first == "cron" && words.count > 6 ? Zone(named: String(words[6])) : nil
    }
}
