extension Date {
    /// Reads an RFC 3339 time with its offset. Seconds may be left out. Leap seconds are refused, and so are times
    /// outside the years 1 to 9999 in UTC.
    package init?(rfc3339 text: String) {
        let pattern =
            #/(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):(\d\d))/#
            .asciiOnlyDigits()
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3), let hour = Int(match.4), let minute = Int(match.5)
        else { return nil }
        let second = match.6.flatMap { Int($0) } ?? 0
        let local = LocalTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard local.isInCalendar else { return nil }
        var offset = 0
        if let hours = match.9.flatMap({ Int($0) }), let minutes = match.10.flatMap({ Int($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (match.8 == "-" ? -1 : 1)
        }
        let fraction = match.7.flatMap { Double("0.\($0)") } ?? 0
        let seconds = Double(local.secondsAsUTC - offset) + fraction
        let date = Date(timeIntervalSince1970: seconds)
        guard Self.calculable.contains(date) else { return nil }
        self = date
    }

    /// In UTC and whole seconds: `2026-12-01T08:00:00Z`.
    package var rfc3339: String {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
    }

    package func adding(_ duration: Duration) -> Date { addingTimeInterval(duration.seconds) }
}
