internal import FCM

/// Works out the steps that turn the recorded state into the desired one, and which sends are due. It does no I/O and
/// keeps nothing between plans. It has many parts, because it keeps what it has worked out until the plan is whole.
package struct Planner {
    let desired: Desired
    /// The state, with renamed campaigns under their new names.
    var state: RecordedState
    let settings: Settings
    let overrides: Overrides
    let now: Date
    /// The later one of that and the machine's own time. What is later still was noted by a clock that was fast.
    let latest: Date
    /// Cron occurrences up to this time are shown as upcoming.
    let horizon: Date
    let upcomingLimit: UpcomingLimit
    /// Whether the lists were not read, so that no members are known.
    let listsSkipped: Bool
    /// With the former numbers that stay.
    private(set) var topicMembers: [TopicName: DesiredTopic]
    let groupMembers: [GroupName: DesiredGroup]
    /// Recipients of whom no list names a living registration. Nothing is sent to them and they join nothing. If herald
    /// knows a living one all the same, that one leaves only where no list names the recipient any more.
    private(set) var unreachable = RecipientSet()
    /// Recipients whom `suppress` takes out of everything but topics that only exclude, and the numbers of their earlier
    /// registrations.
    private(set) var suppressed: RecipientSet
    /// Numbers of earlier registrations. They are nobody besides their recipients.
    private(set) var formers = RecipientSet()
    /// The recipients of all earlier registrations, also of those that are used again.
    private(set) var recipientsOfFormers: [RecipientID: RecipientID] = [:]
    /// Topics that were renamed, with the names they have now.
    let successors: [TopicName: TopicName]
    /// Topics that no file declares any more and that somebody had left by themselves, in order.
    private(set) var goneTopicsLeft: [TopicName] = []
    /// How many members there are where, if the state is only the likeness of a snapshot.
    let sizes: StateSnapshot.Sizes?
    /// All living recipients that herald knows. Empty if there are no conditions.
    private(set) var everybody = Members.known([])
    /// The recorded occurrences of each campaign, sorted by id.
    var occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]] = [:]
    /// Whom FCM refused for now in an earlier run, where the files hold such a failure by now. The state here has no
    /// outcome for them.
    var refusedAndHeld: [OccurrenceID: RecipientSet] = [:]
    /// Of which occurrences nobody could start because of windows.
    var waits: WindowWaits
    /// What a run is sending while this is planned.
    let underWay: [Plan.Send]
    /// What becomes of what guards refuse.
    let policy: GuardPolicy
    /// What guards are about.
    let workspace: Workspace
    /// What the files decide, if only what was approved may be done.
    let approval: Approval?
    /// Somebody of whom the overview says what they still wait for.
    let person: RecipientID?
    /// The occurrences that they are to get, now or later.
    var owed: Set<OccurrenceID> = []
    /// The open occurrences in local time that this plan has looked at.
    var seen: Set<OccurrenceID> = []
    var memberships: [Plan.Step] = []
    var sends: [Plan.Step] = []
    var plan: Plan
    var overview = PlanOverview()

    /// What a plan is made of. It has many parts, because a plan depends on nothing else.
    package struct Input: Sendable {
        package var desired: Desired
        package var state: RecordedState
        /// Whether the state exists. If not, an empty one stands in for it.
        package var hasState: Bool
        package var settings: Settings
        package var workspaceDigest: String
        /// Plan only these campaigns and the topics and groups they target. Empty means everything.
        package var onlyCampaigns: Set<String>
        /// The audiences that decide who gets these campaigns. `nil` for all audiences.
        package var judgedAudiences: Set<String>?
        /// How many days ahead to look for upcoming sends, and how many of them are listed.
        package var days: Int
        package var upcoming = UpcomingLimit.usual
        /// Whether the lists were not read, so that no members are known.
        package var listsSkipped: Bool
        /// The highest serial of this state in the reports beside it.
        package var reportedSerial: Int64?
        /// A stamp that is known outside of the state, and that it lacks.
        package var lostStamp: Stamp?
        /// Whether the state is in another database than at the last run.
        package var hasMoved = false
        /// Whether the last run was for files in another folder, as far as is known.
        package var isElsewhere = false
        /// The commit that the files are from. `nil` without git.
        package var checkout: Checkout?
        /// What the files decide, if only what was approved may be done.
        package var approval: Approval?
        /// They let go on what a guard stopped in an earlier run. Refusals are in the plan all the same.
        package var overrides = Overrides()
        /// What a run is sending while this is planned.
        package var underWay: [Plan.Send] = []
        /// What becomes of what guards refuse: what is left out fills no cap.
        package var policy = GuardPolicy.stop(Overrides())
        /// What guards are about.
        package var workspace: Workspace
        /// Lists that are older than they may be.
        package var staleLists: [StaleList] = []
        /// Somebody of whom the overview says what they still wait for.
        package var person: RecipientID?
        /// The machine's own time, if the plan may be for another one.
        package var clock: Date?

        package init(
            desired: Desired, state: RecordedState, hasState: Bool = true, settings: Settings,
            workspaceDigest: String = "",
            onlyCampaigns: Set<String> = [], days: Int = 7, listsSkipped: Bool = false,
            reportedSerial: Int64? = nil, lostStamp: Stamp? = nil, hasMoved: Bool = false, isElsewhere: Bool = false,
            checkout: Checkout? = nil, approval: Approval? = nil, overrides: Overrides = Overrides()
        ) {
            self.desired = desired
            self.state = state
            self.hasState = hasState
            self.settings = settings
            self.workspaceDigest = workspaceDigest
            self.onlyCampaigns = onlyCampaigns
            self.days = days
            self.listsSkipped = listsSkipped
            self.reportedSerial = reportedSerial
            self.lostStamp = lostStamp
            self.hasMoved = hasMoved
            self.isElsewhere = isElsewhere
            self.checkout = checkout
            self.approval = approval
            self.overrides = overrides
            workspace = Workspace(settings: settings, audiences: [], topics: [], campaigns: [])
        }
    }

    /// What is to be done.
    package static func plan(_ input: Input, at now: Date) -> Plan { proposal(input, at: now).plan }

    /// What is to be done, and what people see of it.
    package static func proposal(_ input: Input, at now: Date) -> Proposal {
        var planner = Planner(input, now)
        planner.checkAge(input.reportedSerial, input.lostStamp)
        if input.hasMoved { planner.refuseMoved() }
        if input.isElsewhere { planner.checkWorkspace() }
        if let checkout = input.checkout { planner.checkFiles(checkout) }
        planner.plan.refuse(input.staleLists)
        planner.work(on: input.onlyCampaigns)
        if let approval = input.approval { planner.holdUnapproved(approval) }
        planner.explainRest()
        return Proposal(planner.plan, planner.overview)
    }

    /// Plans everything, or only some campaigns and their targets.
    mutating func work(on campaigns: Set<String>) {
        carryNames()
        if !listsSkipped {
            planTopics(selected: campaigns)
            planGroups(selected: campaigns)
            checkAudiences()
        }
        planSends(selected: campaigns)
        noteRepeats()
        noteRows(selected: campaigns)
        arrange()
        time()
        advise()
    }

    /// - Parameters:
    ///   - sizes: those of the snapshot, if the input's state is its likeness.
    init(_ input: Input, _ now: Date, sizes: StateSnapshot.Sizes? = nil) {
        self.sizes = sizes
        upcomingLimit = input.upcoming
        desired = input.desired
        state = input.state
        waits = WindowWaits(state.waited, at: now)
        settings = input.settings
        overrides = input.overrides
        suppressed = desired.suppressed
        listsSkipped = input.listsSkipped
        (policy, workspace, approval) = (input.policy, input.workspace, input.approval)
        (underWay, person) = (input.underWay, input.person)
        (self.now, latest) = (now, max(now, input.clock ?? now))
        horizon = now.addingTimeInterval(Double(input.days) * 86_400)
        topicMembers = desired.topicMembers
        groupMembers = Dictionary(desired.groups.map { ($0.name, $0) }) { first, _ in first }
        successors = desired.successors
        let mark = Plan.StateMark(
            lineage: state.identity.lineage, serial: state.serial, firstNew: state.nextRecipient)
        plan = Plan(at: now, workspaceDigest: input.workspaceDigest, state: input.hasState ? mark : nil)
        (plan.judgedAudiences, plan.successors) = (input.judgedAudiences, successors)
        plan.keptSizes = state.audienceSizes.filter { [plan] in !plan.judges(audience: $0.key) }
        plan.refusedMembers = state.refusedMembers
        takeRegistrations(desired.registrations)
        goneTopicsLeft = state.topics.filter { name, topic in
            !topic.left.isEmpty && topicMembers[successors[name] ?? name] == nil && !awaitsFile(name)
        }
        .keys.sorted()
        overview.figures = listsSkipped ? .unknown : sizes == nil ? .exact : .estimated
        (overview.collapsed, overview.leftOut) = (desired.collapsed, desired.leftOut)
        overview.warnings += desired.remarks
        // A snapshot does not say who is dead.
        overview.deadListed = sizes == nil ? desired.listed.intersection(unreachable).count : nil
        everybody = Self.everybody(desired, state, sizes)
    }

    /// What becomes of the state when recipients get the registrations that lists name.
    private mutating func takeRegistrations(_ registrations: Desired.Registrations) {
        let before = state.formers
        state.apply(registrations.changes)
        recipientsOfFormers = state.formers.merging(before) { now, _ in now }
        state.serial = plan.state?.serial ?? state.serial
        state.dead.subtract(registrations.changed)
        unreachable = state.dead.union(registrations.dead)
        guard !state.formers.isEmpty else { return }
        formers = RecipientSet(state.formers.keys.sorted())
        let ofSuppressed = state.formers.filter { suppressed.contains($0.value) }
        suppressed.formUnion(RecipientSet(ofSuppressed.keys.sorted()))
        // A recipient that stays in a topic may be there with an earlier registration too. That one leaves with the
        // recipient, and not before.
        for (name, wanted) in topicMembers {
            guard let recorded = state.topics[name] else { continue }
            let staying = state.formers.filter { former, recipient in
                wanted.members.contains(recipient) && !unreachable.contains(recipient)
                    && recorded.subscribers.contains(former)
            }
            topicMembers[name]?.members.formUnion(RecipientSet(staying.keys.sorted()))
        }
    }

    /// Gives campaigns that were renamed their history, and their pauses.
    mutating func carryNames() {
        let campaigns = desired.sends.map(\.campaign)
        plan.renames = state.renames(to: campaigns).map { .init(old: $0.old, new: $0.new) }
        state.apply(plan.renames.map { .rename(campaign: $0.old, to: $0.new) })
        // A pause holds the campaign also where the history under that name is not its own.
        state.pauses.campaigns = CampaignNames(of: campaigns, state).paused
        overview.pauses = state.pauses
        state.serial = plan.state?.serial ?? state.serial
        holdErrors()
        occurrences = Dictionary(
            grouping: state.occurrences.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }, by: \.1.campaign)
    }

    /// An id for an occurrence that has tried nobody, which no other campaign has. What was opened before a rename keeps
    /// its id. A name that is used again adds `~2` to its id.
    func freeID(of campaign: Campaign, due: Date?) -> OccurrenceID {
        freeID(of: campaign.name.value) { OccurrenceID(campaign: $0, due: due, revision: campaign.revision) }
    }

    func freeID(of campaign: Campaign, local: LocalTime) -> OccurrenceID {
        freeID(of: campaign.name.value) { OccurrenceID(campaign: $0, local: local, revision: campaign.revision) }
    }

    /// - Parameter id: the usual id under a name.
    private func freeID(of name: String, _ id: (String) -> OccurrenceID) -> OccurrenceID {
        let ids = [id(name)] + (state.formerNames[name] ?? []).sorted().map(id)
        if let opened = ids.first(where: { state.occurrences[$0] != nil && state.isFree($0, for: name) }) {
            return opened
        }
        var (free, number) = (ids[0], 1)
        while !state.isFree(free, for: name) {
            number += 1
            free = OccurrenceID(rawValue: "\(ids[0])~\(number)")
        }
        return free
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

    func step(_ work: Plan.Work, reason: String) -> Plan.Step { .init(work: work, reason: reason) }
}

/// How many upcoming sends are listed at most: of each campaign, and of all together.
package struct UpcomingLimit: Hashable, Sendable {
    let ofEach: Int
    let ofAll: Int

    package init(ofEach: Int, ofAll: Int) { (self.ofEach, self.ofAll) = (ofEach, ofAll) }

    static let usual = UpcomingLimit(ofEach: PlanOverview.shownUpcoming, ofAll: PlanOverview.shownUpcoming)
    /// For a calendar of months. Nobody reads more.
    package static let long = UpcomingLimit(ofEach: 1000, ofAll: 20_000)
}

extension Desired {
    var topicMembers: [TopicName: DesiredTopic] { Dictionary(topics.map { ($0.name, $0) }) { first, _ in first } }

    /// Topics that were renamed, with the names they have now.
    var successors: [TopicName: TopicName] {
        let declared = Set(topics.map(\.name))
        return topics.reduce(into: [:]) { successors, topic in
            for old in topic.previousNames where !declared.contains(old) { successors[old] = topic.name }
        }
    }
}
