/// The local times that a cron matches, in seconds since 1970 as if the clock showed UTC. The search goes month by
/// month. Within a month, bit sets give the next matching day, hour and minute directly.
extension Cron {
    /// - Parameter steps: counts the months searched.
    func first(in clock: Range<Int>, _ steps: inout Int) -> Int? {
        let minute = -(-clock.lowerBound).dividedDown(by: 60)
        guard minute * 60 < clock.upperBound else { return nil }
        let start = minute.dividedDown(by: 1440)
        var (year, month, day) = Gregorian.date(ofDay: start)
        var earliest = minute - start * 1440
        while true {
            steps += 1
            let before = Gregorian.days(year: year, month: month, day: 1) - 1
            guard (before + 1) * 86400 < clock.upperBound else { return nil }
            let days = days(of: month, in: year)
            while let match = days.firstBit(from: day) {
                if before + match > start { earliest = 0 }
                if let time = firstMinute(from: earliest) {
                    let seconds = (before + match) * 86400 + time * 60
                    return seconds < clock.upperBound ? seconds : nil
                }
                day = match + 1
            }
            (year, month, day) = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
        }
    }

    /// - Parameter steps: counts the months searched.
    func last(in clock: Range<Int>, _ steps: inout Int) -> Int? {
        guard !clock.isEmpty else { return nil }
        let minute = (clock.upperBound - 1).dividedDown(by: 60)
        let end = minute.dividedDown(by: 1440)
        var (year, month, day) = Gregorian.date(ofDay: end)
        var latest = minute - end * 1440
        while true {
            steps += 1
            let before = Gregorian.days(year: year, month: month, day: 1) - 1
            guard (before + day + 1) * 86400 > clock.lowerBound else { return nil }
            let days = days(of: month, in: year)
            while let match = days.lastBit(through: day) {
                if before + match < end { latest = 1439 }
                if let time = lastMinute(through: latest) {
                    let seconds = (before + match) * 86400 + time * 60
                    return seconds >= clock.lowerBound ? seconds : nil
                }
                day = match - 1
            }
            (year, month, day) = month == 1 ? (year - 1, 12, 31) : (year, month - 1, 31)
        }
    }

    /// The matching days of a month, one bit each.
    private func days(of month: Int, in year: Int) -> UInt64 {
        guard months.contains(month) else { return 0 }
        let length = Gregorian.length(ofMonth: month, in: year)
        let all = (UInt64(1) << UInt64(length + 1)) - 2
        let first = UInt64(Gregorian.weekday(ofDay: Gregorian.days(year: year, month: month, day: 1)))
        // The week from the month's first weekday on, repeated five times from bit 1 on.
        let week = (daysOfWeek.values >> first | daysOfWeek.values << (7 - first)) & 0b111_1111
        let byWeek = week * 0b1_0000001_0000001_0000001_0000001 << 1
        let isEither = !daysOfMonth.isStarred && !daysOfWeek.isStarred
        return all & (isEither ? daysOfMonth.values | byWeek : daysOfMonth.values & byWeek)
    }

    /// The first matching minute of a day.
    private func firstMinute(from minute: Int) -> Int? {
        let hour = minute / 60
        if hours.contains(hour), let inHour = minutes.first(from: minute % 60) { return hour * 60 + inHour }
        guard let next = hours.first(from: hour + 1), let first = minutes.first(from: 0) else { return nil }
        return next * 60 + first
    }

    /// The last matching minute of a day.
    private func lastMinute(through minute: Int) -> Int? {
        let hour = minute / 60
        if hours.contains(hour), let inHour = minutes.last(through: minute % 60) { return hour * 60 + inHour }
        guard hour > 0, let previous = hours.last(through: hour - 1), let last = minutes.last(through: 59) else {
            return nil
        }
        return previous * 60 + last
    }
}
