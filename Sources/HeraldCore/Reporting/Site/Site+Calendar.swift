internal import FCM

/// What goes out: the first page, and one for each month.
extension Site {
    func start(_ calendar: SiteCalendar, _ frame: SiteFrame) -> String {
        let days = today.dayNumber...today.dayNumber + 6
        let entries = calendar.entries(goingOutOn: days, in: self, from: frame.path)
        let sends = entries.count { $0.outcome == nil }
        let headline = sends == 0 ? "Nothing goes out in the next 7 days" : "\(count(sends, "send")) in the next 7 days"
        return Page.start.rendered(
            [
                "title": .string("\(status.workspace): what goes out"), "workspace": .string(status.workspace),
                "headline": .string(headline), "health": .string("\(status.headline)."),
                "tone": status.isCalm ? "good" : "bad",
                "facts": .facts([("as of", today.spoken), ("clock", zone.name), ("known from", status.source)]),
                "weeks": .array(WeekGrid(entries, today: today).values),
                "months": .array(calendar.months.map { month($0, frame) }),
                "campaigns": campaigns.isEmpty
                    ? .null
                    : [
                        "label": "Find a campaign by its name, its texts or whom it is for:",
                        "entries": .array(campaigns.map { row($0, calendar, frame) }),
                    ],
            ], in: frame)
    }

    private func month(_ month: SiteCalendar.Month, _ frame: SiteFrame) -> JSONValue {
        [
            "name": .string(month.name), "href": .string(SiteFrame.root(of: frame.path) + month.path),
            "isCurrent": .bool(month.path == frame.path),
        ]
    }

    private func row(_ campaign: Campaign, _ calendar: SiteCalendar, _ frame: SiteFrame) -> JSONValue {
        let name = campaign.name.value
        let isDue = calendar.due.contains { $0.campaign == name }
        let looks = campaign.looks(texts[name])
        let next = isDue ? "now, with the next run" : calendar.coming[name]?.first.map(\.occurring.words)
        return [
            "name": .string(name), "href": .string(address(of: campaign)),
            "notes": .array(notes(on: campaign).map { .string($0) }),
            "next": .string(next ?? "nothing is planned"), "target": .string(campaign.target.value.words),
            "texts": .array(looks.compactMap(\.line).map { .string($0) }),
            "silent": .bool(looks.allSatisfy(\.mocks.isEmpty)),
        ]
    }

    func monthPage(_ month: SiteCalendar.Month, _ calendar: SiteCalendar, _ frame: SiteFrame) -> String {
        let days = WeekGrid.days(ofMonth: month.month, in: month.year)
        let entries = calendar.entries(on: days, in: self, from: frame.path)
        let last = SiteCalendar.Month(today).next
        var remarks: [String] = []
        if month > last {
            remarks.append("Not complete: after \(last.name), only the next send of each campaign is shown.")
        }
        if overview.upcomingOmitted > 0 {
            remarks.append("\(count(overview.upcomingOmitted, "later send")) are not shown: some campaigns have many.")
        }
        return Page.month.rendered(
            [
                "title": .string("\(status.workspace): \(month.name)"), "workspace": .string(status.workspace),
                "headline": .string("\(month.name), \(zone.name)"),
                "months": .array(calendar.months.map { self.month($0, frame) }),
                "remarks": .array(remarks.map { .string($0) }),
                "weeks": .array(WeekGrid(entries, today: today).values),
            ], in: frame)
    }
}

extension Occurring {
    /// `Tue 2026-12-01 09:00 Europe/Rome`
    var words: String { "\(local.spoken) \(last == nil ? zone.name : "on each clock")" }
}

extension TextLook {
    /// The most characters of a line.
    private static let longest = 120

    /// What it says, in one line: `it: Alta marea. Alle 18:42 a Ostia`. `nil` if it shows nothing.
    var line: String? {
        let places: [JSONValue?] = [
            message["notification"], message["apns"]?["payload"]?["aps"]?["alert"], message["android"]?["notification"],
            message["webpush"]?["notification"],
        ]
        guard let place = places.compactMap({ $0 }).first(where: { $0["title"] != nil || $0["body"] != nil }) else {
            return nil
        }
        let words = [place["title"]?.string, place["body"]?.string].compactMap(\.self).joined(separator: ". ")
        let cut = words.count > Self.longest ? "\(words.prefix(Self.longest))…" : words
        return (shown.map { "\($0.short): " } ?? "") + cut
    }
}
