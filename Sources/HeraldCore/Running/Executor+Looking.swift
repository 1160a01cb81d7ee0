internal import FCM

/// What a run looks for while it works: sends that come due, stages that open, people whom caps let through.
extension Executor {
    struct Opening {
        var campaign: String
        /// Counted from the run's beginning. The date does not do: with `--at` it stands still.
        var at: Duration
    }

    /// The longest time between two looks for what is due.
    private static var patience: Duration { .seconds(10) }

    // MARK: Stages

    /// A stage may open while the run works, or soon after.
    mutating func noteStages(of plan: Plan) {
        for waiting in plan.waiting {
            if waiting.opensStage { awaitStage(of: waiting.occurrence, waiting.campaign, at: waiting.until) }
        }
    }

    /// - Parameter instant: `nil` if no stage of it opens by itself.
    private mutating func awaitStage(of occurrence: OccurrenceID, _ campaign: String, at instant: Date?) {
        let now = surroundings.moment(since: runBegin)
        openings[occurrence] = instant.map {
            Opening(campaign: campaign, at: now.elapsed + .seconds(max(0, $0.timeIntervalSince(now.date))))
        }
    }

    /// When the next stage opens, counted from the run's beginning.
    var nextStage: Duration? { openings.values.map(\.at).min() }

    /// When something else begins than what the queue has.
    var nextBeginning: Date? {
        guard surroundings.lookAgain != nil else { return nil }
        let now = surroundings.moment(since: runBegin)
        let opening = nextStage.map { now.date.adding($0 - now.elapsed) }
        return [nextLook, opening].compactMap(\.self).min()
    }

    /// What ends may be what others wait for: a stage, a follow-up, the rest of what was under way. Only a later plan knows
    /// when what waits for a window goes on.
    mutating func noteEnd(of send: Plan.Send, _ state: StepState, isOver: Bool) {
        awaitStage(of: send.occurrence, send.campaign, at: state.nextStage)
        guard surroundings.lookAgain != nil, isOver else { return }
        if surroundings.followsUp || !state.queue.aside.left.isEmpty {
            let soon = surroundings.moment(since: runBegin).date.adding(Self.patience)
            nextLook = min(soon, nextLook ?? soon)
        }
        if outgrown.remove(.send(send.occurrence)) != nil { hasOutgrown = true }
    }

    /// Whether the next stage opens so soon that the run waits for it.
    var awaitsStage: Bool { !awaited.isEmpty }

    /// The campaigns whose next stage the run waits for.
    var awaited: [String] {
        guard surroundings.lookAgain != nil else { return [] }
        let elapsed = surroundings.moment(since: runBegin).elapsed
        return openings.values.filter { $0.at - elapsed <= Plan.stagePatience }.map(\.campaign)
    }

    // MARK: Looking

    /// Takes in what came due since the plan was made. Steps that it already has stay as they are.
    mutating func lookAgain() async {
        let moment = surroundings.moment(since: runBegin)
        let opens = nextStage.map { moment.elapsed >= $0 } ?? false
        let isDue = opens || hasOutgrown || nextLook.map { moment.date >= $0 } ?? false
        guard surroundings.lookAgain != nil, isDue else { return }
        openings = openings.filter { $0.value.at > moment.elapsed }
        await look(forCaps: false)
    }

    /// - Parameter isForCaps: whether it is for those who wait for caps. Whom this run has given up, the next one tries.
    private mutating func look(forCaps isForCaps: Bool) async {
        guard let look = surroundings.lookAgain else { return }
        let now = surroundings.moment(since: runBegin).date
        // If there is no plan now, there may be one soon.
        nextLook = now.adding(Self.patience)
        hasOutgrown = false
        let underWay = queue.entries.compactMap { entry in
            if case .send(let send) = entry.step.work { send } else { nil }
        }
        guard var plan = await look(now, underWay) else { return }
        openings = [:]
        noteStages(of: plan)
        let known = Dictionary(report.steps.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let turns = sort(plan.steps, known, forCaps: isForCaps)
        let isTold = { [leftOut] (missed: Plan.Missed) in
            leftOut.contains(missed.occurrence) || known[.send(missed.occurrence)] != nil
        }
        plan.missed.removeAll(where: isTold)
        plan.superseded.removeAll(where: isTold)
        plan.joinedLate.removeAll(where: isTold)
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
        for case .send(let send) in turns.map(\.step.work) { report.noteWaiting(for: send.occurrence, in: plan) }
        report.noteLeftOut(of: plan)
        plan.steps = turns.map(\.step)
        report.noteMissed(in: plan.steps)
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
            let isUnderWay = queue.entries.contains { $0.index == index }
            let isMeant = isForCaps ? waitsForCapsAlone(send, at: index) : send.isResumed
            let isOutgrown = !send.members.subtracting(parts[index]?.members ?? []).isEmpty
            let isLeft = leaveOut(givenUp[index] ?? [], of: &send)
            let mayGoOn = !isUnderWay && report.steps[index].mayGoOn(with: send)
            guard mayGoOn, isMeant, isLeft, report.steps[index].action == .send else {
                watermarks.noteUnreached(step)
                if isUnderWay, isOutgrown { outgrown.insert(step.id) }
                continue
            }
            // The first part has counted them, except for those who join.
            (send.leftOut.gone, send.leftOut.dead, send.leftOut.bad) = ([], [], send.joiningBad)
            var step = step
            step.work = .send(send)
            turns.append((step, index))
        }
        return turns
    }

    /// Leaves those to the next run whom this one has given up.
    ///
    /// - Returns: Whether anything else of the send is left.
    private func leaveOut(_ givenUp: RecipientSet, of send: inout Plan.Send) -> Bool {
        let rest = send.members.subtracting(givenUp)
        guard rest.count < send.members.count else { return true }
        send.limit(to: rest)
        send.staysOpen = true
        return !rest.isEmpty || !send.skipped.isEmpty || !send.refused.isEmpty || !send.discovered.isEmpty
    }

    /// Looks once more when all has ended if some wait for caps: what was to fill them has started by now, or does not start
    /// in this run.
    ///
    /// - Returns: Whether it did.
    mutating func lookForCaps() async -> Bool {
        guard report.result != .interrupted, context.fatal == nil, awaitingCaps != lookedForCaps else { return false }
        lookedForCaps = awaitingCaps
        guard surroundings.lookAgain != nil, awaitingCaps.contains(where: { !$1.isEmpty }) else { return false }
        await look(forCaps: true)
        return true
    }
}
