/// What decides whose clock had passed a time for too long when its campaign was first seen (`if_passed`). The watermark
/// notes it: whoever is left to the next day stays there, whatever the file says later.
struct SeenLimits: Hashable, Sendable {
    private let maxLateness: Duration
    private let expiresAfter: Duration?
    private let hours: DailyHours?
    /// Whose wall clock the window goes by; `nil` if it is each person's own.
    private let zone: Zone?

    init(_ campaign: Campaign) {
        let window = campaign.delivery.window
        (maxLateness, expiresAfter) = (campaign.schedule.maxLateness, campaign.delivery.expiresAfter)
        (hours, zone) = (window?.hours, window.flatMap { $0.field == nil ? $0.zone : nil })
    }

    /// - Parameter text: a `description`. What is no such text gives `nil`.
    init?(_ text: String) {
        var values: [String: String] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        let span = { (key: String) in values[key].flatMap { Int64($0) }.map { Duration.milliseconds($0) } }
        guard let maxLateness = span("max_lateness") else { return nil }
        (self.maxLateness, expiresAfter) = (maxLateness, span("expires_after"))
        let window = (values["window"] ?? "").split(separator: "-").compactMap { Int($0) }
        let days = window.count == 3 ? UInt8(exactly: window[2]) : nil
        hours = days.map { DailyHours(from: window[0], to: window[1], days: $0) }
        zone = values["zone"].flatMap { Zone(written: $0) }
    }

    /// The campaign with these limits in place of its own.
    func applied(to campaign: Campaign) -> Campaign {
        var campaign = campaign
        (campaign.schedule.maxLateness, campaign.delivery.expiresAfter) = (maxLateness, expiresAfter)
        campaign.delivery.window = hours.map {
            SendWindow(
                hours: $0, zone: zone ?? campaign.schedule.zone, field: zone == nil ? campaign.zoneField : nil,
                whenClosed: .wait)
        }
        return campaign
    }
}

extension SeenLimits: CustomStringConvertible {
    /// Spans in milliseconds, and the window in minutes after midnight and with a bit for each day.
    var description: String {
        let milliseconds = { (span: Duration) in Int64((span.seconds * 1000).rounded()) }
        var text = "max_lateness=\(milliseconds(maxLateness))"
        if let expiresAfter { text += " expires_after=\(milliseconds(expiresAfter))" }
        if let hours { text += " window=\(hours.from)-\(hours.to)-\(hours.days)" }
        if let zone { text += " zone=\(zone.name)" }
        return text
    }
}
