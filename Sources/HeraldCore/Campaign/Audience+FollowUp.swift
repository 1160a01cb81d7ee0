extension Audience {
    /// Narrows an audience to those of whom something came in an occurrence of a campaign. Only the state knows who they
    /// are.
    package struct FollowUp: Hashable, Sendable {
        /// What came of somebody, as the state keeps it.
        package enum Outcome: String, Hashable, Sendable, CaseIterable {
            case accepted
            /// For good, and not because the registration was dead.
            case rejected
            /// Nobody knows whether they got the message.
            case unknown
            case capped, superseded, missed
            case outsideWindow = "outside_window"
            case heldOut = "held_out"
            /// For whatever reason nothing was sent: one of those above, or the occurrence ended before they were tried.
            case skipped
            /// They were not part of the occurrence.
            case never
        }

        package var campaign: Located<String>
        /// Any of them.
        package var outcomes: Set<Outcome>
        /// The id of the occurrence. `nil`: the last one that is finished.
        package var occurrence: Located<String>?

        package init(
            _ campaign: Located<String>, _ outcomes: Set<Outcome>, of occurrence: Located<String>? = nil
        ) {
            (self.campaign, self.outcomes, self.occurrence) = (campaign, outcomes, occurrence)
        }
    }
}

extension Workspace {
    /// The audiences among these, and among those that they are made of, that go by outcomes.
    package func followUps(in names: some Sequence<String>) -> [Audience] {
        // Most workspaces have none, and a workspace may have very many audiences.
        audiences.contains { $0.followUp != nil }
            ? audiences.inOrder(from: names).filter { $0.followUp != nil } : []
    }

    /// Whether who is in an audience depends on what came of a campaign.
    package var goesByOutcomes: Bool { audiences.contains { $0.followUp != nil } }

    /// The audiences that decide who gets a campaign, whatever its target is.
    package func audiences(decidingOf campaign: Campaign) -> [String] {
        var names = (settings.suppress + campaign.otherAudiences).map(\.value)
        let (topics, groups) = (campaign.target.value.topics, campaign.target.value.groups)
        if case .audience(let name) = campaign.target.value { names.append(name) }
        for topic in self.topics where topics.contains(topic.name.value) {
            names += (topic.subscribers + topic.exclude).map(\.value)
        }
        for group in self.groups where groups.contains(group.name.value) {
            if case .audience(let name) = group.members { names.append(name.value) }
        }
        return names
    }

    /// The same for several campaigns, with the audiences that those are made of. `nil` for no campaign: everything is
    /// meant.
    package func audiences(decidingOf names: Set<String>) -> Set<String>? {
        guard !names.isEmpty else { return nil }
        let deciding = campaigns.filter { names.contains($0.name.value) }.flatMap { audiences(decidingOf: $0) }
        return Set(audiences.inOrder(from: deciding).map(\.name.value))
    }

    /// The audiences whose sizes a plan for these campaigns judges and records. `nil` for all.
    package func audiencesJudged(for campaigns: Set<String>) -> Set<String>? {
        let deciding = audiences(decidingOf: campaigns)
        if unfetched.isEmpty { return deciding }
        let unknown = dependents(of: unfetched)
        // Who is suppressed is left out of every other audience.
        if settings.suppress.contains(where: { unknown.contains($0.value) }) { return [] }
        return (deciding ?? Set(audiences.map(\.name.value))).subtracting(unknown)
    }
}
