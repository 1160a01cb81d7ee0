internal import FCM

/// What has a limited number of members: groups, seeds, and the targets of live activities.
struct SizeCheck {
    private let workspace: Workspace

    init(_ workspace: Workspace) { self.workspace = workspace }

    /// Errors for what has more members than it may have. Nobody is no mistake of the files: everybody in a list may opt
    /// out, and the plan says so.
    func problems(_ recipients: ListedRecipients) throws(RecipientIndexError) -> [Diagnostic] {
        let sizes = try Resolver.sizes(in: workspace, recipients)
        let groups = workspace.groups.compactMap { group -> Diagnostic? in
            guard case .audience(let name) = group.members, let size = sizes.groups[group.name.value], size > 0,
                let problem = Group.problem(withMembers: size)
            else { return nil }
            return .error(.groupMembers, problem, at: name.range, help: Group.sizeHelp)
        }
        let seeds = workspace.seeds.compactMap { seeds -> Diagnostic? in
            guard let size = sizes.seeds[seeds.value], size > Stages.mostSeeds else { return nil }
            return .error(
                .stageSeeds,
                "audience '\(seeds.value)' has \(size.grouped) recipients, and seeds are at most \(Stages.mostSeeds.grouped)",
                at: seeds.range, help: "name the audience of the few who look at it first")
        }
        let activities = workspace.campaigns.compactMap { campaign -> Diagnostic? in
            guard let size = sizes.activities[campaign.name.value], size > 1 else { return nil }
            return .error(
                .liveActivity,
                "a live activity's token is one device's, and the message goes to \(count(size, "recipient"))",
                at: campaign.target.range, help: CampaignRules.activityHelp)
        }
        return groups + seeds + activities
    }
}
