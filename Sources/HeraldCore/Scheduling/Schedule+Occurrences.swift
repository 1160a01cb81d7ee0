extension Schedule {
    /// The first `limit` times in (after, through], ascending. Two local times that are the same instant count once.
    package func occurrences(after: Date, through: Date, limit: Int) -> [Date] {
        switch times {
        case .once, .local: return []
        case .at(let date): return date > after && date <= through && limit > 0 ? [date] : []
        case .cron(let cron, let start, let end):
            var search = CronSearch(cron, zone: zone, dst: dst)
            let instants = Self.instants(after: after, through: through, start, end)
            return search.all(in: instants, limit: limit).map { Date(wholeSeconds: $0) }
        }
    }

    /// The first time after an instant. `nil` if there are no more.
    package func next(after: Date) -> Date? {
        switch times {
        case .once, .local: return nil
        case .at(let date): return date > after ? date : nil
        case .cron(_, let start, _):
            let begin = start.map { max(after, $0.addingTimeInterval(-1)) } ?? after
            return occurrences(after: begin, through: begin.addingTimeInterval(Self.cycle), limit: 1).first
        }
    }

    /// Whether a time comes after an instant, on some clock.
    func comesAfter(_ now: Date) -> Bool {
        guard let local else { return next(after: now) != nil }
        switch local.times {
        case .at(let time, _): return time.nextDay.lastInstant > now
        case .cron:
            let end = LocalTime(latestAt: now.adding(.seconds(Self.cycle)))
            return !local.times(after: LocalTime(latestAt: now), through: end, limit: 1).isEmpty
        }
    }

    /// The first times that it has by the clocks of now, from at most 400 days: a year and a month show how they repeat.
    func firstTimes(limit: Int) -> [Date] {
        guard let first = next(after: .clocksOfNow) ?? next(after: Date(timeIntervalSince1970: -1)) else { return [] }
        return occurrences(after: first - 1, through: first + 400 * 86_400, limit: limit)
    }

    /// The last time in (after, through]. It searches backwards from the end, so a long downtime costs nothing.
    package func latest(after: Date, through: Date) -> Date? {
        switch times {
        case .once, .local: return nil
        case .at(let date): return date > after && date <= through ? date : nil
        case .cron(let cron, let start, let end):
            var search = CronSearch(cron, zone: zone, dst: dst)
            return search.last(in: Self.instants(after: after, through: through, start, end)).map {
                Date(wholeSeconds: $0)
            }
        }
    }

    /// Whether it fires at any time, past or future.
    package var canFire: Bool {
        if case .local(let schedule) = times { return !schedule.firstTimes(limit: 1).isEmpty }
        guard case .cron(_, let start, let end) = times else { return true }
        if let start { return next(after: start.addingTimeInterval(-1)) != nil }
        let through = end ?? Date(timeIntervalSince1970: Self.cycle)
        return latest(after: through.addingTimeInterval(-Self.cycle), through: through) != nil
    }

    /// The calendar repeats after 400 years, so a cron that does not match within them never matches.
    private static let cycle = Double(Gregorian.daysOfCycle * 86400)

    /// The whole seconds in (after, through] that are also within the bounds. The bounds are inclusive.
    private static func instants(after: Date, through: Date, _ start: Date?, _ end: Date?) -> Range<Int> {
        let first = max(after.wholeSeconds + 1, start?.wholeSeconds(.up) ?? .min)
        let last = min(through.wholeSeconds, end?.wholeSeconds ?? .max)
        return first..<max(first, last + 1)
    }
}

extension Date {
    /// What a schedule meets is judged from here on: before, many zones had other clocks than they have now.
    static let clocksOfNow = Date(timeIntervalSince1970: 1_767_225_600)
}
