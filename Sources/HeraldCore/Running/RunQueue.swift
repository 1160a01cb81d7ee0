internal import FCM

/// The steps of a run that are not over, in their order, and which of them is next. A send waits for the changes of its
/// own topics and groups, and then for the propagation delay.
struct RunQueue {
    /// A step that is not over.
    struct Entry {
        let step: Plan.Step
        /// In the report.
        let index: Int
        /// Where it was left; `nil` before it has begun.
        var state: StepState?
    }

    /// What a run does next.
    enum Turn {
        /// That step, until something more urgent is ready.
        case begin(Int, until: Date?)
        /// Nothing is ready before that.
        case wait(until: Date)
        /// That step cannot be done in this run.
        case giveUp(Int, reason: String, isHeld: Bool)
        case done
    }

    private(set) var entries: [Entry] = []
    private let propagationDelay: Duration
    private let mode: RunMode
    /// Topics and groups that keep somebody who was to leave.
    private var unfinishedLeaves: Set<Plan.Subject> = []
    /// Those that lack somebody who was to join.
    private var unfinishedJoins: Set<Plan.Subject> = []

    init(_ options: RunOptions) {
        propagationDelay = options.fcm.propagationDelay
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

    /// Steps that came due go before those under way.
    mutating func insert(_ fresh: [Entry]) { entries.insert(contentsOf: fresh, at: 0) }

    mutating func remove(at place: Int) -> Entry { entries.remove(at: place) }

    /// A step that was left keeps its place.
    mutating func putBack(_ entry: Entry, at place: Int) { entries.insert(entry, at: place) }

    mutating func removeAll() { entries = [] }

    // MARK: What is next

    func next(at now: Moment, _ recorded: RecordedState) -> Turn {
        var nearest: Date?
        for (place, entry) in entries.enumerated() {
            switch readiness(of: entry, at: now, recorded) {
            case .now: return .begin(place, until: nearest)
            case .at(let instant): nearest = min(instant, nearest ?? instant)
            case .after(let place):
                // What comes first may have to wait itself.
                guard case .at(let instant) = readiness(of: entries[place], at: now, recorded) else {
                    return .begin(place, until: nearest)
                }
                nearest = min(instant, nearest ?? instant)
            case .never(let reason, let isHeld): return .giveUp(place, reason: reason, isHeld: isHeld)
            }
        }
        return nearest.map { .wait(until: $0) } ?? .done
    }

    private enum Readiness {
        case now
        case at(Date)
        /// What is at that place in the queue comes first.
        case after(Int)
        case never(String, isHeld: Bool)
    }

    private func readiness(of entry: Entry, at now: Moment, _ recorded: RecordedState) -> Readiness {
        guard !mode.isDryRun else { return .now }
        if let state = entry.state {
            let wait = state.idleTime(at: now)
            return wait > .zero ? .at(now.date.adding(wait)) : .now
        }
        if let successor = entry.step.successor { return readiness(toLeaveFor: successor) }
        guard case .send(let send) = entry.step.work else { return .now }
        // What a crash left behind is to be written down, and nothing to be sent.
        if send.members.isEmpty { return .now }
        // Wherever it stands: a send may have come due after its topic's changes had begun.
        let needs = entry.step.work.needs
        let change = entries.firstIndex { $0.step.work.subject.map(needs.contains) ?? false }
        if let change { return .after(change) }
        if let reason = whyHeld(send) { return .never(reason, isHeld: true) }
        return readiness(toSend: send, at: now, recorded)
    }

    /// Changes of its topics take a while to reach all of FCM.
    private func readiness(toSend send: Plan.Send, at now: Moment, _ recorded: RecordedState) -> Readiness {
        let changes = send.target.topics.compactMap { recorded.topics[$0]?.changed }
        guard let changed = changes.max() else { return .now }
        // A clock that was set back, or a state from a simulated future, must not make us wait for years.
        let wait = min(
            changed.adding(propagationDelay).timeIntervalSince(now.date), propagationDelay.seconds)
        guard wait > 0 else { return .now }
        let instant = now.date.addingTimeInterval(wait)
        if let deadline = send.deadline, instant > deadline {
            let names = send.target.topics.map { "'\($0)'" }.joined(separator: ", ")
            return .never("topic \(names) settles later than max_lateness allows", isHeld: false)
        }
        return .at(instant)
    }

    /// Of a topic that has another name now: nobody leaves the old one before everybody is in the new one.
    private func readiness(toLeaveFor successor: TopicName) -> Readiness {
        if let joining = entries.firstIndex(where: { $0.step.work.subject == .topic(successor) }) {
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

    // MARK: What is over

    /// Notes whether somebody is missing where a step that is over was to change members.
    mutating func noteEnd(of step: Plan.Step, _ report: StepReport) {
        guard let subject = step.work.subject, report.accepted + report.forgotten < report.planned else { return }
        switch step.work.action.effect {
        case .joins: unfinishedJoins.insert(subject)
        case .leaves: unfinishedLeaves.insert(subject)
        case .none: break
        }
    }

    /// What lacks somebody who was to be reached by that send, in words.
    func missingJoins(of send: Plan.Send) -> [String] {
        send.target.topics.filter { unfinishedJoins.contains(.topic($0)) }.map { "topic '\($0)'" }
            + send.target.groups.filter { unfinishedJoins.contains(.group($0)) }.map { "group '\($0)'" }
    }
}
