package import FCM

/// The sends of the next days, in local time and in UTC.
package struct CalendarDocument: Document {
    /// Sorted by time, then by campaign.
    package let occurrences: [Occurring]
    /// Campaigns with more occurrences than `limit`, of which only the first are listed.
    package let shortened: [String]
    private let through: Date

    /// - Parameters:
    ///   - after: An occurrence at exactly this instant is left out.
    ///   - limit: The most occurrences that are listed for each campaign.
    package init(of campaigns: [Campaign], after: Date, through: Date, limit: Int) {
        var occurrences: [Occurring] = []
        var shortened: [String] = []
        for campaign in campaigns where campaign.enabled {
            let coming = Occurring.coming(of: campaign, after: after, through: through, limit: limit)
            occurrences += coming
            if let last = coming.last, coming.count == limit,
                !campaign.schedule.occurrences(after: last.at, through: through, limit: 1).isEmpty
            {
                shortened.append(campaign.name.value)
            }
        }
        self.occurrences = occurrences.sorted { ($0.at, $0.campaign) < ($1.at, $1.campaign) }
        self.shortened = shortened
        self.through = through
    }

    package var json: JSONValue {
        [
            "schema": "herald.calendar/1",
            "occurrences": .array(
                occurrences.map {
                    [
                        "campaign": .string($0.campaign), "occurrence": .string($0.occurrence.rawValue),
                        "at": .string($0.at.rfc3339), "local": .string($0.local.description),
                        "timezone": .string($0.zone.name), "offset": .string($0.offset), "note": .string($0.note),
                    ]
                }),
        ]
    }

    package func text(_ style: TextStyle) -> String {
        guard !occurrences.isEmpty else { return "Nothing is due until \(through.rfc3339).\n" }
        let zones = occurrences.map { "\($0.offset) \($0.zone.name)" }
        let zoneWidth = zones.map(\.count).max() ?? 0
        let nameWidth = occurrences.map(\.campaign.count).max() ?? 0
        return zip(occurrences, zones).map { occurring, zone in
            let local = occurring.local.description.replacing("T", with: " ")
            let line =
                "\(local) \(zone.padded(to: zoneWidth))  \(style.faint(occurring.at.rfc3339))"
                + "  \(occurring.note.isEmpty ? occurring.campaign : occurring.campaign.padded(to: nameWidth))"
            return line + (occurring.note.isEmpty ? "" : "  \(style.yellow(occurring.note))") + "\n"
        }.joined()
    }
}
