/// Hours of the day, by the wall clock of whatever zone: from 09:00 to 21:00, on some days of the week.
package struct DailyHours: Hashable, Sendable {
    /// The first minute after midnight, from 0 to 1439.
    package var from: Int
    /// The minute after midnight at which they are over, from 1 to 1440. If it is earlier than `from`, the hours end on the
    /// next day.
    package var to: Int
    /// The days on which they begin, one bit each. Sunday is the lowest.
    package var days: UInt8

    package static let everyDay: UInt8 = 0x7F

    package init(from: Int, to: Int, days: UInt8 = everyDay) { (self.from, self.to, self.days) = (from, to, days) }

    /// The hours at an instant.
    package struct Standing: Hashable, Sendable {
        package var isOpen: Bool
        /// When that changes. `nil` if it does not: some hours never end.
        package var until: Date?
    }

    package func standing(at instant: Date, in zone: Zone) -> Standing {
        let second = instant.wholeSeconds
        return Standing(
            isOpen: isOpen(at: second, in: zone),
            until: change(after: second, in: zone).map { Date(wholeSeconds: $0) })
    }

    /// Since when they are open, or closed, at an instant. `nil` if that never changes.
    func since(_ instant: Date, in zone: Zone) -> Date? {
        lastChange(through: instant.wholeSeconds, in: zone).map { Date(wholeSeconds: $0) }
    }

    package func isOpen(at instant: Date, in zone: Zone) -> Bool { isOpen(at: instant.wholeSeconds, in: zone) }

    /// The last instant until which they were open for no longer than `span`, counted from `start`.
    package func end(ofOpen span: Duration, from start: Date, in zone: Zone) -> Date {
        var (instant, rest) = (start, span.seconds)
        for _ in 0..<Self.changes {
            let standing = standing(at: instant, in: zone)
            guard let until = standing.until else { return standing.isOpen ? instant + rest : .distantFuture }
            if standing.isOpen {
                let length = until.timeIntervalSince(instant)
                if rest < length { return instant + rest }
                rest -= length
            }
            instant = until
        }
        return .distantFuture
    }

    /// The first instant since which they were open for no longer than `span`, counted until `end`.
    package func start(ofOpen span: Duration, until end: Date, in zone: Zone) -> Date {
        var (instant, rest) = (end, span.seconds)
        for _ in 0..<Self.changes {
            // Of a part of a second, its beginning counts.
            let before = Int(instant.timeIntervalSince1970.rounded(.up)) - 1
            let isOpen = isOpen(at: before, in: zone)
            guard let since = lastChange(through: before, in: zone).map({ Date(wholeSeconds: $0) }) else {
                return isOpen ? instant - rest : .distantPast
            }
            if isOpen {
                let length = instant.timeIntervalSince(since)
                if rest < length { return instant - rest }
                rest -= length
            }
            instant = since
        }
        return .distantPast
    }

    /// More openings and closings than this are further away than anybody looks: a hundred years.
    private static let changes = 100_000
    /// In seconds. They are the same every week, but for a clock change.
    private static let horizon = 15 * 86400

    private func isOpen(at second: Int, in zone: Zone) -> Bool {
        let clock = second + zone.stretch(at: second).offset
        let day = clock.dividedDown(by: 86400)
        let minute = (clock - day * 86400) / 60
        if from < to { return from <= minute && minute < to && begins(on: day) }
        return minute >= from ? begins(on: day) : minute < to && begins(on: day - 1)
    }

    /// - Parameter day: counted from 1 January 1970, which was a Thursday.
    private func begins(on day: Int) -> Bool {
        let weekday = day + 4 - (day + 4).dividedDown(by: 7) * 7
        return days >> UInt8(weekday) & 1 == 1
    }

    /// The first second after that one at which they open or close.
    private func change(after second: Int, in zone: Zone) -> Int? {
        let wasOpen = isOpen(at: second, in: zone)
        var instant = second
        while instant < second + Self.horizon {
            let stretch = zone.stretch(at: instant)
            let clock = instant + stretch.offset
            let next = marks.map { $0 + ((clock - $0).dividedDown(by: 86400) + 1) * 86400 }
            instant = min(next[0], next[1], stretch.end + stretch.offset) - stretch.offset
            if isOpen(at: instant, in: zone) != wasOpen { return instant }
        }
        return nil
    }

    /// The last second up to that one at which they opened or closed.
    private func lastChange(through second: Int, in zone: Zone) -> Int? {
        let isOpenNow = isOpen(at: second, in: zone)
        var instant = second
        while instant > second - Self.horizon {
            let stretch = zone.stretch(at: instant)
            let clock = instant + stretch.offset
            let last = marks.map { $0 + (clock - $0).dividedDown(by: 86400) * 86400 }
            instant = max(last[0], last[1], stretch.start + stretch.offset) - stretch.offset
            if isOpen(at: instant - 1, in: zone) != isOpenNow { return instant }
            instant -= 1
        }
        return nil
    }

    /// The times of day, in seconds, at which they may open or close.
    private var marks: [Int] { [from * 60, to % 1440 * 60] }
}

extension DailyHours: CustomStringConvertible {
    /// `09:00 to 21:00`, with the days if it is not every day.
    package var description: String {
        let time = { (minute: Int) in "\((minute / 60).digits(2)):\((minute % 60).digits(2))" }
        let hours = "\(time(from)) to \(time(to))"
        return days == Self.everyDay ? hours : "\(hours) on \(daysText)"
    }

    /// As a file names the days: `MON-FRI`.
    package var daysText: String {
        let names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        let isOn = { (day: Int) in days >> UInt8(day % 7) & 1 == 1 }
        // The week begins on Monday here, so that MON-SUN and SAT-SUN are one range.
        var ranges: [[Int]] = []
        for day in 1...7 where isOn(day) {
            if let last = ranges.last?.last, last == day - 1 {
                ranges[ranges.count - 1].append(day)
            } else {
                ranges.append([day])
            }
        }
        return ranges.map { range in
            let ends = [range[0], range[range.count - 1]].map { names[$0 % 7] }
            return range.count == 1 ? ends[0] : "\(ends[0])-\(ends[1])"
        }.joined(separator: ",")
    }
}
