/// Finds the times at which a cron fires, one period of constant UTC offset after the other.
///
/// Times are seconds since 1970. Within a period every local time exists once. Local times that the clock skips or
/// repeats lie at its start and end.
package struct CronSearch {
    private let cron: Cron
    private let zone: Zone
    private let dst: DST
    /// The cost of the search: periods and months searched.
    package private(set) var steps = 0

    package init(_ cron: Cron, zone: Zone, dst: DST) {
        self.cron = cron
        self.zone = zone
        self.dst = dst
    }

    package mutating func first(in instants: Range<Int>) -> Int? { all(in: instants, limit: 1).first }

    /// In ascending order.
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

    /// The first and last matching local time that the clock skips at this instant. `nil` if there is none.
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

    /// Whether a matching time was skipped before this period and therefore fires at its start.
    private mutating func gap(before stretch: ZoneRules.Stretch) -> Bool {
        guard dst.gap == .next, stretch.offsetBefore < stretch.offset else { return false }
        let clock = (stretch.start + stretch.offsetBefore)..<(stretch.start + stretch.offset)
        return cron.first(in: clock, &steps) != nil
    }

    /// The local times of a period, without the repeated ones that the policy gives to the neighbouring period.
    private func clock(in stretch: ZoneRules.Stretch) -> Range<Int> {
        let start = stretch.start + (dst.overlap == .first ? max(stretch.offset, stretch.offsetBefore) : stretch.offset)
        let end = stretch.end + (dst.overlap == .second ? min(stretch.offset, stretch.offsetBehind) : stretch.offset)
        return start..<max(start, end)
    }
}
