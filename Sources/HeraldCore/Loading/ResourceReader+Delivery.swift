internal import FCM

extension ResourceReader {
    static let deliveryKeys = KeyTable(
        ["rate", "expires_after", "on_error", "on_unknown", "members", "stop_when_rejected_percent", "window"]
            + StagesReader.keys)

    /// - Parameter node: a campaign's `delivery`, if it has one.
    static func delivery(
        _ node: Node?, _ timing: ScheduleReader.Timing, _ defaults: Defaults, _ findings: inout Findings
    ) -> Campaign.Delivery {
        var delivery = Campaign.Delivery()
        let window = { (written: WrittenWindow?) in written?.window(timing.schedule, by: timing.zoneField) }
        delivery.window = window(defaults.window)
        guard let node, let fields = Fields(node, "'delivery'", deliveryKeys, &findings) else { return delivery }
        delivery.rate = fields.rate("rate", &findings)
        delivery.expiresAfter = fields.duration("expires_after", &findings)
        if let expiry = delivery.expiresAfter, expiry > .longestTimeToLive {
            findings.timeToLiveTooLong("'expires_after'", at: fields["expires_after"]?.range ?? fields.range)
        }
        delivery.onError = fields.choice("on_error", &findings) ?? delivery.onError
        delivery.onUnknown = fields.choice("on_unknown", &findings) ?? delivery.onUnknown
        delivery.members = fields.choice("members", &findings) ?? delivery.members
        if let percent = fields.int("stop_when_rejected_percent", in: 1...100, &findings) {
            delivery.stopWhenRejectedPercent = percent
        }
        if let node = fields["window"] {
            let isAlways = node.scalar?.text == WindowReader.always
            delivery.isAtAnyHour = isAlways && defaults.window != nil
            delivery.window = isAlways ? nil : window(WindowReader.window(node, &findings))
        }
        delivery.stages = StagesReader.stages(fields, &findings)
        return delivery
    }

    static let frequencyKeys = KeyTable(["ignore", "count"])

    /// How often people may get messages: the campaign's tags, its priority, and what it says of caps.
    static func frequency(_ campaign: Fields, _ defaults: Defaults, _ findings: inout Findings) -> Frequency {
        var frequency = Frequency()
        if campaign["tags"] != nil { frequency.tags = SettingsReader.tags("tags", in: campaign, &findings) }
        frequency.priority = campaign.int("priority", in: 0...9, &findings) ?? frequency.priority
        frequency.caps = defaults.caps.filter { $0.isFor(frequency.tags) }
        guard let node = campaign["frequency_caps"],
            let fields = Fields(node, "'frequency_caps'", frequencyKeys, &findings)
        else { return frequency }
        frequency.ignoresCaps = fields.bool("ignore", &findings) ?? frequency.ignoresCaps
        frequency.counts = fields.bool("count", &findings) ?? frequency.counts
        return frequency
    }
}
