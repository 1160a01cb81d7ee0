/// A day of the Gregorian calendar, from the year 1 to 9999.
struct CalendarDay: Hashable, Sendable {
    let year: Int
    /// From 1.
    let month: Int
    /// From 1.
    let day: Int

    /// `nil` for what is no `YYYY-MM-DD`, and for a day that does not exist.
    init?(_ text: ValueBytes) {
        guard text.count == 10 else { return nil }
        var numbers = (0, 0, 0)
        for (place, byte) in text.enumerated() {
            if place == 4 || place == 7 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard byte.isDigit else { return nil }
            let digit = Int(byte - UInt8(ascii: "0"))
            switch place {
            case ..<4: numbers.0 = numbers.0 * 10 + digit
            case ..<7: numbers.1 = numbers.1 * 10 + digit
            default: numbers.2 = numbers.2 * 10 + digit
            }
        }
        (year, month, day) = numbers
        guard year > 0, (1...12).contains(month), day > 0, day <= Self.days(in: month, of: year) else { return nil }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }
}
