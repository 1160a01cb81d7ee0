#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// Reads an RFC 3339 time with its offset; seconds may be left out. Leap seconds are not accepted.
    /// What would not be in the years 1 to 9999 of UTC is not either.
    package init?(rfc3339 text: String) {
        let pattern =
            #/(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):(\d\d))/#
            .asciiOnlyDigits()
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3), let hour = Int(match.4), let minute = Int(match.5), hour < 24, minute < 60,
            let days = Self.daysSinceEpoch(year: year, month: month, day: day)
        else { return nil }
        let second = match.6.flatMap { Int($0) } ?? 0
        guard second < 60 else { return nil }
        var offset = 0
        if let hours = match.9.flatMap({ Int($0) }), let minutes = match.10.flatMap({ Int($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (match.8 == "-" ? -1 : 1)
        }
        let fraction = match.7.flatMap { Double("0.\($0)") } ?? 0
        let seconds = Double(days * 86400 + hour * 3600 + minute * 60 + second - offset) + fraction
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }

    /// In UTC, whole seconds: `2026-12-01T08:00:00Z`.
    package var rfc3339: String {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar; `nil` for a day that the month does not have.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int? {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        // Counted from 400 years before the year 1, a whole cycle, so that the year 0 divides like the others.
        let before = year + 399
        let leapDays = before / 4 - before / 100 + before / 400
        let daysBeforeYear = before * 365 + leapDays
        return daysBeforeYear + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162 - 146_097
    }

    package func adding(_ duration: Duration) -> Date { addingTimeInterval(duration.seconds) }
}
