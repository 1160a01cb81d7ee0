internal import FCM

/// Works out what turns the recorded state into the desired one, and which sends are due. A pure function: it asks
/// nobody and keeps nothing.
package struct Planner {
    let desired: Desired
    /// With the names that campaigns have now.
    var state: RecordedState
    let settings: Settings
    let now: Date
    /// Cron occurrences up to here are shown as coming.
    let horizon: Date
    let topicMembers: [TopicName: DesiredTopic]
    let groupMembers: [GroupName: RecipientSet]
    /// All that herald knows and that are alive; of no use without conditions, and empty then.
    private var everybody: RecipientSet = []
    /// What the state has of each campaign, by id.
    var occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]] = [:]
    var memberships: [Plan.Step] = []
    var sends: [Plan.Step] = []
    var plan: Plan

    package struct Input: Sendable {
        package var desired: Desired
        package var state: RecordedState
        /// Whether the state exists, or stands for a missing one.
        package var hasState: Bool
        package var settings: Settings
        package var workspaceDigest: String
        /// Only these campaigns and the topics and groups they target; empty for everything.
        package var onlyCampaigns: Set<String>
        /// How far ahead to look for sends to come.
        package var days: Int
        /// Lists were not read: nobody's members are known.
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

    package static func plan(_ input: Input, at now: Date) -> Plan {
        var planner = Planner(input, now)
        planner.carryNames()
        if !input.listsSkipped {
            planner.planTopics(selected: input.onlyCampaigns)
            planner.planGroups(selected: input.onlyCampaigns)
        }
        planner.planSends(selected: input.onlyCampaigns)
        if !input.listsSkipped { planner.checkAudiences() }
        planner.arrange()
        return planner.plan
    }

    private init(_ input: Input, _ now: Date) {
        desired = input.desired
        state = input.state
        settings = input.settings
        self.now = now
        horizon = now.addingTimeInterval(Double(input.days) * 86_400)
        topicMembers = Dictionary(desired.topics.map { ($0.name, $0) }) { first, _ in first }
        groupMembers = Dictionary(desired.groups.map { ($0.name, $0.members) }) { first, _ in first }
        let mark = Plan.StateMark(lineage: state.identity.lineage, serial: state.serial)
        plan = Plan(at: now, workspaceDigest: input.workspaceDigest, state: input.hasState ? mark : nil)
        plan.listsSkipped = input.listsSkipped
        plan.collapsed = desired.collapsed
        plan.deadListed = desired.listed.intersection(state.dead).count
        let hasConditions = desired.sends.contains {
            if case .condition = $0.campaign.target.value { true } else { false }
        }
        if hasConditions {
            let recorded = RecipientSet(KnownRecipient.firstID..<state.nextRecipient)
            everybody = recorded.union(desired.listed).subtracting(state.dead)
        }
    }

    /// Campaigns that were renamed keep their history.
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

    /// Sends that wait for nothing come first, then what others wait for, then those, and the rest last.
    private mutating func arrange() {
        let subjects = Set(memberships.compactMap(\.work.subject))
        let needs = { (step: Plan.Step) in step.work.needs.intersection(subjects) }
        var wanted = sends.reduce(into: Set<Plan.Subject>()) { $0.formUnion(needs($1)) }
        // Nobody leaves a topic's earlier name before everybody is in the topic.
        for topic in desired.topics where topic.previousNames.contains(where: { wanted.contains(.topic($0)) }) {
            wanted.insert(.topic(topic.name))
        }
        plan.steps = sends.filter { needs($0).isEmpty }
        plan.steps += memberships.filter { $0.work.subject.map(wanted.contains) ?? false }
        plan.steps += sends.filter { !needs($0).isEmpty }
        plan.steps += memberships.filter { !($0.work.subject.map(wanted.contains) ?? false) }
        var timing = StepTiming(settings.fcm)
        for index in plan.steps.indices {
            let time = timing.next(plan.steps[index].work)
            plan.steps[index].seconds = Int(time.whole.seconds.rounded(.up))
            plan.steps[index].rampSeconds = Int(time.ramp.seconds.rounded())
        }
    }

    // MARK: Figures

    /// Those a send reaches as far as herald can tell: for a topic, whoever subscribed them, once its own steps are done.
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

    /// Those the state will have once the topic's own steps are done, whoever subscribed them.
    func subscribers(of name: TopicName) -> RecipientSet {
        let wanted = topicMembers[name]
        let recorded = state.topics[name] ?? RecordedTopic()
        let members = (wanted?.members ?? []).subtracting(state.dead).union(recorded.preexisting)
        return wanted?.prune ?? true ? members : members.union(recorded.managed).union(recorded.subscribing)
    }

    /// Of the recipients herald knows, those whose topics meet a condition.
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
    /// What memberships are changed of, and what sends wait for.
    enum Subject: Hashable, Sendable {
        case topic(TopicName)
        case group(GroupName)
    }
}

extension Plan.Work {
    /// Whose memberships it changes; for a send nothing.
    var subject: Plan.Subject? {
        switch self {
        case .subscribe(let name, _), .unsubscribe(let name, _): .topic(name)
        case .group(let change): .group(change.group)
        case .send: nil
        }
    }

    /// What must be in order before it begins.
    var needs: Set<Plan.Subject> {
        guard case .send(let send) = self else { return [] }
        return Set(send.target.topics.map { .topic($0) } + send.target.groups.map { .group($0) })
    }
}

extension Campaign {
    /// SHA-256 of target and message: what recipients would notice.
    package var contentDigest: String {
        // Who is on a list may change while it is being sent.
        let target: JSONValue =
            if case .registrations = target.value { ["registrations": true] } else { target.value.json }
        return JSONValue.object(["target": target, "message": .object(message.value)]).digest
    }
}
