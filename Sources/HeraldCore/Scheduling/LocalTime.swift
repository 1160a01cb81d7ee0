/// A date and time as a wall clock shows it, in the proleptic Gregorian calendar and without a zone.
package struct LocalTime: Hashable, Comparable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Reads `2026-12-01T09:00` and `2026-12-01T09:00:30`. `nil` also for a day that the month does not have.
    package init?(written text: String) {
        // A state has one for each occurrence: compiling a regular expression takes longer than all else in it.
        let bytes = Array(text.utf8)
        let isInForm = zip(bytes, "0000-00-00T00:00:00".utf8).allSatisfy { byte, sign in
            switch Unicode.Scalar(sign) {
            case "0": byte.isDigit
            case "T": byte | 0x20 == UInt8(ascii: "t")
            default: byte == sign
            }
        }
        guard [16, 19].contains(bytes.count), isInForm else { return nil }
        let number = { (place: Range<Int>) in bytes[place].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        self.init(
            year: number(0..<4), month: number(5..<7), day: number(8..<10), hour: number(11..<13),
            minute: number(14..<16), second: bytes.count == 19 ? number(17..<19) : 0)
        guard isInCalendar else { return nil }
    }

    /// Whether the date and the time exist. Leap seconds are not supported.
    package var isInCalendar: Bool {
        (1...12).contains(month) && day >= 1 && day <= Gregorian.length(ofMonth: month, in: year)
            && (0..<24).contains(hour) && (0..<60).contains(minute) && (0..<60).contains(second)
    }

    /// The seconds since 1970, if the clock shows UTC.
    package var secondsAsUTC: Int {
        Gregorian.days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
    }

    package init(secondsAsUTC seconds: Int) {
        let day = seconds.dividedDown(by: 86400)
        let (year, month, dayOfMonth) = Gregorian.date(ofDay: day)
        let second = seconds - day * 86400
        self.init(
            year: year, month: month, day: dayOfMonth, hour: second / 3600, minute: second / 60 % 60,
            second: second % 60)
    }

    package static func < (one: LocalTime, other: LocalTime) -> Bool {
        (one.year, one.month, one.day) != (other.year, other.month, other.day)
            ? (one.year, one.month, one.day) < (other.year, other.month, other.day)
            : (one.hour, one.minute, one.second) < (other.hour, other.minute, other.second)
    }
}

extension LocalTime: CustomStringConvertible {
    /// `2026-12-01T09:00:00`
    package var description: String {
        let date = "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))"
        return "\(date)T\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))"
    }

    /// `09:00`, or `09:00:30` if the seconds are not 0.
    package var clock: String {
        "\(hour.digits(2)):\(minute.digits(2))" + (second == 0 ? "" : ":\(second.digits(2))")
    }
}

extension Int {
    /// In decimal, with leading zeros up to `width` digits.
    func digits(_ width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
