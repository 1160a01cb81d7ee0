/// Looks for the instants at which a cron fires, one stretch of constant offset after the other.
///
/// Instants are seconds since 1970. In a stretch every local time is one instant; what clocks leave out or repeat lies
/// at its start and end.
package struct CronSearch {
    private let cron: Cron
    private let zone: Zone
    private let dst: DST
    /// Stretches and months looked at: what the search cost.
    package private(set) var steps = 0

    package init(_ cron: Cron, zone: Zone, dst: DST) {
        self.cron = cron
        self.zone = zone
        self.dst = dst
    }

    package mutating func first(in instants: Range<Int>) -> Int? { all(in: instants, limit: 1).first }

    /// Ascending.
    package mutating func all(in instants: Range<Int>, limit: Int) -> [Int] {
        var found: [Int] = []
        guard cron.canFire else { return found }
        var start = instants.lowerBound
        while start < instants.upperBound, found.count < limit {
            let stretch = stretch(at: start)
            if stretch.start == start, gap(before: stretch) {
                found.append(start)
                start += 1
            }
            let clock = clock(in: stretch)
            let end = min(instants.upperBound, stretch.end)
            while found.count < limit, start < end,
                let time = cron.first(in: clock.clamped(to: (start + stretch.offset)..<(end + stretch.offset)), &steps)
            {
                found.append(time - stretch.offset)
                start = time - stretch.offset + 1
            }
            start = stretch.end
        }
        return found
    }

    package mutating func last(in instants: Range<Int>) -> Int? {
        guard cron.canFire else { return nil }
        var end = instants.upperBound
        while end > instants.lowerBound {
            let stretch = stretch(at: end - 1)
            let start = max(instants.lowerBound, stretch.start)
            let bounds = (start + stretch.offset)..<(end + stretch.offset)
            if let time = cron.last(in: clock(in: stretch).clamped(to: bounds), &steps) { return time - stretch.offset }
            if stretch.start == start, gap(before: stretch) { return start }
            end = stretch.start
        }
        return nil
    }

    /// The matching local times that the clocks jump over at an instant, if there are any: the first and the last.
    package mutating func leftOut(at instant: Int) -> ClosedRange<Int>? {
        let stretch = stretch(at: instant)
        guard stretch.start == instant, stretch.offsetBefore < stretch.offset else { return nil }
        let clock = (instant + stretch.offsetBefore)..<(instant + stretch.offset)
        guard let first = cron.first(in: clock, &steps), let last = cron.last(in: clock, &steps) else { return nil }
        return first...last
    }

    private mutating func stretch(at instant: Int) -> ZoneRules.Stretch {
        steps += 1
        return zone.stretch(at: instant)
    }

    /// Whether a stretch's first instant stands for local times that the clocks jumped over.
    private mutating func gap(before stretch: ZoneRules.Stretch) -> Bool {
        guard dst.gap == .next, stretch.offsetBefore < stretch.offset else { return false }
        let clock = (stretch.start + stretch.offsetBefore)..<(stretch.start + stretch.offset)
        return cron.first(in: clock, &steps) != nil
    }

    /// The local times of a stretch without those that, by the policy, are its neighbour's.
    private func clock(in stretch: ZoneRules.Stretch) -> Range<Int> {
        let start = stretch.start + (dst.overlap == .first ? max(stretch.offset, stretch.offsetBefore) : stretch.offset)
        let end = stretch.end + (dst.overlap == .second ? min(stretch.offset, stretch.offsetBehind) : stretch.offset)
        return start..<max(start, end)
    }
}
