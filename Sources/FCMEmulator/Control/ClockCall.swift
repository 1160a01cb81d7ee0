import FCM

/// `GET` and `POST /emulator/v1/clock`: the emulator's time, which tests can move forward.
struct ClockCall {
    /// In seconds.
    let advance: TimeInterval

    /// The most that one call may skip. FCM keeps nothing for longer than 28 days.
    private static let maximumDays = 366.0
    /// How far ahead of the real clock the emulator's time may be.
    static let maximumLead = 3660 * 86_400.0

    init(parsing body: [UInt8]) throws(GoogleError) {
        let members = try JSONValue.controlObject(body, keys: ["advance"])
        guard let seconds = members["advance"]?.string.flatMap(Self.seconds), seconds <= Self.maximumDays * 86_400
        else {
            throw .badCall(
                "advance: not a whole number with a unit such as 250ms, 90s, 5m, 4h or 2d, of 366 days at most")
        }
        advance = seconds
    }

    static func json(now: Date, lead: TimeInterval) -> JSONValue {
        ["time": .string(now.rfc3339), "ahead_seconds": .double(lead)]
    }

    private static func seconds(_ text: String) -> TimeInterval? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let count = UInt32(digits), let unit = units[String(text.dropFirst(digits.count))] else { return nil }
        return Double(count) * unit
    }
}
