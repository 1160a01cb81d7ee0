/// Arithmetic of the proleptic Gregorian calendar, in days from 1970-01-01.
enum Gregorian {
    /// The calendar repeats after 400 years, and so do the weekdays.
    static let daysOfCycle = 146_097

    static func days(year: Int, month: Int, day: Int) -> Int {
        // Years begin in March here, so that the leap day is the last day of a year.
        let year = month <= 2 ? year - 1 : year
        let cycle = year.dividedDown(by: 400)
        let yearOfCycle = year - cycle * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * daysOfCycle + dayOfCycle - 719_468
    }

    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let cycle = shifted.dividedDown(by: daysOfCycle)
        let dayOfCycle = shifted - cycle * daysOfCycle
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// 0 is Sunday.
    static func weekday(ofDay day: Int) -> Int {
        let sinceSunday = day + 4
        return sinceSunday - sinceSunday.dividedDown(by: 7) * 7
    }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// - Parameter month: from 1 to 12.
    static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    /// The quotient, rounded towards negative infinity.
    func dividedDown(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
