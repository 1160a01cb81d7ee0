/// Reads a send window: `window` below `delivery`, of a campaign and of `herald.yaml`.
enum WindowReader {
    static let keys = KeyTable(["from", "to", "days", "timezone", "when_closed"], required: ["from", "to"])
    /// What a campaign writes to be sent at any hour although the workspace has a window.
    static let always = "always"

    static func window(_ node: Node, _ findings: inout Findings) -> WrittenWindow? {
        guard let fields = Fields(node, "'window'", keys, &findings) else { return nil }
        let from = minute("from", in: fields, upTo: 1439, &findings)
        let to = minute("to", in: fields, upTo: 1440, &findings)
        let days = fields["days"].map { weekdays($0, &findings) } ?? DailyHours.everyDay
        let written = ZoneReader.zone(in: fields, &findings)
        let whenClosed: SendWindow.WhenClosed = fields.choice("when_closed", &findings) ?? .wait
        guard let from, let to, let days else { return nil }
        guard from != to else {
            findings.error(
                .invalidValue, "the window is over when it begins", at: fields["to"]?.range ?? fields.range,
                help: "write another time; from \"00:00\" to \"24:00\" is the whole day")
            return nil
        }
        return WrittenWindow(
            hours: DailyHours(from: from, to: to, days: days), zone: written.zone, field: written.field,
            whenClosed: whenClosed)
    }

    /// A time of day in minutes. It may be written without quotes here, because nothing else can be meant.
    private static func minute(
        _ key: String, in fields: Fields, upTo last: Int, _ findings: inout Findings
    ) -> Int? {
        guard let node = fields[key] else { return nil }
        let parts = (node.scalar?.text ?? "").utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 ? $0.twoDigits : nil }
        if parts.count == 2, numbers.count == 2, numbers[1] < 60, numbers[0] * 60 + numbers[1] <= last {
            return numbers[0] * 60 + numbers[1]
        }
        let end = last == 1440 ? "24:00" : "23:59"
        findings.error(
            .invalidValue, "'\(key)' must be a time of day from 00:00 to \(end)", at: node.range,
            help: "two digits for the hour and two for the minute, as in \"09:00\"")
        return nil
    }

    /// Days of the week as a cron names them.
    private static func weekdays(_ node: Node, _ findings: inout Findings) -> UInt8? {
        let text = node.scalar?.text ?? ""
        if let cron = try? Cron(parsing: "* * * * \(text)") { return UInt8(truncatingIfNeeded: cron.daysOfWeek.values) }
        findings.error(
            .invalidValue, "'days' must be days of the week", at: node.range,
            help: "names or numbers as in a cron, such as MON-FRI or SAT,SUN")
        return nil
    }
}
