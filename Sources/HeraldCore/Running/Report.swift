internal import FCM

/// What a run did, and what came of every recipient it planned for. It has many parts, because all that a reader may
/// ask of a run is in its report.
package struct Report: Hashable, Sendable {
    package enum Result: String, Hashable, Sendable {
        case running, ok, failed, unknown, halted, refused, interrupted
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
    /// The approval that the run was given (`apply --approved`).
    package var approval: String?
    /// What was committed last when the report was saved. `nil` for dry runs and tests, and in reports of older
    /// heralds.
    package var state: StateVersion?
    /// How many occurrences were due and are now too late, for everybody or for the first of their people.
    package var missed: Int
    /// The missed occurrences that are known by name.
    package var missedOccurrences: [Plan.Missed] = []
    /// Campaigns of which a clock that was fast left times that are still to come. A saved report names them in `notes` only.
    package var silenced: [String] = []
    /// Occurrences that were left out because a later one was sent. That is no failure.
    package var superseded: [Plan.Missed] = []
    /// How many were left out so, listed or not.
    package var supersededCount: Int
    /// What the counts above have besides the lists.
    var unlisted = Plan.Unlisted()
    /// What its plans halted before anything more of it started.
    var halted: [Plan.Held] = []
    /// What guards refused in the plans so far.
    var withheld: Set<GuardRefusal.Cause> = []
    /// What nobody approved in them. A saved report names it in `notes` and at its steps only.
    package var unapproved: [Plan.Unapproved] = []
    package var steps: [StepReport]
    /// Whether the run ended because the endpoint did not answer.
    package var isUnreachable = false
    /// Whether a guard blocked something during the run, or something was left out of the plan because of a guard: a
    /// step, or what the next runs would send.
    package var wasBlocked = false
    /// Findings that concern no single step.
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
        (missed, supersededCount) = (0, 0)
        silenced = plan.silenced.map(\.campaign)
        notes = plan.silenced.map(\.sentence) + plan.waiting.map(\.sentence)
        steps = plan.steps.map { StepReport($0) }
        noteLeftOut(of: plan)
        noteMissed(in: plan.steps)
        for held in plan.held where held.remaining > 0 {
            // If a crash left something of it, the occurrence already has a step.
            if let index = steps.firstIndex(where: { $0.id == .send(held.occurrence) }) {
                steps[index].add(held)
            } else {
                steps.append(StepReport(held))
            }
        }
    }

    /// - Parameter plan: the run's first plan, or a later one without the occurrences that are noted already.
    mutating func noteLeftOut(of plan: Plan) {
        missedOccurrences += plan.missed
        superseded += plan.superseded
        halted += plan.halted
        notes += plan.joinedLate.map { "\($0.occurrence): \($0.reason)" }
        // A later plan counts again what an earlier one has counted.
        unlisted.missed.merge(plan.unlisted.missed, uniquingKeysWith: max)
        unlisted.superseded.merge(plan.unlisted.superseded, uniquingKeysWith: max)
        countMissed()
        supersededCount = superseded.count + unlisted.superseded.values.reduce(0, +)
        noteWithheld(in: plan)
    }

    /// What a later plan goes on with waits only for what that plan says.
    mutating func noteWaiting(for id: OccurrenceID, in plan: Plan) {
        notes.removeAll { $0.hasPrefix(Plan.Waiting.beginning(of: id)) }
        notes += plan.waiting.filter { $0.occurrence == id }.map(\.sentence)
    }

    mutating func countMissed() { missed = missedOccurrences.count + unlisted.missed.values.reduce(0, +) }

    /// Takes back what the run was to skip, or to tell as missed, because a step does not begin: the state knows nothing
    /// of it, and the run that begins it tells it.
    ///
    /// - Parameter step: what was to begin.
    mutating func countLater(_ step: Plan.Step, at index: Int) {
        steps[index].countLater(step)
        // What an earlier part of it has skipped is in the state.
        if steps[index].hasMissed { return }
        missedOccurrences.removeAll { StepID.send($0.occurrence) == step.id }
        countMissed()
    }

    package struct Failure: Hashable, Sendable {
        /// A fingerprint. `nil` if the request addresses no single registration.
        package var registration: String?
        package var code: String
        package var httpStatus: Int?
        package var message: String
        package var attempts: Int
        package var action: Action

        package init(
            registration: String?, code: String, httpStatus: Int?, message: String, attempts: Int, action: Action
        ) {
            (self.registration, self.code, self.httpStatus) = (registration, code, httpStatus)
            (self.message, self.attempts, self.action) = (message, attempts, action)
        }

        package enum Action: String, Hashable, Sendable {
            /// FCM says the registration is dead. No plan uses it any more.
            case forgotten
            /// Also dead, but kept: there were too many at once, or no success has shown that the credentials are
            /// right.
            case kept
            case rejected
            /// The message may have arrived. herald does not send it again unless a person says so.
            case held
            /// The message may have arrived. The next run sends it again, as the campaign's `on_unknown` says, unless a
            /// person says that it did.
            case resendNextRun = "resend_next_run"
            /// The request had no effect. The next run tries again.
            case retryNextRun = "retry_next_run"
            /// The request had no effect, and it fails again until the message, a setting or a permission is changed.
            case fixFirst = "fix_first"
        }
    }
}

/// One step's account. Whatever was planned and is in no other figure is pending, so no recipient can be lost from it
/// (docs/explanation/promises.md#promises). It has many parts, because each figure and reason that a report shows is
/// one.
package struct StepReport: Hashable, Sendable {
    /// How many failures a report shows for each step.
    package static let shownFailures = 1000
    package static let shownMessageIDs = 1000

    package var id: StepID
    package var action: Plan.Action
    package var occurrence: String?
    package var topic: String?
    package var group: String?
    /// A remark for people.
    package var note: String?
    /// Who approved it, as the state says.
    package var approver: String?
    /// Whether it sends to each member of a device group, and so counts members as the reply of FCM's group protocol
    /// did.
    package var repliesForGroup = false
    /// Why it has recipients that are not tried, if that is no failure of this run.
    package private(set) var standing: Standing?
    package var planned: Int
    package var accepted = 0
    package var rejected = 0
    package var unknown = 0
    package var skipped = 0
    package var held = 0
    /// How many of the accepted subscriptions existed before.
    package var preexisting = 0
    package var retries = 0
    /// How many registrations were forgotten.
    package var forgotten = 0
    /// How many of them belong to recipients who count as before, because they may have another registration.
    var replaced = 0
    /// How many of the rejected FCM called dead, without anything that shows whether to believe it.
    var doubted = 0
    /// How often a message was sent again after FCM refused it. FCM might have delivered it all the same.
    package var possibleDuplicates = 0
    package var duration: Duration = .zero
    package var messageIDs: [String] = []
    /// The first `shownFailures`.
    package var failures: [Report.Failure] = []
    /// How many more failures there were. They are kept elsewhere.
    package var failuresOmitted = 0
    /// For a personal campaign: the account of those who get each locale's text, as far as the state could be read. The
    /// message itself is under the default locale, or under `MessageClass.unnamed`. Nothing in a dry run.
    package var locales: [String: ClassFigures] = [:]
    /// The same by variant, holdouts included.
    package var variants: [String: ClassFigures] = [:]
    /// The stages of a send, with what came of each.
    package var stages: [Plan.Stage] = []
    /// In local time: how many joined the list, or moved, after their clock had passed it.
    package var joinedLate: Int?
    /// Whether the next run sends again what may have arrived.
    package var resendsUnknown = false
    /// How many recipients were skipped, and why.
    package var leftOut = LeftOutCounts()
    /// Outcomes of a send that could not be written to the state.
    package var unrecorded: UnrecordedOutcomes?
    /// Why the step stopped early. The first reason counts.
    package private(set) var stopped: StopReason?

    package enum Standing: Hashable, Sendable {
        /// A person holds it, or something held it before the run began.
        case held
        /// It goes on by itself, in a later run.
        case waiting
    }

    package var isStanding: Bool { standing != nil }

    /// Whether whoever is left of it is tried by a later run, without a person.
    package var isWaiting: Bool { standing == .waiting && stopped == nil }

    package var pending: Int { planned - accepted - rejected - unknown - skipped - held }

    package init(_ step: Plan.Step) {
        id = step.id
        action = step.work.action
        planned = step.work.planned
        approver = step.approver
        switch step.work {
        case .subscribe(let name, _), .unsubscribe(let name, _): topic = name.rawValue
        case .adopt(let adoption): topic = adoption.topic.rawValue
        case .group(let change): group = change.group.rawValue
        case .send(let send):
            occurrence = send.occurrence.rawValue
            leftOut = LeftOutCounts(send)
            skipped = send.leftOut.count + send.skipped.all.count - send.undecided.count
            joinedLate = send.waves?.joinedLate
            resendsUnknown = send.delivery.onUnknown == .resend
            if case .group(let name) = send.target {
                group = name.rawValue
                repliesForGroup = send.delivery.members == .each
            }
        }
    }

    /// A step for an occurrence that something holds.
    init(_ held: Plan.Held) {
        id = .send(held.occurrence)
        action = .send
        occurrence = held.occurrence.rawValue
        planned = 0
        add(held)
    }
}

extension StepReport {
    /// Counts a failure, and keeps it while there is room.
    mutating func add(_ failure: Report.Failure) {
        if failures.count < Self.shownFailures { failures.append(failure) } else { failuresOmitted += 1 }
    }

    /// Counts recipients that the run skips for good.
    mutating func skip(_ reasons: [SkipReason: Int]) {
        skipped += reasons.values.reduce(0, +)
        leftOut.reasons.merge(reasons, uniquingKeysWith: +)
    }

    /// Takes back whom the run was to skip, because the step does not begin: the state knows nothing of it, and the run
    /// that begins it counts them.
    ///
    /// - Parameter step: what was to begin.
    mutating func countLater(_ step: Plan.Step) {
        let later = StepReport(step).leftOut
        skipped -= later.count
        leftOut.subtract(later)
    }

    /// Goes on with recipients of its occurrence whose stage opened, whose clock reached it, or whom caps let through, after
    /// the step was over.
    ///
    /// - Parameters:
    ///   - step: without those who are left out by the first part, which are counted.
    ///   - again: how many of its recipients are counted, and pending.
    mutating func goOn(with step: Plan.Step, again: Int) {
        let more = StepReport(step)
        planned += more.planned - again
        skipped += more.skipped
        leftOut.add(more.leftOut)
        // Whom a pause held may start again.
        if standing == .held { held -= min(held, again) }
        (note, standing, stopped) = (nil, nil, nil)
    }

    /// Whether a later plan may go on with it: it did not stop, or one wave of several expired.
    func mayGoOn(with send: Plan.Send) -> Bool {
        if case .tooLate? = stopped { send.waves != nil } else { stopped == nil }
    }

    /// What it counts so far.
    ///
    /// - Parameter dead: how many of the rejected look dead.
    func figures(dead: Int) -> StageFigures {
        StageFigures(accepted: accepted, rejected: rejected - dead, dead: dead, unknown: unknown)
    }

    /// Whether people were not sent it because no run came in time.
    var hasMissed: Bool { leftOut.reasons[.missed] != nil }

    package var isHaltedStage: Bool { if case .stage? = stopped { true } else { false } }

    /// Counts the recipients of its occurrence that something held before the run began.
    mutating func add(_ held: Plan.Held) {
        planned += held.remaining
        self.held += held.remaining
        note = held.reason
        standing = .held
    }

    /// Ends the step early, unless it has already stopped.
    mutating func stop(_ reason: StopReason) { stopped = stopped ?? reason }

    /// Ends the step because a person paused its campaign. What is left is held and does not count as a failure.
    mutating func pause() {
        guard stopped == nil else { return }
        note = "the campaign is paused"
        standing = .held
    }

    /// Ends the step because nothing of it may start for a while. What is left stays pending and is no failure.
    ///
    /// - Parameter reason: what it waits for.
    mutating func wait(_ reason: String) {
        guard stopped == nil, standing == nil else { return }
        note = reason
        standing = .waiting
    }
}
