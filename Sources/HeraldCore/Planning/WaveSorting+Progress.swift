extension WaveSorting {
    /// What a plan knows of the campaign.
    struct Progress {
        /// When the campaign was first seen in local time.
        var first: Date
        /// Up to this instant, who is in a wave is fixed.
        var mark: Date
        /// What the state has of that, which is never moved back.
        var recorded: Date
        /// Of a wave that no run has seen: for how long it is not too late.
        var patience: Duration?
        /// Whether its schedule had no time zone field at the last run.
        var isFieldNew: Bool
        /// The list by its zones, without those who cannot be sent anything, and without seeds.
        var clocks: [Zone: RecipientSet]
        /// They are in the first wave that has recipients.
        var seeds: RecipientSet
        /// Those of them whom the list has, by their zones. Where nobody else takes part, they go by their own clocks.
        var seedClocks: [Zone: RecipientSet]
        /// The campaign with the limits that it had when it was first seen.
        var seen: Campaign

        /// When a zone's clock reaches a local time, as far as people with that zone get it. `nil` if the clock had passed
        /// it for too long when the campaign was first seen. Later limits change nothing of that.
        func reaching(_ local: LocalTime, in zone: Zone) -> Schedule.Reaching? {
            seen.reaching(local, in: zone, first: first)
        }

        /// Goes on with the occurrence of a time that is due once. It keeps its first sight, and who was too late for its
        /// waves, whatever its campaign was meanwhile.
        mutating func takeUp(_ begun: RecordedOccurrence) {
            if let began = begun.begun { first = min(first, began) }
            if recorded > .distantPast { mark = recorded }
        }

        /// The list by its zones, with seeds who were none when the first wave was sent: they go by their own clocks.
        func clocks(with seeds: RecipientSet) -> [Zone: RecipientSet] {
            if seeds.isEmpty { return clocks }
            return clocks.merging(seedClocks.mapValues(seeds.intersection)) { $0.union($1) }
        }

        /// Those whom the list does not have, or who cannot be sent anything.
        func gone(from members: RecipientSet) -> RecipientSet {
            [clocks, seedClocks].flatMap(\.values).reduce(into: members) { $0.subtract($1) }
        }
    }
}

extension Campaign {
    /// When a zone's clock reaches a local time of its schedule. `nil` if by its limits the clock had passed it for too long
    /// when the campaign was first seen.
    fileprivate func reaching(_ local: LocalTime, in zone: Zone, first: Date) -> Schedule.Reaching? {
        let reaching = schedule.reaching(local, in: zone)
        guard case .at(_, let ifPassed)? = schedule.local?.times, isLate(reaching.instant, in: zone, at: first) else {
            return reaching
        }
        guard ifPassed == .nextDay else { return nil }
        let next = schedule.reaching(local.nextDay, in: zone)
        return isLate(next.instant, in: zone, at: first) ? nil : next
    }

    private func isLate(_ due: Date, in zone: Zone, at now: Date) -> Bool {
        limits(due: due, in: [zone]).lateness(at: now) != nil
    }
}
