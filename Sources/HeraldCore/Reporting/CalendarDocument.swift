package import FCM

/// The sends of the next days, in local time and in UTC.
package struct CalendarDocument: Document {
    /// Sorted by time, then by campaign.
    package let occurrences: [Occurring]
    /// Campaigns with more occurrences than `limit`, of which only the first are listed.
    package let shortened: [String]
    private let through: Date
    /// When the snapshot was taken that it was made from. `nil` if it was made from the files alone.
    private let snapshot: Date?

    /// - Parameters:
    ///   - after: An occurrence at exactly this instant is left out.
    ///   - limit: The most occurrences that are listed for each campaign.
    package init(of campaigns: [Campaign], after: Date, through: Date, limit: Int) {
        var occurrences: [Occurring] = []
        var shortened: [String] = []
        for campaign in campaigns where campaign.enabled {
            let coming = Occurring.coming(of: campaign, after: after, through: through, limit: limit + 1)
            occurrences += coming.prefix(limit)
            if coming.count > limit { shortened.append(campaign.name.value) }
        }
        self.init(occurrences, shortened: shortened, through: through, snapshot: nil)
    }

    /// Leaves out what the snapshot shows to be sent already, and says what is paused. What waits is shown when it goes
    /// on.
    package init(of campaigns: [Campaign], from snapshot: StateSnapshot, after: Date, through: Date, limit: Int) {
        let days = Int((through.timeIntervalSince(after) / 86_400).rounded(.up))
        let forecast = Planner.calendar(of: campaigns, from: snapshot, days: days, limit: limit + 1, at: after)
        var counts: [String: Int] = [:]
        var occurrences: [Occurring] = []
        let coming = snapshot.underWay(of: campaigns, at: after) + forecast.upcoming
        let listed = Set(coming.map(\.occurrence))
        let waiting = forecast.proposal.plan.opening.map(\.occurring).filter { !listed.contains($0.occurrence) }
        for var occurring in waiting + coming where occurring.at <= through {
            counts[occurring.campaign, default: 0] += 1
            guard counts[occurring.campaign, default: 0] <= limit else { continue }
            if forecast.proposal.overview.pauses.include(occurring.campaign) {
                occurring.note += occurring.note.isEmpty ? "paused" : "; paused"
            }
            occurrences.append(occurring)
        }
        let shortened = counts.filter { $0.value > limit }.keys.sorted()
        self.init(occurrences, shortened: shortened, through: through, snapshot: snapshot.time)
    }

    private init(_ occurrences: [Occurring], shortened: [String], through: Date, snapshot: Date?) {
        self.occurrences = occurrences.sorted { ($0.at, $0.campaign) < ($1.at, $1.campaign) }
        (self.shortened, self.through, self.snapshot) = (shortened, through, snapshot)
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "schema": "herald.calendar/1",
            "occurrences": .array(
                occurrences.map(\.json)),
        ]
        if let snapshot { members["snapshot"] = ["time": .string(snapshot.rfc3339)] }
        return .object(members)
    }

    package func text(_ style: TextStyle) -> String {
        let source = snapshot.map { "Made from the snapshot of \($0.rfc3339).\n" } ?? ""
        guard !occurrences.isEmpty else { return "Nothing is due until \(through.rfc3339).\n" + source }
        let zones = occurrences.map { $0.last == nil ? "\($0.offset) \($0.zone.name)" : "on each clock" }
        let zoneWidth = zones.map(\.count).max() ?? 0
        let nameWidth = occurrences.map(\.campaign.count).max() ?? 0
        return zip(occurrences, zones).map { occurring, zone in
            let local = occurring.local.description.replacing("T", with: " ")
            let line =
                "\(local) \(zone.padded(to: zoneWidth))  \(style.faint(occurring.at.rfc3339))"
                + "  \(occurring.note.isEmpty ? occurring.campaign : occurring.campaign.padded(to: nameWidth))"
            return line + (occurring.note.isEmpty ? "" : "  \(style.yellow(occurring.note))") + "\n"
        }.joined() + (source.isEmpty ? "" : "\n\(source)")
    }
}

extension StateSnapshot {
    /// Occurrences in local time that have begun, and that some clocks have not reached. A plan without lists does not
    /// know whether anybody is ahead.
    fileprivate func underWay(of campaigns: [Campaign], at now: Date) -> [Occurring] {
        let open = occurrences.mapValues(\.recorded).filter { _, recorded in
            recorded.finished == nil && recorded.hasBegun && recorded.halt == nil
        }
        return campaigns.filter { $0.enabled && $0.schedule.local != nil }.flatMap { campaign in
            open.filter { campaign.continues($0.value.campaign) }.compactMap { id, recorded -> Occurring? in
                guard let local = recorded.local, campaign.schedule.lastInstant(of: local) > now else { return nil }
                var occurring = Occurring(of: campaign, at: local)
                occurring.occurrence = id
                return occurring
            }
        }
    }
}

extension Occurring {
    /// In local time without an offset, but with the instant at which the last clock reaches it.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "campaign": .string(campaign), "occurrence": .string(occurrence.rawValue), "at": .string(at.rfc3339),
            "local": .string(local.description), "timezone": .string(zone.name), "note": .string(note),
        ]
        if let last { members["last"] = .string(last.rfc3339) } else { members["offset"] = .string(offset) }
        return .object(members)
    }
}
