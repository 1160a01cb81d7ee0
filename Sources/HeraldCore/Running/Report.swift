internal import FCM

/// What a run did, and what came of every recipient it planned for.
package struct Report: Hashable, Sendable {
    package enum Result: String, Hashable, Sendable {
        case running, ok, failed, unknown, refused, interrupted
    }

    package var run: String
    package var planDigest: String
    package var isDryRun: Bool
    package var started: Date
    package var finished: Date?
    package var result: Result = .running
    package var endpoint: EndpointKind
    package var project: String
    package var version: String
    package var gitCommit: String?
    package var overrides: [String] = []
    /// Occurrences that were due and are too late.
    package var missed: Int
    /// Which those are, as far as that is known.
    package var missedOccurrences: [Plan.Missed] = []
    package var steps: [StepReport]
    /// Whether the run ended because nobody answered.
    package var isUnreachable = false
    /// Whether a guard refused something while it ran, or a step was left out because one would.
    package var wasBlocked = false
    /// What was found out that concerns no single step.
    package var notes: [String] = []

    /// A run that has not begun.
    package init(
        run: String, plan: Plan, planDigest: String, isDryRun: Bool, started: Date, endpoint: EndpointKind,
        project: String, version: String, gitCommit: String? = nil, overrides: [String] = []
    ) {
        self.run = run
        self.planDigest = planDigest
        self.isDryRun = isDryRun
        self.started = started
        self.endpoint = endpoint
        self.project = project
        self.version = version
        self.gitCommit = gitCommit
        self.overrides = overrides
        missed = plan.missed.count
        missedOccurrences = plan.missed
        steps = plan.steps.map { StepReport($0) }
        for held in plan.held where held.remaining > 0 {
            // What a crash left of it has a step already.
            if let index = steps.firstIndex(where: { $0.id == .send(held.occurrence) }) {
                steps[index].add(held)
            } else {
                steps.append(StepReport(held))
            }
        }
    }

    package struct Failure: Hashable, Sendable {
        /// A fingerprint; absent where a request addresses no single registration.
        package var registration: String?
        package var code: String
        package var httpStatus: Int?
        package var message: String
        package var attempts: Int
        package var action: Action

        package enum Action: String, Hashable, Sendable {
            /// FCM says the registration is dead; no plan has it any more.
            case forgotten
            /// Dead too, and kept: too many at once, or nothing has succeeded that would show we are heard rightly.
            case kept
            case rejected
            /// May have arrived; not sent again unless somebody says so.
            case held
            /// Did not take effect; the next run tries it.
            case retryNextRun = "retry_next_run"
        }
    }
}

/// One step's account. What was planned and is in no other figure is pending: promise 2 holds by construction.
package struct StepReport: Hashable, Sendable {
    /// Failures that a report shows one by one, for each step.
    package static let shownFailures = 1000
    package static let shownMessageIDs = 1000
    /// Why a step ends that somebody's request to end the run cut short.
    static let interruption = "the run was stopped"

    package var id: StepID
    package var action: String
    package var occurrence: String?
    package var topic: String?
    package var group: String?
    /// What happened besides, for people.
    package var note: String?
    /// Whether it answers for each member of a device group, as the group protocol's own reply did.
    package var repliesForGroup = false
    /// Whether it was held before the run began: no news, and no failure of this run.
    package private(set) var isStanding = false
    package var planned: Int
    package var accepted = 0
    package var rejected = 0
    package var unknown = 0
    package var skipped = 0
    package var held = 0
    /// Of the accepted: subscriptions that were there before.
    package var preexisting = 0
    package var retries = 0
    /// Of the rejected: forgotten.
    package var forgotten = 0
    /// Repeats after an answer that FCM might have contradicted by delivering all the same.
    package var possibleDuplicates = 0
    package var duration: Duration = .zero
    package var messageIDs: [String] = []
    /// The first `shownFailures`.
    package var failures: [Report.Failure] = []
    /// Failures beyond those, kept elsewhere.
    package var failuresOmitted = 0
    /// Why the step ended before its end: the first reason there was.
    package private(set) var stopped: String?

    package var pending: Int { planned - accepted - rejected - unknown - skipped - held }

    package init(_ step: Plan.Step) {
        id = step.id
        action = step.work.action.description
        planned = step.work.planned
        switch step.work {
        case .subscribe(let name, _), .unsubscribe(let name, _): topic = name.rawValue
        case .group(let change): group = change.group.rawValue
        case .send(let send):
            occurrence = send.occurrence.rawValue
            if case .group(let name) = send.target {
                group = name.rawValue
                repliesForGroup = send.groupMembers == .each
            }
        }
    }

    /// An occurrence that something holds.
    init(_ held: Plan.Held) {
        id = .send(held.occurrence)
        action = Plan.Action.send.description
        occurrence = held.occurrence.rawValue
        planned = 0
        add(held)
    }
}

extension StepReport {
    /// Counts a failure, and shows it while there is room.
    mutating func add(_ failure: Report.Failure) {
        if failures.count < Self.shownFailures { failures.append(failure) } else { failuresOmitted += 1 }
    }

    /// Counts those of its occurrence whom something held before the run began.
    mutating func add(_ held: Plan.Held) {
        planned += held.remaining
        self.held += held.remaining
        note = held.reason
        isStanding = true
    }

    /// Ends the step, unless it had ended already.
    mutating func stop(_ reason: String) { stopped = stopped ?? reason }

    /// Ends it because a person paused it: what is left is held, and nobody's failure.
    mutating func pause() {
        guard stopped == nil else { return }
        note = "the campaign is paused"
        isStanding = true
    }
}

extension Report {
    /// How it ended, by its steps. Of several endings the one counts whose exit code comes first in
    /// docs/promises.md#exit-codes. The caller sets `interrupted`.
    package var outcome: Result {
        if result == .interrupted { return result }
        if steps.contains(where: { $0.unknown > 0 }) { return .unknown }
        if wasBlocked { return .refused }
        let hasFailed = steps.contains { step in
            step.rejected > step.forgotten || step.stopped != nil
                || !step.isStanding && step.pending + step.held > 0
        }
        return hasFailed || missed > 0 ? .failed : .ok
    }
}
