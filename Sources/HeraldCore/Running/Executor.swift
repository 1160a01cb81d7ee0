internal import FCM

/// Carries out a plan step by step and accounts for every recipient in it. `RunQueue` says which step is next, the
/// step's own state decides what it does, and `StepShell` does it. It has many parts, because a run keeps what each of its
/// plans has left to do.
package struct Executor<C: Clock> where C.Duration == Duration {
    let surroundings: Surroundings
    let runBegin: C.Instant
    var report: Report
    var context: RunContext
    var queue: RunQueue
    var watermarks = Watermarks()
    /// Occurrences that are already reported as missed, superseded, or joined too late by everybody.
    var leftOut: Set<OccurrenceID> = []
    /// What is too late and not noted for people yet, because the next run may find it again. What has a step of its own
    /// is noted when that begins or ends it.
    private var unnoted: [Plan.Missed] = []
    /// Occurrences that the state had when the run began.
    private let recordedBefore: Set<OccurrenceID>
    /// When to look again for sends that came due after the plan was made.
    var nextLook: Date?
    private var campaigns: [StepID: String] = [:]
    /// Occurrences whose next stage opens while this run may still work.
    var openings: [OccurrenceID: Opening] = [:]
    /// Steps that were under way when a later plan had more of them. The run looks again once they are over.
    var outgrown: Set<StepID> = []
    /// Whether one of those is over.
    var hasOutgrown = false
    /// Who waits for a later plan because caps may stop them, by their step's index in the report.
    var awaitingCaps: [Int: RecipientSet] = [:]
    /// Those for whom the run has looked again.
    var lookedForCaps: [Int: RecipientSet] = [:]
    /// Whom steps have given up in this run, by their index in the report.
    var givenUp: [Int: RecipientSet] = [:]
    /// What sends have had so far, by their index in the report: a send may go on in a second part.
    var parts: [Int: Plan.Send] = [:]

    var options: RunOptions { context.options }

    /// - Parameters:
    ///   - state: the state that the plan was made from. Only this run may have changed it since then.
    ///   - report: a report of the same plan that has not begun.
    package static func run(
        _ plan: Plan, from state: consuming RecordedState, _ options: Options, in surroundings: Surroundings,
        report: Report
    ) async throws -> Report {
        var surroundings = surroundings
        let store = try await LeasedStore(surroundings.store, at: state.version, holder: report.run)
        let (observe, isReal) = (surroundings.observe, options.mode == .apply)
        // Dry runs and tests change no state that a report could be compared with.
        let dated: @Sendable (Report) -> Report = { report in
            var report = report
            if isReal { report.state = store.version }
            return report
        }
        surroundings.store = store
        surroundings.observe = { await observe(dated($0)) }
        var executor = Executor(options, surroundings, report, state)
        return dated(await executor.run(plan))
    }

    private init(_ options: RunOptions, _ surroundings: Surroundings, _ report: Report, _ state: RecordedState) {
        self.surroundings = surroundings
        self.report = report
        runBegin = surroundings.clock.now
        recordedBefore = Set(state.occurrences.keys)
        queue = RunQueue(options, began: report.started)
        context = RunContext(
            options, capacity: surroundings.sender.capacity, random: surroundings.random,
            fingerprints: surroundings.fingerprints, wantsReceipts: surroundings.receive != nil,
            withOthers: surroundings.others.recipients, recorded: state, endpoint: report.endpoint,
            began: report.started)
    }

    private mutating func run(_ plan: Plan) async -> Report {
        await take(plan, at: Array(plan.steps.indices))
        noteStages(of: plan)
        repeat { await takeTurns() } while await lookForCaps()
        let unbegun = queue.entries.filter { $0.state == nil }
        await dismissQueue()
        // Whom a step was to skip is nobody whom a person stopped.
        await pauseWhatWasStopped()
        for entry in unbegun { leaveUnbegun(entry.step, at: entry.index) }
        await commitWatermarks()
        report.result = report.outcome
        report.finished = surroundings.now()
        await surroundings.observe(report)
        return report
    }

    /// Takes turns until no step is left, or the run stops.
    private mutating func takeTurns() async {
        while !queue.isEmpty || awaitsStage || hasOutgrown, report.result != .interrupted {
            context.stop = surroundings.stop()
            followCrew()
            if context.stop != nil {
                report.result = .interrupted
            } else if let fatal = context.fatal {
                for entry in queue.entries { report.steps[entry.index].stop(.fatal(fatal)) }
                return
            } else {
                await lookAgain()
                await takeTurn()
            }
            await surroundings.observe(report)
        }
    }

    // MARK: What is to be done

    /// - Parameter indices: those of the plan's steps in the report.
    mutating func take(_ plan: Plan, at indices: [Int]) async {
        var fresh: [RunQueue.Entry] = []
        for (step, index) in zip(plan.steps, indices) {
            if case .send(let send) = step.work, step.refusal == nil {
                campaigns[step.id] = send.campaign
                parts[index] = parts[index]?.joined(with: send) ?? send
            }
            if let refusal = step.refusal {
                refuse(step, refusal, at: index)
            } else {
                fresh.append(.init(step: step, index: index))
            }
        }
        // What came due goes before the steps under way. Those stay in the queue, so that no watermark passes them.
        queue.insert(fresh)
        leftOut.formUnion((plan.missed + plan.superseded + plan.joinedLate).map(\.occurrence))
        watermarks.add(plan.watermarks, after: plan.looks)
        nextLook = surroundings.lookAgain == nil ? nil : plan.nextDue
        let notes = plan.renaming + plan.notesOfRun
        context.recorded.apply(notes)
        unnoted += plan.missedWithoutStep
        await commitWatermarks(with: notes + plan.endings(at: surroundings.now()))
    }

    /// Notes that a step does not begin in this run.
    mutating func leaveUnbegun(_ step: Plan.Step, at index: Int) {
        watermarks.noteUnbegun(step, recorded: context.recorded.watermarks)
        report.countLater(step, at: index)
    }

    private mutating func refuse(_ step: Plan.Step, _ refusal: String, at index: Int) {
        leaveUnbegun(step, at: index)
        report.wasBlocked = true
        report.steps[index].held += report.steps[index].pending
        report.steps[index].stop(.guarded(refusal))
        queue.noteEnd(of: step, report.steps[index])
    }

    /// Does the next step, or waits for the step that is ready first.
    private mutating func takeTurn() async {
        let now = surroundings.moment(since: runBegin)
        switch queue.next(at: now, context.recorded) {
        case .begin(let place, let instant): await begin(at: place, until: instant)
        case .giveUp(let place, let reason, let isHeld):
            let entry = queue.remove(at: place)
            leaveUnbegun(entry.step, at: entry.index)
            if isHeld { report.steps[entry.index].held += report.steps[entry.index].pending }
            report.steps[entry.index].stop(reason)
            await commitWatermarks()
        case .wait(let instant):
            // Waits are short, so that a request to stop is noticed.
            let wait = min(instant.timeIntervalSince(now.date), 1)
            if wait > 0 { try? await surroundings.clock.sleep(for: .seconds(wait)) }
        case .done:
            let wait = min((nextStage ?? now.elapsed) - now.elapsed, .seconds(1))
            if wait > .zero { try? await surroundings.clock.sleep(for: wait) }
        }
    }

    /// Steps that yielded do not go on. What they still have to say is in the report.
    private mutating func dismissQueue() async {
        for entry in queue.entries {
            guard var state = entry.state else { continue }
            if let job = state.sharing?.job,
                case .settled(let settlement) = await StepShell(surroundings, runBegin: runBegin).leave(job)
            {
                state.take(settlement, surroundings.moment(since: runBegin), &context)
            }
            let stopped = report.steps[entry.index].stopped
            // What stopped it holds, whatever ends the run.
            let changes = state.dismiss(surroundings.moment(since: runBegin), context)
            if !changes.isEmpty, !options.mode.isDryRun {
                do { try await surroundings.commit(changes, ending: []) } catch {
                    context.giveUp(StateError.reason(error))
                }
            }
            surroundings.tell(state.takeNews(), of: state.report.id)
            report.steps[entry.index] = state.report
            if let stopped { report.steps[entry.index].stop(stopped) }
        }
        note(isInterrupted: false)
        queue.removeAll()
    }

    /// Between steps nothing starts, so whatever others are to get can be given up.
    private mutating func followCrew() {
        guard let crew = surroundings.crew else { return }
        let (view, now) = (crew.view(), surroundings.moment(since: runBegin))
        context.follow(view, at: now.elapsed)
        crew.adopt(view.share, wants: nil)
        if context.isEnding { crew.dismiss(nil) }
        for (id, news) in queue.follow(now, &context) { surroundings.tell(news, of: id) }
    }

    // MARK: The state

    /// Writes watermarks of campaigns that have no send waiting to begin, and what people are told of what they end.
    mutating func commitWatermarks(with others: [StateChange] = []) async {
        guard context.fatal == nil else { return report.leave(unnoted) }
        let waiting = queue.waitingCampaigns
        let missed = unnoted.forGood(waiting: waiting, recorded: recordedBefore)
        let noted = Set(missed.map(\.occurrence))
        unnoted.removeAll { noted.contains($0.occurrence) }
        let due = watermarks.due(waiting: waiting, recorded: context.recorded.watermarks)
        context.recorded.apply(due)
        await commit(others + due, ending: missed)
    }

    mutating func commit(_ changes: [StateChange], ending missed: [Plan.Missed] = []) async {
        guard !changes.isEmpty || !missed.isEmpty, context.fatal == nil, !options.mode.isDryRun else { return }
        do { try await surroundings.commit(changes, ending: missed) } catch {
            context.giveUp(StateError.reason(error))
        }
    }

    /// When a person stops a run, later runs must not continue what was stopped, also where something else ends the run
    /// meanwhile.
    private mutating func pauseWhatWasStopped() async {
        guard surroundings.stop() == .person, !options.mode.isDryRun else { return }
        // Of answers that hold for all, only that no token is good ends the run.
        let (isInterrupted, hasFailed) = (report.result == .interrupted, context.fatal != nil)
        let pending = report.steps.filter { step in
            guard step.pending > 0 else { return false }
            return switch step.stopped {
            case nil: isInterrupted
            case .interrupted, .fatal: true
            case .answered: hasFailed
            default: false
            }
        }
        let stopped = Set(pending.compactMap { campaigns[$0.id] } + (isInterrupted ? awaited : [])).sorted()
        guard !stopped.isEmpty else { return }
        report.result = .interrupted
        do { try await surroundings.commit(stopped.map { .pause($0) }, ending: []) } catch {
            context.giveUp(StateError.reason(error))
            report.notes.append("nothing was paused: \(StateError.reason(error)); the next run goes on")
        }
    }
}

extension Report {
    /// Takes back what is too late and is not noted any more, because nothing is written: the next run finds it again,
    /// and tells it.
    fileprivate mutating func leave(_ missed: [Plan.Missed]) {
        let later = Set(missed.map(\.occurrence))
        missedOccurrences.removeAll { later.contains($0.occurrence) }
        for id in later { unlisted.missed[id.campaign] = nil }
        countMissed()
    }
}
