extension LocalTime {
    /// For people: `Tue 2026-12-01 09:00`.
    var spoken: String {
        let day = Gregorian.days(year: year, month: month, day: self.day)
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Gregorian.weekday(ofDay: day)]
        return "\(weekday) \("\(self)".prefix(10)) \(clock)"
    }
}
