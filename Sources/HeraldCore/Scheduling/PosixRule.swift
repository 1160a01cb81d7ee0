/// The rule behind a zone's last listed change, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
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

    /// When the clocks change, on the clock that goes until then.
    struct Change: Hashable, Sendable {
        var day: Day
        /// Seconds from midnight, up to a week before or after.
        var time: Int
    }

    enum Day: Hashable, Sendable {
        /// 1 to 365; 29 February is not counted.
        case ofCommonYear(Int)
        /// 0 to 365.
        case ofYear(Int)
        /// In week 5 the month's last such weekday; 0 is Sunday.
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

    /// The changes of a year: when, in seconds since 1970, and the offset from then on. The start comes first.
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

    /// Three or more letters, or anything of letters, digits and signs between `<` and `>`.
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
