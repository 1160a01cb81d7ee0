import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Edits of a campaign in local time that are taken back after some runs.
extension Life {
    private enum Detour: String, CaseIterable {
        case deletion = "is deleted for a while"
        case disabling = "is disabled for a while"
        case sameTimeForAll = "has the same time for all for a while"
        case revision = "has another revision for a while"
        case otherTime = "has another time for a while"

        /// Whether only what is due once has it.
        var isOfOnce: Bool { self == .revision || self == .otherTime }
    }

    /// The author edits a campaign, clocks come to it, and the author takes the edit back.
    func takeDetour(_ random: inout SeededRandom) async throws {
        let places = files.campaigns.indices.filter {
            files.campaigns[$0].isInLocalTime && files.campaigns[$0].isEnabled
        }
        guard let place = places.randomElement(using: &random) else { return }
        let campaign = files.campaigns[place]
        let isFollowed = files.campaigns.contains { $0.follows?.line == campaign.line }
        let detours = Detour.allCases.filter {
            (!campaign.isDaily || !$0.isOfOnce) && !(isFollowed && $0 == .deletion)
        }
        guard let detour = detours.randomElement(using: &random) else { return }
        // Often some have it already.
        if Int.random(in: 0..<3, using: &random) > 0 {
            wait(for: campaign)
            try await call(.run)
        }
        leave(campaign, detour, &random)
        try await runOn(with: campaign, &random)
        takeBack(campaign)
        if Int.random(in: 0..<4, using: &random) == 0, let place = position(of: campaign) {
            renameCampaign(at: place, &random)
        }
        if Int.random(in: 0..<4, using: &random) > 0 { try await call(.run) }
    }

    /// Some runs, some of them when clocks come to the campaign.
    func runOn(with campaign: LifeFiles.Campaign, _ random: inout SeededRandom) async throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            if Bool.random(using: &random) {
                wait(for: campaign)
            } else {
                pass(.seconds(.random(in: 300...14_400, using: &random)), "time passes")
            }
            try await call(.run)
        }
    }

    private func leave(_ campaign: LifeFiles.Campaign, _ detour: Detour, _ random: inout SeededRandom) {
        guard let place = position(of: campaign) else { return }
        refused = []
        switch detour {
        case .deletion:
            deletedCampaigns.append(files.campaigns.remove(at: place))
            freshlyDeleted.insert(campaign.name)
        case .disabling: files.campaigns[place].isEnabled = false
        case .sameTimeForAll:
            files.campaigns[place].isLocal = false
            noteClock(of: files.campaigns[place], insteadOf: campaign)
        case .revision:
            files.campaigns[place].revision += 1
            // What is sent under a higher revision ends one that never began.
            files.campaigns[place].isEnabled = Bool.random(using: &random) && hasBegun(campaign)
        case .otherTime:
            let hours: Double = [-3, -1, 1, 4].randomElement(using: &random) ?? 1
            files.campaigns[place].due = .at((campaign.at ?? now) + hours * 3600)
        }
        tell("\(campaign.name) \(detour.rawValue)")
    }

    private func hasBegun(_ campaign: LifeFiles.Campaign) -> Bool {
        let names = lines[campaign.line]?.names ?? []
        return known.state.occurrences.values.contains {
            names.contains($0.campaign) && $0.revision == campaign.revision && $0.hasBegun
        }
    }

    private func takeBack(_ campaign: LifeFiles.Campaign) {
        refused = []
        if let place = deletedCampaigns.firstIndex(where: { $0.line == campaign.line }) {
            files.campaigns.append(deletedCampaigns.remove(at: place))
        }
        guard let place = position(of: campaign) else { return }
        let edited = files.campaigns[place]
        files.campaigns[place] = campaign
        noteClock(of: campaign, insteadOf: edited)
        lines[campaign.line]?.edited = now
        tell("\(campaign.name) is as it was before")
    }

    private func position(of campaign: LifeFiles.Campaign) -> Int? {
        files.campaigns.firstIndex { $0.line == campaign.line }
    }
}
