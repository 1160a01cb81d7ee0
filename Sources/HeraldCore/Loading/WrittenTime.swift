/// A time in another form than schedules accept, such as `2026-12-1 9:00` or `2026-12-01T9:00 +1:00`.
struct WrittenTime {
    /// The same time in the form that schedules accept.
    let text: String
    private let hasOffset: Bool

    /// `nil` if the text is ambiguous, or not a time.
    init?(meantBy text: String) {
        let form =
            #/([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})[Tt ]+([0-9]{1,2})[:.]([0-9]{2})(?::([0-9]{2}))?(?: ?(Z|z|UTC)| ?([+-])([0-9]{1,2}):?([0-9]{2})?)?/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        let two = { (digits: Substring) in digits.utf8.count == 1 ? "0\(digits)" : String(digits) }
        var written = "\(match.1)-\(two(match.2))-\(two(match.3))T\(two(match.4)):\(match.5)"
        if let second = match.6 { written += ":\(second)" }
        guard LocalTime(written: written) != nil else { return nil }
        if match.7 != nil {
            written += "Z"
        } else if let sign = match.8, let hours = match.9 {
            written += "\(sign)\(two(hours)):\(match.10 ?? "00")"
        }
        hasOffset = match.7 != nil || match.8 != nil
        guard !hasOffset || Date(rfc3339: written) != nil else { return nil }
        self.text = written
    }

    /// The text, if it has an offset from UTC.
    var withOffset: String? { hasOffset ? text : nil }

    /// A hint about the missing part of a time.
    static func help(on text: String) -> String? {
        if let match = text.wholeMatch(of: #/([0-9]{1,2}):([0-9]{2})/#), let hour = Int(match.1), hour < 24 {
            return "write its day too, as in 2026-12-01T\(hour.digits(2)):\(match.2); every day is a cron"
        }
        if text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil {
            return "write the time of day too, as in \(text)T09:00"
        }
        return nil
    }
}

extension Cron {
    /// The correct cron for one with a clock time, such as `9:07 * * MON` or `9:07`.
    static func spelling(meantBy text: String) -> String? {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard let match = words.first?.wholeMatch(of: #/([0-9]{1,2}):([0-9]{2})/#), let hour = Int(match.1),
            let minute = Int(match.2)
        else { return nil }
        var days = words.dropFirst().map(String.init)
        if days.isEmpty { days = ["*", "*", "*"] }
        // An extra star stands for the hour, but the clock time already has it.
        if days.count == 4, days.allSatisfy({ $0 == "*" }) { days.removeLast() }
        let spelling = "\(minute) \(hour) " + days.joined(separator: " ")
        return days.count == 3 && (try? Cron(parsing: spelling)) != nil ? spelling : nil
    }
}
