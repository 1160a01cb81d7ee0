internal import FCM

/// The sends of one process that helps a run (`herald work`): one part of a job after the other.
package struct WorkerRun<C: Clock> where C.Duration == Duration {
    /// How its part in a job ended.
    package enum End: Hashable, Sendable {
        /// There is nothing left to claim, or the conductor ended the job.
        case over
        /// A person paused the campaign. The job may go on when they resume it.
        case paused
        /// For another reason, which concerns this job alone.
        case stopped(String)
        /// This process cannot send: another job would end the same way.
        case refused(String)
        case interrupted
    }

    private let endpoint: EndpointKind
    private let runBegin: C.Instant
    /// The starts of the last second count for the next job too.
    private var sends: RateLimiter?
    private var campaigns: [String: RateLimiter] = [:]

    package init(at endpoint: EndpointKind, clock: C) {
        self.endpoint = endpoint
        runBegin = clock.now
    }

    /// - Parameter surroundings: with a crew that has joined the job.
    package mutating func work(
        on job: JobID, _ send: SharedSend, in surroundings: Executor<C>.Surroundings
    ) async -> (report: StepReport, end: End) {
        let now = surroundings.moment(since: runBegin)
        var context = context(of: send, now, surroundings)
        var step = Plan.Step(work: .send(send.part(begun: Partition())), reason: "")
        let work: StepWork
        do {
            let begun = try await classes(of: send, in: surroundings.store)
            step = Plan.Step(work: .send(send.part(begun: begun)), reason: "")
            work = try StepWork(step.work, isDryRun: false, partUntil: send.limits, begun: now.date, now: now.date)
        } catch {
            // The run waits for all who have joined the job.
            _ = try? await surroundings.crew?.leave(job)
            let reason = (error as? StateError)?.description ?? StopReason.unwritableMessage.words
            return (StepReport(step), .stopped(reason))
        }
        var state = StepState(work, members: [], probesAPI: false, report: StepReport(step))
        state.join(job, isConductor: false, &context)
        let shell = StepShell(surroundings, runBegin: runBegin, campaign: send.campaign)
        while await !shell.run(&state, &context) {}
        (sends, campaigns) = (context.sends, context.campaigns)
        return (state.report, end(state, context))
    }

    /// Which recipients get which text of a personal campaign, as the state has it.
    private func classes(of send: SharedSend, in store: any StateStore) async throws -> Partition<MessageClass> {
        guard send.content.differsByRecipient else { return Partition() }
        return try await store.occurrence(send.occurrence)?.classes ?? Partition()
    }

    private func context(
        of send: SharedSend, _ now: Moment, _ surroundings: Executor<C>.Surroundings
    ) -> RunContext {
        let identity = RecordedState.Identity(lineage: "", project: "", endpoint: endpoint, created: now.date)
        let limiter = RateLimiter(send.runRate, ramp: send.ramp, begin: now.elapsed - send.ramped, after: sends)
        return RunContext(
            send.options, capacity: surroundings.sender.capacity, random: surroundings.random,
            fingerprints: surroundings.fingerprints, recorded: RecordedState(identity: identity), endpoint: endpoint,
            began: now.date, sends: limiter, campaigns: campaigns)
    }

    private func end(_ state: StepState, _ context: RunContext) -> End {
        if context.stop != nil { return .interrupted }
        let reason = state.report.stopped
        if let reason, context.isUnreachable || state.trouble.isRefused { return .refused(reason.words) }
        // Who has left a job has none any more, which would look as if the conductor had ended it.
        if reason ?? .interrupted == .interrupted, state.report.standing == .held { return .paused }
        guard reason != .interrupted, let words = reason?.words ?? (state.report.isStanding ? state.report.note : nil)
        else { return .over }
        return .stopped(words)
    }
}
