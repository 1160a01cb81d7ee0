/// The rule for the time after a zone's last listed change, in POSIX form: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixRule: Hashable, Sendable {
    /// Seconds east of UTC.
    var standard: Int
    var summer: Summer?

    struct Summer: Hashable, Sendable {
        /// Seconds east of UTC.
        var offset: Int
        var start: Change
        var end: Change
    }

    /// When the clock changes, in the local time before the change.
    struct Change: Hashable, Sendable {
        var day: Day
        /// Seconds from midnight. It may be up to a week before or after the day.
        var time: Int
    }

    enum Day: Hashable, Sendable {
        /// From 1 to 365. 29 February is not counted.
        case ofCommonYear(Int)
        /// From 0 to 365.
        case ofYear(Int)
        /// Week 5 means the last such weekday of the month. 0 is Sunday.
        case weekday(Int, week: Int, month: Int)

        func daysSinceEpoch(in year: Int) -> Int {
            switch self {
            case .ofCommonYear(let number):
                Gregorian.days(year: year, month: 1, day: 1) + number - 1
                    + (number >= 60 && Gregorian.isLeap(year) ? 1 : 0)
            case .ofYear(let number): Gregorian.days(year: year, month: 1, day: 1) + number
            case .weekday(let weekday, let week, let month): Self.day(weekday, week: week, month: month, year: year)
            }
        }

        private static func day(_ weekday: Int, week: Int, month: Int, year: Int) -> Int {
            let first = Gregorian.days(year: year, month: month, day: 1)
            let ahead = (weekday - Gregorian.weekday(ofDay: first) + 7) % 7
            let last = Gregorian.length(ofMonth: month, in: year) - 1
            let day = ahead + (week - 1) * 7
            return first + (day > last ? day - 7 : day)
        }
    }

    /// The two changes of a year, the start of summer time first: the time in seconds since 1970 and the offset from
    /// then on.
    func changes(in year: Int) -> [(at: Int, offset: Int)] {
        guard let summer else { return [] }
        let start = summer.start.day.daysSinceEpoch(in: year) * 86400 + summer.start.time - standard
        let end = summer.end.day.daysSinceEpoch(in: year) * 86400 + summer.end.time - summer.offset
        return [(start, summer.offset), (end, standard)]
    }
}

extension PosixRule {
    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        guard Self.skipName(&rest), let west = Self.time(&rest, upTo: 24) else { return nil }
        standard = -west
        guard !rest.isEmpty else { return }
        guard Self.skipName(&rest) else { return nil }
        var offset = standard + 3600
        if let first = rest.first, first != UInt8(ascii: ",") {
            guard let west = Self.time(&rest, upTo: 24) else { return nil }
            offset = -west
        }
        guard let start = Self.change(&rest), let end = Self.change(&rest), rest.isEmpty else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// Three or more letters, or letters, digits and signs between `<` and `>`.
    private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
        rest = rest[name.endIndex...]
        return name.count >= 3
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ allowed: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix { $0.isDigit }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest[digits.endIndex...]
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return allowed.contains(value) ? value : nil
    }

    private static func skip(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private static func time(_ rest: inout ArraySlice<UInt8>, upTo hours: Int) -> Int? {
        let isNegative = skip("-", &rest)
        if !isNegative { _ = skip("+", &rest) }
        guard var seconds = number(&rest, 0...hours).map({ $0 * 3600 }) else { return nil }
        for unit in [60, 1] {
            guard skip(":", &rest) else { break }
            guard let value = number(&rest, 0...59) else { return nil }
            seconds += value * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `,Mm.w.d[/time]`, `,Jn[/time]` or `,n[/time]`.
    private static func change(_ rest: inout ArraySlice<UInt8>) -> Change? {
        guard skip(",", &rest) else { return nil }
        let day: Day
        if skip("M", &rest) {
            guard let month = number(&rest, 1...12), skip(".", &rest), let week = number(&rest, 1...5),
                skip(".", &rest), let weekday = number(&rest, 0...6)
            else { return nil }
            day = .weekday(weekday, week: week, month: month)
        } else if skip("J", &rest) {
            guard let number = number(&rest, 1...365) else { return nil }
            day = .ofCommonYear(number)
        } else {
            guard let number = number(&rest, 0...365) else { return nil }
            day = .ofYear(number)
        }
        guard skip("/", &rest) else { return Change(day: day, time: 2 * 3600) }
        guard let time = time(&rest, upTo: 167) else { return nil }
        return Change(day: day, time: time)
    }
}
