/// Campaigns that were renamed: whose history the state has under which name.
extension RecordedState {
    /// The histories that go to the names that campaigns have now. A history moves once: what was sent later under the old
    /// name is another campaign's. It comes back if a rename is taken back, as by `git revert`.
    package func renames(to campaigns: [Campaign]) -> [(old: String, new: String)] {
        let declared = Set(campaigns.map(\.name.value))
        let claimed = CampaignNames.claimed(by: campaigns)
        return campaigns.sorted { $0.name.value < $1.name.value }.flatMap { campaign in
            let name = campaign.name.value
            let olds = campaign.previousNames.map(\.value)
                .filter { !declared.contains($0) && moves(from: $0, to: campaign) }
            let later = laterNames(of: name, besides: claimed).filter { comesBack(from: $0, to: campaign) }
            return (olds + later).map { (old: $0, new: name) }
        }
    }

    /// What a campaign of that name was called later, as far as no file has that name. Who declares the old name may have
    /// taken the rename back.
    func laterNames(of name: String, besides claimed: Set<String>) -> [String] {
        formerNames.filter { $0.value.contains(name) && !claimed.contains($0.key) }.map(\.key).sorted()
    }

    /// Whether the history under a later name is that of a campaign whose name has none of its own. Where another message
    /// was sent, a guard asks.
    private func comesBack(from later: String, to campaign: Campaign) -> Bool {
        if hasHistory(of: campaign.name.value) { return false }
        let tried = occurrences.values.filter { $0.campaign == later && $0.hasTried }
        return tried.isEmpty || tried.contains { $0.contentDigest == campaign.contentDigest }
    }

    /// What an open occurrence must not go on beside (`RecordedOccurrence.laterTwin`).
    package func laterTwin(of id: OccurrenceID) -> OccurrenceID? {
        occurrences[id]?.laterTwin(of: id, among: occurrences.lazy.map { (id: $0.key, occurrence: $0.value) })
    }

    private func moves(from old: String, to campaign: Campaign) -> Bool {
        let name = campaign.name.value
        guard hasRecords(of: old) || pauses.campaigns.contains(old) else { return false }
        let hasMoved = formerNames[name]?.contains(old) ?? false
        return !hasMoved || wasRenamedSince(old, name) || came(to: old, from: campaign)
            || wasSent(campaign, under: old)
    }

    /// Whether a campaign of that name did something, besides being paused.
    func hasRecords(of campaign: String) -> Bool {
        hasHistory(of: campaign) || tests.contains { $0.campaign == campaign }
    }

    /// Whether a campaign of that name did something, besides being paused or tried out.
    private func hasHistory(of campaign: String) -> Bool {
        watermarks[campaign] != nil || occurrences.values.contains { $0.campaign == campaign }
    }

    /// Whether the last run saw a cron campaign under the old name and none under the new one. Then the campaign was
    /// renamed since, even if another one was renamed like this long ago.
    private func wasRenamedSince(_ old: String, _ name: String) -> Bool {
        watermarks[old]?.next != nil && watermarks[name]?.next == nil
    }

    /// Whether the history under the old name came there from earlier names of this campaign. Then it is this campaign's,
    /// even if another one of the same name was renamed like this before.
    private func came(to old: String, from campaign: Campaign) -> Bool {
        guard let earlier = formerNames[old], !earlier.isEmpty else { return false }
        return earlier.isSubset(of: campaign.previousNames.map(\.value) + [campaign.name.value])
    }

    /// Whether the campaign's message was sent under the old name, and not under its own. Then the old name was this
    /// campaign's, even if another one was renamed like this before.
    private func wasSent(_ campaign: Campaign, under old: String) -> Bool {
        let digest = campaign.contentDigest
        let names = Set(occurrences.values.filter { $0.contentDigest == digest && $0.hasTried }.map(\.campaign))
        return names.contains(old) && !names.contains(campaign.name.value)
    }
}

extension RecordedOccurrence {
    /// The occurrence of the same campaign, revision, time and message that began after an open one: a rename brought both
    /// together, and each has people of its own who got it. `nil` if there is none, or if a person has some of the first
    /// tried again after its end.
    ///
    /// - Parameter others: those of its campaign, or more.
    func laterTwin(
        of id: OccurrenceID, among others: some Sequence<(id: OccurrenceID, occurrence: RecordedOccurrence)>
    ) -> OccurrenceID? {
        guard finished == nil, !isReopened else { return nil }
        var twin: OccurrenceID?
        for (other, occurrence) in others where other != id && occurrence.hasPlaceAndMessage(of: self) {
            let isLater = (occurrence.begun ?? .distantPast, other) > (begun ?? .distantPast, id)
            if isLater, !occurrence.triedNobody { twin = min(other, twin ?? other) }
        }
        return twin
    }

    private func hasPlaceAndMessage(of other: RecordedOccurrence) -> Bool {
        campaign == other.campaign && revision == other.revision && due == other.due && local == other.local
            && contentDigest == other.contentDigest
    }
}
