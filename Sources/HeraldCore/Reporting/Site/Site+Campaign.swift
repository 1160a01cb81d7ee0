internal import FCM

/// A campaign: when it goes out, and what people see of it.
extension Site {
    /// So many of its next and of its last sends are shown.
    private static let shownSends = 8

    func campaignPage(_ campaign: Campaign, _ calendar: SiteCalendar, _ frame: SiteFrame) -> String {
        let name = campaign.name.value
        let looks = campaign.looks(texts[name])
        let due = calendar.due.filter { $0.campaign == name }.map {
            Self.entry("Now, with the next run", $0.recipients)
        }
        let coming = (calendar.coming[name] ?? []).prefix(Self.shownSends).map { upcoming in
            let parts = [upcoming.words(overview.figures), overview.note(of: upcoming)].filter { !$0.isEmpty }
            return Self.entry(upcoming.occurring.words, parts.joined(separator: "; "))
        }
        let sent = (calendar.sent[name] ?? []).prefix(Self.shownSends).map { recorded in
            let zone = campaign.schedule.zone
            let clock = recorded.local.map { "\($0.spoken) on each clock" }
            return Self.entry(
                clock ?? recorded.moment.map { "\(zone.local(at: $0).spoken) \(zone.name)" } ?? "", recorded.outcome)
        }
        return Page.campaign.rendered(
            [
                "title": .string("\(status.workspace): \(name)"), "name": .string(name),
                "description": campaign.description.map { .string($0) } ?? .null, "facts": .facts(facts(campaign)),
                "notes": .array(notes(on: campaign).map { .string($0) }),
                "times": .section("entries", due + coming),
                "never": .string(sent.isEmpty ? "Nothing is planned." : "Nothing more is planned."),
                "contents": looks.count > 1
                    ? .section("entries", looks.enumerated().map { Self.link($1, $0) }) : .null,
                "texts": .array(looks.enumerated().map { Self.values($1, $0) }),
                "pictures": .section("entries", Self.pictures(of: looks)),
                "sent": .section("entries", sent),
            ], in: frame)
    }

    private func facts(_ campaign: Campaign) -> [(String, String)] {
        let delivery = campaign.delivery
        var facts = [("to", campaign.target.value.words), ("when", campaign.schedule.words)]
        let without = campaign.without.map(\.value)
        if !without.isEmpty { facts.append(("without", without.joined(separator: ", "))) }
        if let window = campaign.windowOfTarget { facts.append(("only", window.words)) }
        if delivery.isAtAnyHour { facts.append(("only", "at any hour")) }
        if !delivery.frequency.tags.isEmpty { facts.append(("tags", delivery.frequency.tags.joined(separator: ", "))) }
        if delivery.frequency.ignoresCaps, !delivery.frequency.caps.isEmpty { facts.append(("caps", "ignored")) }
        if let stages = delivery.stages {
            facts.append(("stages", stages.all.map(\.words).joined(separator: ", ")))
        }
        if let owner = campaign.owner { facts.append(("owner", owner)) }
        return facts
    }

    private static func entry(_ name: String, _ text: String) -> JSONValue {
        ["name": .string(name), "text": text.isEmpty ? .null : .string(text)]
    }

    private static func link(_ look: TextLook, _ number: Int) -> JSONValue {
        ["number": .int(Int64(number)), "short": .string(look.shown?.short ?? "")]
    }

    private static func values(_ look: TextLook, _ number: Int) -> JSONValue {
        let mocks = look.mocks
        let platforms = Platform.allCases.compactMap { platform -> JSONValue? in
            let shown = mocks.filter { $0.surface.platform == platform }
            return shown.isEmpty ? nil : ["name": .string(platform.words), "mocks": .array(shown.map(\.values))]
        }
        return [
            "number": .int(Int64(number)),
            "heading": .string(look.shown.map { "How it looks: \($0.words)" } ?? "How it looks"),
            "filling": look.shown.map { .string("Filled with \($0.filling).") } ?? .null,
            "silent": .bool(mocks.isEmpty), "platforms": .array(platforms),
        ]
    }

    /// Only addresses of the web become links.
    private static func pictures(of looks: [TextLook]) -> [JSONValue] {
        let addresses = Set(looks.flatMap(\.mocks).compactMap(\.picture?.address)).sorted()
        return addresses.map { address in
            let isWeb = ["https://", "http://"].contains { address.lowercased().hasPrefix($0) }
            return ["text": .string(address), "href": isWeb ? .string(address) : .null]
        }
    }
}
