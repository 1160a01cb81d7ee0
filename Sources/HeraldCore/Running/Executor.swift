package import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Carries out a plan, step by step, and accounts for everyone in it.
package struct Executor<C: Clock> where C.Duration == Duration {
    /// What a run may do and must respect.
    package struct Options: Sendable {
        package var fcm: FCMSettings
        package var guards: GuardLimits
        package var overrides: Overrides
        /// Sends go out with `validate_only`, at most so many for each campaign; memberships are skipped.
        package var dryRunSample: Int?
        package var retry = RetryPolicy()

        package init(
            fcm: FCMSettings, guards: GuardLimits, overrides: Overrides = .init(), dryRunSample: Int? = nil
        ) {
            self.fcm = fcm
            self.guards = guards
            self.overrides = overrides
            self.dryRunSample = dryRunSample
        }
    }

    /// The world it works in.
    package struct Surroundings: Sendable {
        package var store: any StateStore
        package var sender: any Sender
        package var clock: C
        package var now: @Sendable () -> Date
        package var random: any RandomNumberGenerator & Sendable
        package var fingerprints: Fingerprinter
        /// Whether somebody asked the run to end: nothing more is started.
        package var isStopping: @Sendable () -> Bool
        /// Told of the report whenever it is worth showing or saving.
        package var observe: @Sendable (Report) async -> Void
        /// Told of every accepted send.
        package var receive: @Sendable (_ step: String, _ registration: String?, _ messageID: String) -> Void
        /// Told of every failure, also of those that the report counts only.
        package var note: @Sendable (_ step: String, Report.Failure) -> Void

        package init(
            store: any StateStore, sender: any Sender, clock: C, now: @escaping @Sendable () -> Date,
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
            fingerprints: Fingerprinter, isStopping: @escaping @Sendable () -> Bool = { false },
            observe: @escaping @Sendable (Report) async -> Void = { _ in },
            receive: @escaping @Sendable (_ step: String, _ registration: String?, _ messageID: String) -> Void = {
                _, _, _ in
            },
            note: @escaping @Sendable (_ step: String, Report.Failure) -> Void = { _, _ in }
        ) {
            self.store = store
            self.sender = sender
            self.clock = clock
            self.now = now
            self.random = random
            self.fingerprints = fingerprints
            self.isStopping = isStopping
            self.observe = observe
            self.receive = receive
            self.note = note
        }
    }

    private let options: Options
    private var surroundings: Surroundings
    private let begin: C.Instant
    private var report: Report
    private var sends: RateLimiter
    private var subscriptions: RateLimiter
    private var topics: [TopicName: RecordedTopic]
    /// Topics that keep somebody who was to leave.
    private var unfinishedLeaves: Set<TopicName> = []
    private var hasSucceeded = (send: false, membership: false)
    /// Why nothing more can be started at all.
    private var fatal: String?

    /// - Parameter report: of the same plan, not begun.
    package static func run(
        _ plan: Plan, _ options: Options, in surroundings: Surroundings, report: Report
    ) async throws -> Report {
        var executor = Executor(options, surroundings, report, try await surroundings.store.record())
        return await executor.run(plan)
    }

    private init(_ options: Options, _ surroundings: Surroundings, _ report: Report, _ record: Record) {
        self.options = options
        self.surroundings = surroundings
        begin = surroundings.clock.now
        self.report = report
        topics = record.topics
        sends = RateLimiter(options.fcm.rate, ramp: options.fcm.ramp)
        subscriptions = RateLimiter(options.fcm.subscriptionRate)
    }

    private mutating func run(_ plan: Plan) async -> Report {
        await recordMissed(plan)
        for (index, step) in plan.steps.enumerated() {
            if surroundings.isStopping() { report.result = .interrupted }
            if report.result == .interrupted { break }
            if let fatal {
                report.steps[index].stop(fatal)
            } else {
                await run(step, at: index)
            }
            await surroundings.observe(report)
        }
        report.result = report.outcome
        report.finished = surroundings.now()
        await surroundings.observe(report)
        return report
    }

    /// A missed occurrence is over: it is reported once.
    private mutating func recordMissed(_ plan: Plan) async {
        guard options.dryRunSample == nil else { return }
        let now = surroundings.now()
        let changes = plan.missed.flatMap { missed -> [RecordChange] in
            let opening = missed.unrecorded.map { [RecordChange.open(missed.occurrence, $0)] } ?? []
            // One that has a step is finished by it.
            let hasStep = plan.steps.contains { $0.id == "send:\(missed.occurrence)" }
            return hasStep ? [] : opening + [.finish(missed.occurrence, at: now)]
        }
        guard !changes.isEmpty else { return }
        do { try await surroundings.store.commit(changes) } catch { fatal = "the record cannot be written or read" }
    }

    private mutating func run(_ step: Plan.Step, at index: Int) async {
        var members: RecipientSet
        var lane = Lane(shared: subscriptions)
        switch step.work {
        case .subscribe(_, let all), .unsubscribe(_, let all):
            if options.dryRunSample != nil {
                report.steps[index].skipped = step.work.planned
                return
            }
            members = all
        case .send(let send):
            lane = Lane(shared: sends, own: send.rate.map { RateLimiter($0) })
            guard await settle(before: send, at: index) else { return }
            members = send.members
            if options.dryRunSample != nil { report.steps[index].skipped = send.discovered.count }
            if let sample = options.dryRunSample, members.count > sample {
                report.steps[index].skipped += members.count - sample
                members = RecipientSet(members.prefix(sample))
            }
        }
        var drive = StepDrive(
            options: options, surroundings: surroundings, members: members, lane: lane,
            hasSucceeded: step.isSend ? hasSucceeded.send : hasSucceeded.membership, step: report.steps[index],
            runBegin: begin)
        do {
            let work = try StepWork(
                step.work, askedBefore: askedBefore(step), isDryRun: options.dryRunSample != nil,
                now: surroundings.now())
            let report = report
            let observe = surroundings.observe
            self.report.steps[index] = await drive.run(work) { step in
                var report = report
                report.steps[index] = step
                await observe(report)
            }
        } catch {
            report.steps[index].stop("the message cannot be written as JSON")
        }
        take(drive, from: step, at: index)
    }

    /// What the step leaves behind for those after it.
    private mutating func take(_ drive: StepDrive<C>, from step: Plan.Step, at index: Int) {
        fatal = drive.fatal
        if drive.isUnreachable { report.isUnreachable = true }
        surroundings.random = drive.random
        if drive.wasRefused { report.result = .refused }
        if drive.wasInterrupted { report.result = .interrupted }
        switch step.work {
        case .send:
            hasSucceeded.send = drive.hasSucceeded
            sends = drive.lane.shared
        case .subscribe(let name, _), .unsubscribe(let name, _):
            hasSucceeded.membership = drive.hasSucceeded
            subscriptions = drive.lane.shared
            topics[name, default: RecordedTopic()].changed = surroundings.now()
            let account = report.steps[index]
            if step.work.action == "unsubscribe", account.accepted + account.forgotten < account.planned {
                unfinishedLeaves.insert(name)
            }
        }
    }

    private func askedBefore(_ step: Plan.Step) -> RecipientSet {
        if case .subscribe(let name, _) = step.work { topics[name]?.subscribing ?? [] } else { [] }
    }

    /// Waits until FCM has taken in the topic's changes. `false`: the send is not to go out now.
    private mutating func settle(before send: Plan.Send, at index: Int) async -> Bool {
        guard case .topic(let name) = send.target, options.dryRunSample == nil else { return true }
        // What a crash left behind is to be written down, and nothing to be sent.
        if send.members.isEmpty { return true }
        if unfinishedLeaves.contains(name) {
            report.steps[index].held = send.members.count
            report.steps[index].stop("not everybody who was to leave topic '\(name)' has left it")
            return false
        }
        guard let changed = topics[name]?.changed else { return true }
        let now = surroundings.now()
        // A clock that was set back, or a record from a simulated future, must not make us wait for years.
        let wait = min(changed.adding(options.fcm.settle).timeIntervalSince(now), options.fcm.settle.seconds)
        guard wait > 0 else { return true }
        if let deadline = send.deadline, now.addingTimeInterval(wait) > deadline {
            report.steps[index].stop("topic '\(name)' settles later than max_lateness allows")
            return false
        }
        var left = Duration.seconds(wait)
        // In short naps, so that a request to end is heard.
        while left > .zero, !surroundings.isStopping() {
            let nap = min(left, .seconds(1))
            try? await surroundings.clock.sleep(for: nap)
            left -= nap
        }
        if surroundings.isStopping() {
            report.result = .interrupted
            return false
        }
        return true
    }
}

extension Plan.Step {
    fileprivate var isSend: Bool { if case .send = work { true } else { false } }
}
