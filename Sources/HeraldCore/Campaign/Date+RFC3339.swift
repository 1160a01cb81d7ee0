extension Date {
    /// Reads an RFC 3339 time with its offset. Seconds may be left out. Leap seconds are refused, and so are times
    /// outside the years 1 to 9999 in UTC.
    package init?(rfc3339 text: String) {
        var text = text
        guard let time = text.withUTF8({ RFC3339Time($0) }) else { return nil }
        let date = Date(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
        guard Self.calculable.contains(date) else { return nil }
        self = date
    }

    /// In UTC and whole seconds: `2026-12-01T08:00:00Z`.
    package var rfc3339: String { inWholeSeconds.formatted(.iso8601) }

    /// Without a part of a second.
    package var inWholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }

    package func adding(_ duration: Duration) -> Date { addingTimeInterval(duration.seconds) }
}
