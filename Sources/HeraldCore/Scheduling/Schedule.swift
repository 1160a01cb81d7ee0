/// When a campaign is due.
package struct Schedule: Hashable, Sendable {
    package enum Times: Hashable, Sendable {
        /// At once, one time.
        case once
        case at(Date)
        /// Again and again, from `start` through `end`.
        case cron(Cron, start: Date?, end: Date?)
    }

    /// What is still sent of the occurrences that nobody was there for.
    package enum CatchUp: String, Hashable, Sendable, CaseIterable {
        case none, latest, all
    }

    package var times: Times
    package var zone: Zone
    package var dst: DST
    /// Later than this after its time, an occurrence is reported as missed and never sent.
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

    /// The time of a schedule that has one and no more.
    package var at: Date? { if case .at(let date) = times { date } else { nil } }

    /// Everything that decides when it fires, in one text for all ways to write it.
    package var text: String {
        switch times {
        case .once: return "once"
        case .at(let date): return "at \(Zone.utc.local(at: date))Z"
        case .cron(let cron, let start, let end):
            var text = "cron \(cron) \(zone.name) gap=\(dst.gap.rawValue) overlap=\(dst.overlap.rawValue)"
            if let start { text += " start=\(Zone.utc.local(at: start))Z" }
            if let end { text += " end=\(Zone.utc.local(at: end))Z" }
            return text
        }
    }
}
