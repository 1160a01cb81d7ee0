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
    private var leftOut: Set<OccurrenceID> = []
    /// What is too late and not noted for people yet, because the next run may find it again. What has a step of its own
    /// is noted when that begins or ends it.
    private var unnoted: [Plan.Missed] = []
    /// Occurrences that the state had when the run began.
    private let recordedBefore: Set<OccurrenceID>
    /// When to look again for sends that came due after the plan was made.
    var nextLook: Date?
    /// The longest time between two looks for what is due.
    private static var patience: Duration { .seconds(10) }
    private var campaigns: [StepID: String] = [:]
    /// When the next stage opens of a send that this run has begun, counted from the run's beginning. The date does not do:
    /// with `--at` it stands still.
    var nextStage: Duration?
    /// The campaigns whose next stage opens.
    var awaited: Set<String> = []
    /// Who waits for a later plan because caps may stop them, by their step's index in the report.
    var awaitingCaps: [Int: RecipientSet] = [:]
    /// Those for whom the run has looked again.
    private var lookedForCaps: [Int: RecipientSet] = [:]
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
        while !queue.isEmpty || awaitsStage, report.result != .interrupted {
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

    /// A stage may open while the run works, or soon after.
    private mutating func noteStages(of plan: Plan) {
        guard let stage = plan.nextStage else { return }
        awaitStage(at: stage)
        awaited.formUnion(plan.waiting.compactMap(\.stageOf))
    }

    mutating func awaitStage(at instant: Date) {
        let now = surroundings.moment(since: runBegin)
        let opening = now.elapsed + .seconds(max(0, instant.timeIntervalSince(now.date)))
        nextStage = min(opening, nextStage ?? opening)
    }

    /// Whether the next stage opens so soon that the run waits for it.
    private var awaitsStage: Bool {
        guard surroundings.lookAgain != nil, let nextStage else { return false }
        return nextStage - surroundings.moment(since: runBegin).elapsed <= Plan.stagePatience
    }

    /// Looks once more when all has ended if some wait for caps: what was to fill them has started by now, or does not start
    /// in this run.
    ///
    /// - Returns: Whether it did.
    private mutating func lookForCaps() async -> Bool {
        guard report.result != .interrupted, context.fatal == nil, awaitingCaps != lookedForCaps else { return false }
        lookedForCaps = awaitingCaps
        guard surroundings.lookAgain != nil, awaitingCaps.contains(where: { !$1.isEmpty }) else { return false }
        await look(forCaps: true)
        return true
    }

    /// - Parameter indices: those of the plan's steps in the report.
    private mutating func take(_ plan: Plan, at indices: [Int]) async {
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
        context.recorded.apply(plan.renaming + plan.notes)
        unnoted += plan.missedWithoutStep
        await commitWatermarks(with: plan.renaming + plan.notes + plan.endings(at: surroundings.now()))
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

    /// Takes in what came due since the plan was made. Steps that it already has stay as they are.
    private mutating func lookAgain() async {
        let moment = surroundings.moment(since: runBegin)
        let (now, opens) = (moment.date, nextStage.map { moment.elapsed >= $0 } ?? false)
        guard surroundings.lookAgain != nil, opens || nextLook.map({ now >= $0 }) ?? false else { return }
        if opens { nextStage = nil }
        await look(forCaps: false)
    }

    /// - Parameter isForCaps: whether it is for those who wait for caps. Whom this run has given up, the next one tries.
    private mutating func look(forCaps isForCaps: Bool) async {
        guard let look = surroundings.lookAgain else { return }
        let now = surroundings.moment(since: runBegin).date
        // If there is no plan now, there may be one soon.
        nextLook = now.adding(Self.patience)
        let underWay = queue.entries.compactMap { entry in
            if case .send(let send) = entry.step.work { send } else { nil }
        }
        guard var plan = await look(now, underWay) else { return }
        let known = Dictionary(report.steps.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let turns = sort(plan.steps, known, forCaps: isForCaps)
        let isTold = { [leftOut] (missed: Plan.Missed) in
            leftOut.contains(missed.occurrence) || known[.send(missed.occurrence)] != nil
        }
        plan.missed.removeAll(where: isTold)
        plan.superseded.removeAll(where: isTold)
        plan.joinedLate.removeAll(where: isTold)
        plan.renames = []
        var indices: [Int] = []
        for (step, index) in turns {
            indices.append(index ?? report.steps.count)
            if let index {
                let again = await countedAgain(in: step, at: index)
                report.steps[index].goOn(with: step, again: again)
            } else {
                report.steps.append(StepReport(step))
            }
        }
        report.noteLeftOut(of: plan)
        plan.steps = turns.map(\.step)
        await take(plan, at: indices)
    }

    /// The sends of a later plan, in its order: those that go on with an occurrence of this run, with their index in
    /// the report, and those of other occurrences. While a step is under way, or stopped, the next run goes on with its
    /// occurrence.
    private mutating func sort(
        _ steps: [Plan.Step], _ known: [StepID: Int], forCaps isForCaps: Bool
    ) -> [(step: Plan.Step, index: Int?)] {
        var turns: [(step: Plan.Step, index: Int?)] = []
        for step in steps {
            guard case .send(var send) = step.work else { continue }
            guard let index = known[step.id] else {
                turns.append((step, nil))
                continue
            }
            let isOver = !queue.entries.contains { $0.index == index } && report.steps[index].stopped == nil
            let isMeant = isForCaps ? waitsForCapsAlone(send, at: index) : send.isResumed
            guard isOver, isMeant, report.steps[index].action == .send else {
                watermarks.noteUnreached(step)
                continue
            }
            // The first part has counted them, except for those who join.
            (send.leftOut.gone, send.leftOut.bad) = ([], send.joiningBad)
            var step = step
            step.work = .send(send)
            turns.append((step, index))
        }
        return turns
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

    /// When a person stops a run, later runs must not continue what was stopped.
    private mutating func pauseWhatWasStopped() async {
        guard report.result == .interrupted, surroundings.stop() == .person, !options.mode.isDryRun else { return }
        let pending = report.steps.filter {
            $0.pending > 0 && ($0.stopped == nil || $0.stopped == .interrupted)
        }
        let stopped = pending.compactMap { campaigns[$0.id] } + (awaitsStage ? awaited : [])
        await commit(Set(stopped).sorted().map { .pause($0) })
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
