internal import FCM

/// Plans that are made from a snapshot.
extension Planner {
    /// What would be done, as far as a snapshot shows.
    ///
    /// - Parameters:
    ///   - workspace: what guards are about. Without it, only a guard of a single campaign keeps others from being capped.
    ///   - approval: what the files decide, if only what was approved may be done.
    ///   - remarks: what else is to be said about the snapshot, such as its age.
    ///   - clock: the machine's own time. By default now.
    package static func forecast(
        from snapshot: StateSnapshot, of desired: Desired, _ settings: Settings, in workspace: Workspace? = nil,
        policy: GuardPolicy = .stop(Overrides()), workspaceDigest: String = "",
        approval: Approval? = nil, onlyCampaigns: Set<String> = [], judgedAudiences: Set<String>? = nil,
        days: Int = 7, upcoming: UpcomingLimit? = nil, listsSkipped: Bool = false, remarks: [String] = [],
        at now: Date, clock: Date? = nil
    ) -> Forecast {
        var input = Input(
            desired: desired, state: snapshot.likeness(nearestTo: desired), settings: settings,
            workspaceDigest: workspaceDigest, onlyCampaigns: onlyCampaigns, days: days, listsSkipped: listsSkipped,
            approval: approval)
        (input.judgedAudiences, input.policy, input.clock) = (judgedAudiences, policy, clock)
        if let workspace { input.workspace = workspace }
        if let upcoming { input.upcoming = upcoming }
        var planner = Planner(input, now, sizes: snapshot.sizes)
        planner.overview.snapshot = snapshot.time
        planner.overview.warnings = remarks + snapshot.strangeness(to: desired)
        planner.work(on: onlyCampaigns)
        planner.judgeBySizes(of: snapshot, selected: onlyCampaigns)
        if let approval { planner.holdUnapproved(approval) }
        return Forecast(Proposal(planner.plan, planner.overview))
    }

    /// What the coming days bring, without what the snapshot shows to be sent already.
    ///
    /// - Parameter limit: the most occurrences of each campaign.
    package static func calendar(
        of campaigns: [Campaign], from snapshot: StateSnapshot, days: Int, limit: Int, at now: Date
    ) -> Forecast {
        var desired = Desired()
        desired.sends = campaigns.map { DesiredSend(campaign: $0, members: []) }
        var input = Input(
            desired: desired, state: snapshot.likeness(nearestTo: desired), settings: Settings(project: ""),
            days: days, listsSkipped: true)
        input.upcoming = UpcomingLimit(ofEach: limit, ofAll: .max)
        var planner = Planner(input, now, sizes: snapshot.sizes)
        planner.work(on: [])
        return Forecast(Proposal(planner.plan, planner.overview))
    }

    /// Whether a snapshot leaves open who of those who are listed is sent it.
    func isEstimated(_ send: Plan.Send) -> Bool {
        guard sizes != nil else { return false }
        // A rename leaves the ids of recorded occurrences as they are.
        let isRecorded = (occurrences[send.campaign] ?? []).map(\.occurrence).contains {
            // What has tried nobody keeps who gets which text, and whoever was listed later gets none.
            $0.local == send.waves?.local && $0.finished == nil
                && ($0.local != nil || send.content.personal != nil && $0.isUnbegun)
        }
        return send.isResumed || send.staging != nil || isRecorded
    }

    mutating func leaveUnjudged(_ kind: Guard, _ name: String) {
        if let place = overview.unjudged.firstIndex(where: { $0.kind == kind }) {
            overview.unjudged[place].names.append(name)
        } else {
            overview.unjudged.append(
                UnjudgedGuard(kind: kind, names: [name], reason: "the snapshot has only sizes"))
        }
    }

    // MARK: Guards

    private mutating func judgeBySizes(of snapshot: StateSnapshot, selected campaigns: Set<String>) {
        if listsSkipped {
            for kind in [Guard.maxRecipients, .maxUnsubscribePercent, .audienceCollapse, .audienceGrowth] {
                overview.unjudged.append(UnjudgedGuard(kind: kind, reason: "the lists were not read"))
            }
        } else {
            judgeTopics(snapshot.sizes, selected: campaigns)
            judgeGroups(snapshot, selected: campaigns)
        }
        overview.unjudged += [
            UnjudgedGuard(kind: .stateWentBack, reason: "it needs the reports beside the state"),
            UnjudgedGuard(kind: .stateMoved, reason: "it needs the state's database"),
            UnjudgedGuard(kind: .olderFiles, reason: "the snapshot has no commits"),
        ]
    }

    private mutating func judgeTopics(_ sizes: StateSnapshot.Sizes, selected campaigns: Set<String>) {
        let targets = Set(targets(of: campaigns).flatMap(\.topics))
        for (name, size) in sizes.topics.sorted(by: { $0.key < $1.key }) {
            let current = successors[name] ?? name
            guard campaigns.isEmpty || targets.contains(current) else { continue }
            let own = size.managed + size.subscribing + (keepsAdopted(name) ? size.adopted : 0)
            guard prunes(current) else {
                // Only who is suppressed leaves, and nobody knows whether they are in it.
                if !suppressed(in: current).isEmpty {
                    leaveLeavesUnjudged(of: .topic(name), own + size.former)
                }
                continue
            }
            judgeLeaves(
                of: .topic(name), own, former: size.former,
                listed: topicMembers[current]?.members.count, sizes)
        }
    }

    private mutating func judgeGroups(_ snapshot: StateSnapshot, selected campaigns: Set<String>) {
        let targets = Set(targets(of: campaigns).flatMap(\.groups))
        for (name, group) in state.groups.sorted(by: { $0.key < $1.key })
        where campaigns.isEmpty || targets.contains(name) {
            let listed = groupMembers[name].flatMap { $0.members.isEmpty ? nil : $0.members.count }
            let recorded = group.recipients.union(of: GroupMembership.own).count
            if let listed, group.key == nil {
                // Nobody leaves a group before it is made, unless all who are listed are dead.
                if listed <= snapshot.sizes.tombstones { leaveLeavesUnjudged(of: .group(name), recorded) }
            } else {
                let former = snapshot.group(shownAs: name)?.former ?? 0
                judgeLeaves(
                    of: .group(name), recorded - former, former: former, listed: listed, snapshot.sizes)
            }
        }
    }

    /// Refuses where more must leave than the limit allows, whoever the members are.
    ///
    /// - Parameter listed: how many the files list; `nil` if all are to leave.
    private mutating func judgeLeaves(
        of subject: Plan.Subject, _ recorded: Int, former: Int, listed: Int?, _ sizes: StateSnapshot.Sizes
    ) {
        // A list may name a recipient by nothing but an earlier registration that is dead. Then it does not leave.
        let least = max(0, recorded - (sizes.tombstones - sizes.dead))
        let most = recorded + former
        let refused = plan.refusals.count
        if least >= 10 {
            judgeLeaves(
                of: subject, leaving: listed.map { max(0, least - $0) } ?? most, of: most, isDeleted: listed == nil)
        }
        if plan.refusals.count == refused { leaveLeavesUnjudged(of: subject, most) }
    }

    /// - Parameter most: the most members that it may have. The guard looks at no fewer than ten.
    private mutating func leaveLeavesUnjudged(of subject: Plan.Subject, _ most: Int) {
        guard most >= 10, settings.guards.maxUnsubscribePercent < 100 else { return }
        leaveUnjudged(.maxUnsubscribePercent, "\(subject)")
    }
}

extension StateSnapshot {
    /// What to say if the snapshot seems to be of another workspace.
    fileprivate func strangeness(to desired: Desired) -> [String] {
        let known = tested.union(watermarks.keys).union(occurrences.values.map(\.recorded.campaign))
        // A rename may have been taken back.
        let names = known.union(formerNames.values.joined())
        let isShared = desired.sends.contains { send in names.contains { send.campaign.continues($0) } }
        guard !known.isEmpty, !desired.sends.isEmpty, !isShared else { return [] }
        return [
            "the snapshot knows \(count(known.count, "campaign")), and none of those that the files declare: it may be of another workspace"
        ]
    }
}
