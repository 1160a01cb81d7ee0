internal import FCM

/// Carries out a plan, step by step, and accounts for everyone in it.
package struct Executor<C: Clock> where C.Duration == Duration {
    private let options: Options
    private var surroundings: Surroundings
    private let begin: C.Instant
    private var report: Report
    private var queue: [Entry] = []
    private var sends: RateLimiter
    private var subscriptions: RateLimiter
    private var window: Window
    private var topics: [TopicName: RecordedTopic]
    /// Groups and watermarks as the state has them.
    private var recorded: RecordedState
    /// What changes memberships; `auto` until the first answer tells.
    private var topicAPI: TopicAPI
    /// Topics and groups that keep somebody who was to leave.
    private var unfinishedLeaves: Set<Plan.Subject> = []
    /// Those that lack somebody who was to join.
    private var unfinishedJoins: Set<Plan.Subject> = []
    /// On which API something succeeded, so that it may be believed what it says of the dead.
    private var hasSucceeded: Set<API> = []
    /// Why nothing more can be started at all.
    private var fatal: String?
    /// How far cron campaigns are dealt with once their sends have begun.
    private var watermarks: [String: Watermark] = [:]
    /// When the first send of a campaign was due that ended without having begun.
    private var unbegun: [String: Date] = [:]
    /// Those reported as missed.
    private var missed: Set<OccurrenceID> = []
    private var nextLook: Date?
    /// Between two looks for what is due, at most.
    private static var patience: Duration { .seconds(10) }
    /// The campaign of each send.
    private var campaigns: [String: String] = [:]

    private enum API: Hashable {
        case send, registrations, iid, groups
    }

    /// A step that is not over.
    private struct Entry {
        let step: Plan.Step
        /// In the report.
        let index: Int
        /// Where it was left.
        var drive: StepDrive<C>?
    }

    /// - Parameter report: of the same plan, not begun.
    package static func run(
        _ plan: Plan, _ options: Options, in surroundings: Surroundings, report: Report
    ) async throws -> Report {
        var surroundings = surroundings
        surroundings.store = try await LeasedStore(surroundings.store, holder: report.run)
        var executor = Executor(options, surroundings, report, try await surroundings.store.snapshot())
        return await executor.run(plan)
    }

    private init(_ options: Options, _ surroundings: Surroundings, _ report: Report, _ state: RecordedState) {
        self.options = options
        self.surroundings = surroundings
        begin = surroundings.clock.now
        self.report = report
        topics = state.topics
        recorded = RecordedState(identity: state.identity)
        recorded.groups = state.groups
        recorded.watermarks = state.watermarks
        topicAPI = options.fcm.topicAPI == .auto ? state.topicAPI ?? .auto : options.fcm.topicAPI
        sends = RateLimiter(options.fcm.rate, ramp: options.fcm.ramp)
        subscriptions = RateLimiter(options.fcm.subscriptionRate)
        window = Window(cap: surroundings.sender.capacity)
    }

    private mutating func run(_ plan: Plan) async -> Report {
        await take(plan, at: 0)
        while !queue.isEmpty, report.result != .interrupted {
            if surroundings.stop() != nil {
                report.result = .interrupted
            } else if let fatal {
                for entry in queue { report.steps[entry.index].stop(fatal) }
                queue = []
            } else {
                await lookAgain()
                await goOn()
            }
            await surroundings.observe(report)
        }
        await pauseWhatWasStopped()
        report.result = report.outcome
        report.finished = surroundings.now()
        await surroundings.observe(report)
        return report
    }

    // MARK: What is to be done

    /// - Parameter first: where the plan's steps begin in the report.
    private mutating func take(_ plan: Plan, at first: Int) async {
        var fresh: [Entry] = []
        for (index, step) in plan.steps.enumerated() {
            if let refusal = step.refusal {
                refuse(step, refusal, at: first + index)
                continue
            }
            fresh.append(Entry(step: step, index: first + index))
            if case .send(let send) = step.work { campaigns[step.id] = send.campaign }
        }
        // What came due meanwhile goes before what is under way; that stays in the queue, so that no watermark passes it.
        queue.insert(contentsOf: fresh, at: 0)
        missed.formUnion(plan.missed.map(\.occurrence))
        watermarks.merge(plan.watermarks) { _, new in new }
        nextLook = surroundings.lookAgain == nil ? nil : plan.upcoming.map(\.occurring.at).min()
        guard options.dryRunSample == nil else { return }
        let now = surroundings.now()
        let renames = plan.renames.map { StateChange.rename(campaign: $0.old, to: $0.new) }
        recorded.apply(renames)
        // A missed occurrence is over: it is reported once. One that has a step is finished by it.
        let endings = plan.missed.flatMap { missed -> [StateChange] in
            let opening = missed.unrecorded.map { [StateChange.open(missed.occurrence, $0)] } ?? []
            let hasStep = plan.steps.contains { $0.id == "send:\(missed.occurrence)" }
            return hasStep ? [] : opening + [.finish(missed.occurrence, at: now)]
        }
        let over = plan.over.map { StateChange.finish($0, at: now) }
        await commit(renames + endings + over + dueWatermarks())
    }

    private mutating func refuse(_ step: Plan.Step, _ refusal: String, at index: Int) {
        noteUnbegun(step)
        report.wasBlocked = true
        report.steps[index].held = report.steps[index].planned
        report.steps[index].stop(refusal)
        noteUnfinished(step, at: index)
    }

    /// Those of campaigns none of whose sends waits for its beginning.
    private mutating func dueWatermarks() -> [StateChange] {
        let waiting = Set(
            queue.compactMap { entry -> String? in
                if case .send(let send) = entry.step.work, entry.drive == nil { send.campaign } else { nil }
            })
        let due = watermarks.filter { !waiting.contains($0.key) }.sorted { $0.key < $1.key }
        let changes = due.map { campaign, mark in
            watermarks[campaign] = nil
            var mark = mark
            if let first = unbegun[campaign], first <= mark.at {
                mark.next = first
                mark.at = max(first - 1, recorded.watermarks[campaign]?.at ?? .distantPast)
            }
            return StateChange.watermark(campaign, mark)
        }
        recorded.apply(changes)
        return changes
    }

    /// What has not begun is for the next run to find, so that the watermark stays before it.
    private mutating func noteUnbegun(_ step: Plan.Step) {
        guard case .send(let send) = step.work, let due = send.due else { return }
        unbegun[send.campaign] = min(due, unbegun[send.campaign] ?? due)
    }

    private mutating func commit(_ changes: [StateChange]) async {
        guard !changes.isEmpty, fatal == nil, options.dryRunSample == nil else { return }
        do { try await surroundings.store.commit(changes) } catch { fatal = StateError.reason(error) }
    }

    /// Takes in what came due since the plan was made. What it knows of already goes on as it is.
    private mutating func lookAgain() async {
        let now = surroundings.now()
        guard let look = surroundings.lookAgain, let instant = nextLook, now >= instant else { return }
        // Whoever can say nothing now may be able to soon.
        nextLook = now.adding(Self.patience)
        guard var plan = await look(now) else { return }
        let known = Set(report.steps.map(\.id))
        plan.steps = plan.steps.filter { $0.work.subject == nil && !known.contains($0.id) }
        plan.missed.removeAll { missed.contains($0.occurrence) || known.contains("send:\($0.occurrence)") }
        plan.renames = []
        let first = report.steps.count
        report.steps += plan.steps.map { StepReport($0) }
        report.missed += plan.missed.count
        report.missedOccurrences += plan.missed
        await take(plan, at: first)
    }

    // MARK: One step after the other

    /// Does the first step that need not wait, or waits for the first that does.
    private mutating func goOn() async {
        var nearest: Date?
        for (place, entry) in queue.enumerated() {
            switch readiness(of: entry) {
            case .now: return await run(at: place, until: nearest)
            case .at(let instant): nearest = min(instant, nearest ?? instant)
            case .after(let place):
                // What comes first may have to wait itself.
                guard case .at(let instant) = readiness(of: queue[place]) else {
                    return await run(at: place, until: nearest)
                }
                nearest = min(instant, nearest ?? instant)
            case .never(let reason, let isHeld):
                queue.remove(at: place)
                noteUnbegun(entry.step)
                if isHeld { report.steps[entry.index].held += report.steps[entry.index].pending }
                report.steps[entry.index].stop(reason)
                return
            }
        }
        guard let nearest else { return }
        // In short waits, so that a request to end is heard.
        let wait = min(nearest.timeIntervalSince(surroundings.now()), 1)
        if wait > 0 { try? await surroundings.clock.sleep(for: .seconds(wait)) }
    }

    private enum Readiness {
        case now
        case at(Date)
        /// What is at that place in the queue comes first.
        case after(Int)
        case never(String, isHeld: Bool)
    }

    private func readiness(of entry: Entry) -> Readiness {
        guard options.dryRunSample == nil else { return .now }
        if let drive = entry.drive {
            let wait = drive.idleTime
            return wait > .zero ? .at(surroundings.now().adding(wait)) : .now
        }
        if let successor = entry.step.successor { return readiness(toLeaveFor: successor) }
        guard case .send(let send) = entry.step.work else { return .now }
        // What a crash left behind is to be written down, and nothing to be sent.
        if send.members.isEmpty { return .now }
        let needs = entry.step.work.needs
        // Wherever it stands: a send may have come due after its topic's changes had begun.
        let change = queue.firstIndex { $0.step.work.subject.map(needs.contains) ?? false }
        if let change { return .after(change) }
        if let reason = whyHeld(send) { return .never(reason, isHeld: true) }
        let changes = send.target.topics.compactMap { topics[$0]?.changed }
        guard let changed = changes.max() else { return .now }
        let now = surroundings.now()
        // A clock that was set back, or a state from a simulated future, must not make us wait for years.
        let wait = min(
            changed.adding(options.fcm.propagationDelay).timeIntervalSince(now), options.fcm.propagationDelay.seconds)
        guard wait > 0 else { return .now }
        let instant = now.addingTimeInterval(wait)
        if let deadline = send.deadline, instant > deadline {
            let names = send.target.topics.map { "'\($0)'" }.joined(separator: ", ")
            return .never("topic \(names) settles later than max_lateness allows", isHeld: false)
        }
        return .at(instant)
    }

    /// Of a topic that has another name now: nobody leaves the old one before everybody is in the new one.
    private func readiness(toLeaveFor successor: TopicName) -> Readiness {
        if let joining = queue.firstIndex(where: { $0.step.work.subject == .topic(successor) }) {
            return .after(joining)
        }
        guard unfinishedJoins.contains(.topic(successor)) else { return .now }
        return .never("not everybody has joined topic '\(successor)' yet", isHeld: true)
    }

    /// Whom it would reach although he was to be left out.
    private func whyHeld(_ send: Plan.Send) -> String? {
        let excluded = send.target.excludedTopics
        for name in send.target.topics {
            if unfinishedLeaves.contains(.topic(name)) {
                return "not everybody who was to leave topic '\(name)' has left it"
            }
            if excluded.contains(name), unfinishedJoins.contains(.topic(name)) {
                return "not everybody whom topic '\(name)' is to leave out is in it"
            }
        }
        for name in send.target.groups where send.groupMembers == .key {
            if unfinishedLeaves.contains(.group(name)) {
                return "not everybody who was to leave group '\(name)' has left it"
            }
        }
        return nil
    }

    /// - Parameter instant: when something that comes before it in the queue is ready.
    private mutating func run(at place: Int, until instant: Date?) async {
        let entry = queue.remove(at: place)
        let leaveAt = [instant, nextLook].compactMap(\.self).min()
        if case .group(let change) = entry.step.work { return await run(change, entry, until: leaveAt) }
        if options.dryRunSample != nil, entry.step.work.subject != nil {
            report.steps[entry.index].skipped = entry.step.work.planned
            return
        }
        var key: NotificationKey?
        if case .send(let send) = entry.step.work {
            noteUnfinishedJoins(send, at: entry.index)
            if case .group(let name) = send.target, send.groupMembers == .key, !send.members.isEmpty {
                key = await refreshedKey(of: name)
                guard key != nil else {
                    noteUnbegun(entry.step)
                    if options.dryRunSample != nil {
                        report.steps[entry.index].skipped = entry.step.work.planned
                        return
                    }
                    report.steps[entry.index].stop("group '\(name)' has no key: herald has not made it at FCM")
                    return
                }
            }
        }
        var drive = entry.drive ?? newDrive(entry)
        drive.leaveAt = leaveAt
        drive.leavesWhenIdle = !queue.isEmpty
        drive.budget.shared = entry.step.work.subject == nil ? sends : subscriptions
        drive.window = window
        drive.hasSucceeded = hasSucceeded.contains(api(of: entry.step.work))
        drive.random = surroundings.random
        do {
            let work = try StepWork(
                entry.step.work, api: topicAPI, key: key, askedBefore: askedBefore(entry.step),
                isDryRun: options.dryRunSample != nil, now: surroundings.now())
            let (report, index) = (report, entry.index)
            let observe = surroundings.observe
            self.report.steps[index] = await drive.run(work) { step in
                var report = report
                report.steps[index] = step
                await observe(report)
            }
        } catch {
            noteUnbegun(entry.step)
            report.steps[entry.index].stop("the message cannot be written as JSON")
            return
        }
        await take(drive, from: entry, at: place)
    }

    private func newDrive(_ entry: Entry) -> StepDrive<C> {
        var members: RecipientSet
        var own: RateLimiter?
        switch entry.step.work {
        case .subscribe(_, let all), .unsubscribe(_, let all): members = all
        case .group(let change): members = change.members
        case .send(let send):
            members = send.members
            own = send.rate.map { RateLimiter($0) }
        }
        var step = report.steps[entry.index]
        if let sample = options.dryRunSample, case .send(let send) = entry.step.work {
            step.skipped = send.discovered.count + max(0, members.count - sample)
            members = RecipientSet(members.prefix(sample))
        }
        let isMembership = entry.step.work.subject != nil
        return StepDrive(
            options: options, surroundings: surroundings, members: members,
            budget: RateBudget(shared: isMembership ? subscriptions : sends, own: own), window: window,
            hasSucceeded: false,
            probesAPI: isMembership && topicAPI == .auto, step: step, runBegin: begin)
    }

    /// What the step leaves behind for those after it. When it was left, it keeps its place.
    private mutating func take(_ drive: StepDrive<C>, from entry: Entry, at place: Int) async {
        note(fatal: drive.fatal, drive.isUnreachable, drive.wasBlocked, drive.wasInterrupted)
        surroundings.random = drive.random
        window = drive.window
        if drive.hasSucceeded { hasSucceeded.insert(api(of: entry.step.work)) }
        switch entry.step.work {
        case .send: sends = drive.budget.shared
        case .subscribe(let name, _), .unsubscribe(let name, _):
            subscriptions = drive.budget.shared
            topics[name, default: RecordedTopic()].changed = surroundings.now()
            await settleAPI(drive)
        case .group: break
        }
        if drive.isUnfinished, !drive.wasInterrupted, drive.fatal == nil {
            var entry = entry
            entry.drive = drive
            queue.insert(entry, at: place)
        } else {
            noteUnfinished(entry.step, at: entry.index)
        }
        await commit(dueWatermarks())
    }

    private mutating func note(fatal: String?, _ isUnreachable: Bool, _ wasBlocked: Bool, _ wasInterrupted: Bool) {
        self.fatal = fatal ?? self.fatal
        if isUnreachable { report.isUnreachable = true }
        if wasBlocked { report.wasBlocked = true }
        if wasInterrupted { report.result = .interrupted }
    }

    /// Which API it is, once the first answer has told; it is said once and remembered.
    private mutating func settleAPI(_ drive: StepDrive<C>) async {
        guard options.fcm.topicAPI == .auto else { return }
        if drive.isUnavailable {
            topicAPI = .iid
            report.notes.append(
                "this project has no topic subscription API; memberships go to the Instance ID service in batches")
        } else if topicAPI == .auto, !drive.isProbing {
            topicAPI = .registrations
        } else {
            return
        }
        await commit([.topicAPI(topicAPI)])
    }

    private mutating func noteUnfinished(_ step: Plan.Step, at index: Int) {
        guard let subject = step.work.subject else { return }
        let account = report.steps[index]
        guard account.accepted + account.forgotten < account.planned else { return }
        switch step.work.action {
        case "subscribe", "group_create", "group_add": unfinishedJoins.insert(subject)
        default: unfinishedLeaves.insert(subject)
        }
    }

    private mutating func noteUnfinishedJoins(_ send: Plan.Send, at index: Int) {
        let names =
            send.target.topics.filter { unfinishedJoins.contains(.topic($0)) }.map { "topic '\($0)'" }
            + send.target.groups.filter { unfinishedJoins.contains(.group($0)) }.map { "group '\($0)'" }
        guard !names.isEmpty else { return }
        report.steps[index].note = "not everybody who was to join \(names.joined(separator: ", ")) has joined"
    }

    private func api(of work: Plan.Work) -> API {
        switch work {
        case .send: .send
        case .group: .groups
        case .subscribe, .unsubscribe: topicAPI == .iid ? .iid : .registrations
        }
    }

    private func askedBefore(_ step: Plan.Step) -> RecipientSet {
        if case .subscribe(let name, _) = step.work { topics[name]?.subscribing ?? [] } else { [] }
    }

    // MARK: Groups

    private mutating func run(_ change: Plan.GroupChange, _ entry: Entry, until leaveAt: Date?) async {
        guard options.dryRunSample == nil else {
            report.steps[entry.index].skipped = change.members.count
            return
        }
        var drive = GroupDrive(
            change, options: options, surroundings: surroundings, group: recorded.groups[change.group],
            budget: RateBudget(shared: subscriptions), hasSucceeded: hasSucceeded.contains(.groups),
            step: report.steps[entry.index], runBegin: begin)
        drive.leaveAt = leaveAt
        report.steps[entry.index] = await drive.run()
        note(fatal: drive.fatal, drive.isUnreachable, drive.wasBlocked, drive.wasInterrupted)
        surroundings.random = drive.random
        subscriptions = drive.budget.shared
        if drive.hasSucceeded { hasSucceeded.insert(.groups) }
        recorded.apply(drive.written)
        noteUnfinished(entry.step, at: entry.index)
        await commit(dueWatermarks())
    }

    /// The key FCM gives for the name now, the recorded one where it does not answer; `nil` when there is no such group.
    private mutating func refreshedKey(of name: GroupName) async -> NotificationKey? {
        // A group that others made would give its key as well.
        guard let known = recorded.groups[name]?.key else { return nil }
        var caller = GroupCaller(
            options: options, surroundings: surroundings, budget: RateBudget(shared: subscriptions), runBegin: begin)
        let result = await caller.call(.retrieve(name))
        subscriptions = caller.budget.shared
        guard case .answered(let verdict) = result else { return known }
        switch verdict {
        case .done(let key):
            recorded.groups[name, default: RecordedGroup()].key = key
            await commit([.groupKey(name, key)])
            return key
        case .notFound:
            await commit([.drop(.group(name))])
            return nil
        default: return known
        }
    }

    // MARK: The end

    /// A person who stops a run wants no later run to go on with what it stopped.
    private mutating func pauseWhatWasStopped() async {
        guard report.result == .interrupted, surroundings.stop() == .person, options.dryRunSample == nil else { return }
        let pending = report.steps.filter {
            $0.pending > 0 && ($0.stopped == nil || $0.stopped == StepReport.interruption)
        }
        let stopped = pending.compactMap { campaigns[$0.id] }
        await commit(Set(stopped).sorted().map { .pause($0) })
    }
}
