internal import FCM

/// The steps of a run that are not over, in order, and which of them is next. A send waits for the changes of its own
/// topics and groups, and then for the propagation delay.
struct RunQueue {
    struct Entry {
        var step: Plan.Step
        /// The index in the report.
        let index: Int
        /// The state when the step yielded. `nil` before it has begun.
        var state: StepState?
    }

    /// What a run does next.
    enum Turn {
        /// Do that step until a more urgent one is ready.
        case begin(Int, until: Date?)
        /// Nothing is ready before that time.
        case wait(until: Date)
        /// That step cannot be done in this run.
        case giveUp(Int, StopReason, isHeld: Bool)
        case done
    }

    private(set) var entries: [Entry] = []
    private let propagationDelay: Duration
    private let resendDelay: Duration
    private let mode: RunMode
    private let began: Date
    /// When the topics that this run changed were changed, counted from its beginning. The date does not do: with
    /// `--at` it stands still.
    private var changes: [TopicName: Duration] = [:]
    /// Topics and groups that still have members who were to leave.
    private var unfinishedLeaves: Set<Plan.Subject> = []
    /// Topics and groups that still lack members who were to join.
    private var unfinishedJoins: Set<Plan.Subject> = []

    /// - Parameter began: when the run began.
    init(_ options: RunOptions, began: Date) {
        self.began = began
        propagationDelay = options.fcm.propagationDelay
        resendDelay = options.resendDelay
        mode = options.mode
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Campaigns with a send that has not begun.
    var waitingCampaigns: Set<String> {
        Set(
            entries.compactMap {
                if $0.state == nil, case .send(let send) = $0.step.work { send.campaign } else { nil }
            })
    }

    /// Steps that came due go before the steps under way.
    mutating func insert(_ fresh: [Entry]) { entries.insert(contentsOf: fresh, at: 0) }

    mutating func remove(at place: Int) -> Entry { entries.remove(at: place) }

    /// A step that yielded keeps its place.
    mutating func putBack(_ entry: Entry, at place: Int) { entries.insert(entry, at: place) }

    mutating func replace(_ entry: Entry, at place: Int) { entries[place] = entry }

    mutating func removeAll() { entries = [] }

    /// Takes in what other processes have done of the steps that they go on with.
    ///
    /// - Returns: What those steps have to say.
    mutating func follow(_ now: Moment, _ context: inout RunContext) -> [(step: StepID, news: [StepNews])] {
        entries.indices.filter { entries[$0].state?.sharing != nil }.map { place in
            entries[place].state?.followFromBehind(now, &context)
            return (entries[place].step.id, entries[place].state?.takeNews() ?? [])
        }
    }

    // MARK: What is next

    func next(at now: Moment, _ recorded: RecordedState) -> Turn {
        var nearest: Date?
        for place in entries.indices {
            let place = first(for: place)
            switch readiness(of: entries[place], at: now, recorded) {
            case .now: return .begin(place, until: nearest)
            case .at(let instant): nearest = min(instant, nearest ?? instant)
            case .never(let reason, let isHeld): return .giveUp(place, .waiting(reason), isHeld: isHeld)
            }
        }
        return nearest.map { .wait(until: $0) } ?? .done
    }

    private enum Readiness {
        case now
        case at(Date)
        case never(String, isHeld: Bool)
    }

    /// The place of the step that must be done next so that the one at `place` can be done. A step that comes first
    /// may itself come after another.
    private func first(for place: Int) -> Int {
        var place = place
        for _ in entries {
            guard let earlier = predecessor(of: entries[place]) else { break }
            place = earlier
        }
        return place
    }

    /// Searches the whole queue: a send may have come due after its topic's changes began.
    private func predecessor(of entry: Entry) -> Int? {
        guard !mode.isDryRun, entry.state == nil else { return nil }
        if let successor = entry.step.successor {
            return entries.firstIndex { $0.step.work.subject == .topic(successor) }
        }
        // Only an outcome left by a crash has to be written. Nothing is sent.
        if case .send(let send) = entry.step.work, send.members.isEmpty { return nil }
        let needs = entry.step.work.needs
        return entries.firstIndex { $0.step.work.subject.map(needs.contains) ?? false }
    }

    private func readiness(of entry: Entry, at now: Moment, _ recorded: RecordedState) -> Readiness {
        guard !mode.isDryRun else { return .now }
        if let state = entry.state {
            let wait = state.idleTime(at: now)
            return wait > .zero ? .at(now.date.adding(wait)) : .now
        }
        if let (_, reason) = staying(of: entry.step), entry.step.atOnce.isEmpty { return .never(reason, isHeld: true) }
        guard case .send(let send) = entry.step.work, !send.members.isEmpty else { return .now }
        if let reason = whyHeld(send) { return .never(reason, isHeld: true) }
        return readiness(toSend: send, at: now, recorded)
    }

    private func readiness(toSend send: Plan.Send, at now: Moment, _ recorded: RecordedState) -> Readiness {
        guard let (wait, reason) = wait(before: send, at: now, recorded) else { return .now }
        // A date has no room for less than some 100 ns. A wait that is lost in it would never end.
        let instant = now.date.adding(max(wait, .milliseconds(1)))
        if let lateness = send.limits(begun: began).lateness(after: instant) {
            return .never("\(reason) later than \(lateness.setting) allows", isHeld: false)
        }
        return .at(instant)
    }

    /// How long a send waits, and for what. `nil` if it may begin.
    private func wait(
        before send: Plan.Send, at now: Moment, _ recorded: RecordedState
    ) -> (Duration, reason: String)? {
        // Changes of its topics need the propagation delay to reach all of FCM.
        let changes = send.target.topics.compactMap { topic in
            // Without the limit a clock that was set back, or a state from a simulated future, would make us wait for
            // years.
            self.changes[topic] ?? recorded.topics[topic]?.changed.map { .seconds(min($0.timeIntervalSince(began), 0)) }
        }
        let settled = changes.max().map { $0 + propagationDelay - now.elapsed } ?? .zero
        let resending = send.isResumed && send.delivery.onUnknown == .resend ? resendDelay - now.elapsed : .zero
        guard max(settled, resending) > .zero else { return nil }
        if resending > settled {
            return (resending, "requests of the run that lost the lock may still arrive, and it would be sent")
        }
        let names = send.target.topics.map { "'\($0)'" }.joined(separator: ", ")
        return (settled, "the last change of topic \(names) takes effect")
    }

    /// For a topic that was renamed: members leave the old topic only after all of them are in the new one. `nil` if none of
    /// the step has to stay.
    func staying(of step: Plan.Step) -> (members: RecipientSet, reason: String)? {
        guard case .unsubscribe(_, let leaving) = step.work, let successor = step.successor,
            unfinishedJoins.contains(.topic(successor))
        else { return nil }
        let members = leaving.subtracting(step.atOnce)
        return members.isEmpty ? nil : (members, "not everybody has joined topic '\(successor)' yet")
    }

    /// Why a send must wait for the next run: it would reach people who were to be left out.
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
        for name in send.target.groups where send.delivery.members == .key {
            if unfinishedLeaves.contains(.group(name)) {
                return "not everybody who was to leave group '\(name)' has left it"
            }
        }
        return nil
    }

    // MARK: What is over

    /// - Parameter elapsed: the time since the run began.
    mutating func noteChange(of topic: TopicName, at elapsed: Duration) { changes[topic] = elapsed }

    /// Notes whether a step that is over left some of its membership changes undone. Whom FCM calls dead gets nothing
    /// from a send to the same project, even if nothing shows whether to believe it.
    mutating func noteEnd(of step: Plan.Step, _ report: StepReport) {
        let settled = report.accepted + report.dead + report.doubted
        guard let subject = step.work.subject, settled < report.planned else { return }
        switch step.work.action.effect {
        case .joins: unfinishedJoins.insert(subject)
        case .leaves: unfinishedLeaves.insert(subject)
        case .none: break
        }
    }

    /// The topics and groups of the send that still lack members, in words.
    func missingJoins(of send: Plan.Send) -> [String] {
        send.target.topics.filter { unfinishedJoins.contains(.topic($0)) }.map { "topic '\($0)'" }
            + send.target.groups.filter { unfinishedJoins.contains(.group($0)) }.map { "group '\($0)'" }
    }
}
