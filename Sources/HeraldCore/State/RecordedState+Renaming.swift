/// Campaigns that were renamed: whose history the state has under which name.
extension RecordedState {
    /// The histories that go to the names that campaigns have now. A history moves once: what was sent later under the old
    /// name is another campaign's.
    package func renames(to campaigns: [Campaign]) -> [(old: String, new: String)] {
        let declared = Set(campaigns.map(\.name.value))
        return campaigns.sorted { $0.name.value < $1.name.value }.flatMap { campaign in
            campaign.previousNames.map(\.value).filter { !declared.contains($0) && moves(from: $0, to: campaign) }
                .map { (old: $0, new: campaign.name.value) }
        }
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
        watermarks[campaign] != nil || occurrences.values.contains { $0.campaign == campaign }
            || tests.contains { $0.campaign == campaign }
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
