extension Date {
    /// RFC 3339 in UTC with milliseconds: `2026-12-01T08:00:00.250Z`. It avoids Foundation's slow formatters, because
    /// every request is logged.
    var rfc3339: String {
        // A binary fraction may lie just below the millisecond that it stands for, so round to microseconds first.
        let (seconds, microsecond) = microsecondsSince1970.dividedDown(by: 1_000_000)
        let (days, second) = seconds.dividedDown(by: 86_400)
        let (year, month, day) = Self.civil(fromDays: days)
        let date = "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
        let time = "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))"
        return "\(date)T\(time).\((microsecond / 1000).padded(3))Z"
    }

    /// The form of HTTP's `Date` header: `Tue, 01 Dec 2026 08:00:00 GMT`.
    var httpDate: String {
        let (days, second) = microsecondsSince1970.dividedDown(by: 1_000_000).quotient.dividedDown(by: 86_400)
        let (year, month, day) = Self.civil(fromDays: days)
        let weekday = Self.weekdays[days.dividedDown(by: 7).remainder]
        let time = "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))"
        return "\(weekday), \(day.padded(2)) \(Self.months[month - 1]) \(year.padded(4)) \(time) GMT"
    }

    /// From the day of 1970-01-01 on.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// For the years 1 to 9999. A time outside is moved to the nearer end.
    var microsecondsSince1970: Int {
        Int((timeIntervalSince1970.clamped(to: -62_135_596_800...253_402_300_799) * 1_000_000).rounded())
    }

    /// The Gregorian date of a day counted from 1970-01-01. It uses eras of 400 years that begin in March.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? 0 : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension Int {
    fileprivate func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
