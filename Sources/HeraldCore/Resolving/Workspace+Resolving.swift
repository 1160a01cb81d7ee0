package import FCM

/// The parts of a workspace that decide who is in what.
extension Workspace {
    var personalSends: [RowJudging.Send] {
        let groups = groupsByName
        return campaigns.compactMap { campaign in
            guard let messages = campaign.content.personal, let owner = campaign.valueOwner(groups) else { return nil }
            return .init(campaign.name.value, to: owner, messages)
        }
    }

    var sendsByZone: [ZoneSorting.Send] {
        let (groups, sources) = (groupsByName, valueSources)
        return campaigns.flatMap { campaign -> [ZoneSorting.Send] in
            guard let owner = campaign.valueOwner(groups) else { return [] }
            return campaign.zoneFields(groups, sources).map {
                .init(owner: owner, column: $0.column)
            }
        }
    }

    /// Topics that conditions negate, and that bring nobody a message.
    package var topicsThatOnlyExclude: Set<TopicName> {
        let targets = campaigns.map(\.target.value)
        return Set(targets.flatMap(\.excludedTopics)).subtracting(targets.flatMap(\.includedTopics))
    }

    /// The audiences that get messages before others.
    var seeds: [Located<String>] { campaigns.indices.compactMap { campaigns[$0].delivery.stages?.seeds } }

    /// The parts of the workspace that decide the members of what has a limited number of them: groups made from
    /// audiences, audiences of seeds, and the targets of live activities.
    var withSizesOnly: Workspace {
        var workspace = self
        let named = groups.compactMap { if case .audience(let name) = $0.members { name } else { nil } }
        workspace.groups = groups.filter { if case .audience = $0.members { true } else { false } }
        workspace.campaigns = campaigns.indices.filter { campaigns[$0].content.hasLiveActivity }.map { campaigns[$0] }
        let targets = workspace.campaigns.flatMap { audiences(decidingOf: $0) }
        let needed = (named + seeds).map(\.value) + targets
        let all = needed.isEmpty ? [] : needed + settings.suppress.map(\.value)
        workspace.audiences = audiences.inOrder(from: all).sorted { $0.name.value < $1.name.value }
        return workspace
    }

    /// The parts of the workspace that rows are checked for: what has a limited number of members, and personal campaigns
    /// with those whom they go to.
    var withChecksOnly: Workspace {
        let byName = groupsByName
        var workspace = withSizesOnly
        var needed = workspace.audiences.map(\.name.value)
        var inline: Set<GroupName> = []
        for place in campaigns.indices where campaigns[place].personal != nil {
            let campaign = campaigns[place]
            guard campaign.content.personal != nil, let owner = campaign.valueOwner(byName) else { continue }
            switch owner {
            case .audience(let name): needed.append(name)
            case .group(let name): inline.insert(name)
            case .campaign: break
            }
            needed += (campaign.otherAudiences + settings.suppress).map(\.value)
            if !campaign.content.hasLiveActivity { workspace.campaigns.append(campaign) }
        }
        workspace.groups += groups.filter { inline.contains($0.name.value) }
        workspace.audiences = audiences.inOrder(from: needed).sorted { $0.name.value < $1.name.value }
        return workspace
    }
}

extension Workspace {
    /// The audiences whose members are left out somewhere.
    var leavingOut: Set<String> {
        let ofCampaigns = campaigns.flatMap(\.without) + topics.flatMap(\.exclude)
        return Set((settings.suppress + audiences.flatMap(\.exclude) + ofCampaigns).map(\.value))
    }
}
