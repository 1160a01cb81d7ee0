internal import FCM

/// Works out the steps that turn the recorded state into the desired one, and which sends are due. It does no I/O and
/// keeps nothing between plans.
package struct Planner {
    let desired: Desired
    /// The state, with renamed campaigns under their new names.
    var state: RecordedState
    let settings: Settings
    let now: Date
    /// Cron occurrences up to this time are shown as upcoming.
    let horizon: Date
    /// Whether the lists were not read, so that no members are known.
    let listsSkipped: Bool
    let topicMembers: [TopicName: DesiredTopic]
    let groupMembers: [GroupName: RecipientSet]
    /// All living recipients that herald knows. Only conditions need it, so it stays empty without them.
    private var everybody: RecipientSet = []
    /// The recorded occurrences of each campaign, sorted by id.
    var occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]] = [:]
    var memberships: [Plan.Step] = []
    var sends: [Plan.Step] = []
    var plan: Plan
    var overview = PlanOverview()

    package struct Input: Sendable {
        package var desired: Desired
        package var state: RecordedState
        /// Whether the state exists. If not, an empty one stands in for it.
        package var hasState: Bool
        package var settings: Settings
        package var workspaceDigest: String
        /// Plan only these campaigns and the topics and groups they target. Empty means everything.
        package var onlyCampaigns: Set<String>
        /// How many days ahead to look for upcoming sends.
        package var days: Int
        /// Whether the lists were not read, so that no members are known.
        package var listsSkipped: Bool

        package init(
            desired: Desired, state: RecordedState, hasState: Bool = true, settings: Settings,
            workspaceDigest: String = "",
            onlyCampaigns: Set<String> = [], days: Int = 7, listsSkipped: Bool = false
        ) {
            self.desired = desired
            self.state = state
            self.hasState = hasState
            self.settings = settings
            self.workspaceDigest = workspaceDigest
            self.onlyCampaigns = onlyCampaigns
            self.days = days
            self.listsSkipped = listsSkipped
        }
    }

    /// What is to be done.
    package static func plan(_ input: Input, at now: Date) -> Plan { proposal(input, at: now).plan }

    /// What is to be done, and what people see of it.
    package static func proposal(_ input: Input, at now: Date) -> Proposal {
        var planner = Planner(input, now)
        planner.carryNames()
        if !planner.listsSkipped {
            planner.planTopics(selected: input.onlyCampaigns)
            planner.planGroups(selected: input.onlyCampaigns)
        }
        planner.planSends(selected: input.onlyCampaigns)
        if !planner.listsSkipped { planner.checkAudiences() }
        planner.arrange()
        planner.time()
        planner.advise()
        return Proposal(planner.plan, planner.overview)
    }

    private init(_ input: Input, _ now: Date) {
        desired = input.desired
        state = input.state
        settings = input.settings
        listsSkipped = input.listsSkipped
        self.now = now
        horizon = now.addingTimeInterval(Double(input.days) * 86_400)
        topicMembers = Dictionary(desired.topics.map { ($0.name, $0) }) { first, _ in first }
        groupMembers = Dictionary(desired.groups.map { ($0.name, $0.members) }) { first, _ in first }
        let mark = Plan.StateMark(
            lineage: state.identity.lineage, serial: state.serial, firstNew: state.nextRecipient)
        plan = Plan(at: now, workspaceDigest: input.workspaceDigest, state: input.hasState ? mark : nil)
        overview.listsSkipped = listsSkipped
        overview.collapsed = desired.collapsed
        overview.deadListed = desired.listed.intersection(state.dead).count
        let hasConditions = desired.sends.contains {
            if case .condition = $0.campaign.target.value { true } else { false }
        }
        if hasConditions {
            let recorded = RecipientSet(KnownRecipient.firstID..<state.nextRecipient)
            everybody = recorded.union(desired.listed).subtracting(state.dead)
        }
    }

    /// Gives campaigns that were renamed their history.
    private mutating func carryNames() {
        let declared = Set(desired.sends.map(\.campaign.name.value))
        let recorded = Set(state.occurrences.values.map(\.campaign)).union(state.watermarks.keys)
            .union(state.pauses.campaigns)
        for send in desired.sends.sorted(by: { $0.campaign.name.value < $1.campaign.name.value }) {
            for old in send.campaign.previousNames.map(\.value)
            where recorded.contains(old) && !declared.contains(old) {
                plan.renames.append(.init(old: old, new: send.campaign.name.value))
            }
        }
        state.apply(plan.renames.map { .rename(campaign: $0.old, to: $0.new) })
        state.serial = plan.state?.serial ?? state.serial
        occurrences = Dictionary(
            grouping: state.occurrences.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }, by: \.1.campaign)
    }

    /// The order: sends that wait for nothing, memberships that sends wait for, those sends, all other memberships.
    private mutating func arrange() {
        let subjects = Set(memberships.compactMap(\.work.subject))
        let needs = { (step: Plan.Step) in step.work.needs.intersection(subjects) }
        var wanted = sends.reduce(into: Set<Plan.Subject>()) { $0.formUnion(needs($1)) }
        // Members leave a topic's earlier name only after all of them are in the topic, so its joins must come as
        // early.
        for topic in desired.topics where topic.previousNames.contains(where: { wanted.contains(.topic($0)) }) {
            wanted.insert(.topic(topic.name))
        }
        plan.steps = sends.filter { needs($0).isEmpty }
        plan.steps += memberships.filter { $0.work.subject.map(wanted.contains) ?? false }
        plan.steps += sends.filter { !needs($0).isEmpty }
        plan.steps += memberships.filter { !($0.work.subject.map(wanted.contains) ?? false) }
    }

    // MARK: Figures

    /// The recipients that a send reaches, as far as herald can tell. For a topic: its subscribers after its own steps,
    /// whether herald subscribed them or not.
    func recipients(of target: Campaign.Target, _ members: RecipientSet) -> Int {
        switch target {
        case .audience, .registrations: members.count
        case .topic(let name): subscribers(of: name).count
        case .condition(let condition): matching(condition.expression).count
        case .group(let name): liveMembers(of: name).count
        }
    }

    func liveMembers(of group: GroupName) -> RecipientSet {
        (groupMembers[group] ?? []).subtracting(state.dead)
    }

    /// The subscribers in the state after the topic's own steps, whether herald subscribed them or not.
    func subscribers(of name: TopicName) -> RecipientSet {
        let wanted = topicMembers[name]
        let recorded = state.topics[name] ?? RecordedTopic()
        let members = (wanted?.members ?? []).subtracting(state.dead).union(recorded.preexisting)
        return wanted?.prune ?? true ? members : members.union(recorded.managed).union(recorded.subscribing)
    }

    /// The recipients known to herald whose topics match a condition.
    private func matching(_ expression: Condition.Expression) -> RecipientSet {
        switch expression {
        case .topic(let name): subscribers(of: name)
        case .not(let inner): everybody.subtracting(matching(inner))
        case .and(let one, let other): matching(one).intersection(matching(other))
        case .or(let one, let other): matching(one).union(matching(other))
        }
    }

    func step(_ work: Plan.Work, reason: String) -> Plan.Step { .init(work: work, reason: reason) }
}

extension Plan {
    /// What memberships belong to, and what sends wait for.
    enum Subject: Hashable, Sendable {
        case topic(TopicName)
        case group(GroupName)
    }
}

extension Plan.Work {
    /// The topic or group whose memberships it changes, if any.
    var subject: Plan.Subject? {
        switch self {
        case .subscribe(let name, _), .unsubscribe(let name, _): .topic(name)
        case .group(let change): .group(change.group)
        case .send: nil
        }
    }

    /// The topics and groups whose changes must be done before it begins.
    var needs: Set<Plan.Subject> {
        guard case .send(let send) = self else { return [] }
        return Set(send.target.topics.map { .topic($0) } + send.target.groups.map { .group($0) })
    }
}

extension Campaign {
    /// SHA-256 of target and message: what recipients would notice.
    package var contentDigest: String {
        // The registrations are left out, because a list may change while it is being sent to.
        let target: JSONValue =
            if case .registrations = target.value { ["registrations": true] } else { target.value.json }
        return JSONValue.object(["target": target, "message": content.json]).digest
    }
}
