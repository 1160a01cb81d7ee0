internal import FCM

/// Whom caps stop because of what else this run sends.
extension Executor {
    /// Decides about those whom caps stop only if earlier sends of the plan start. What did not start fills no cap: it was
    /// halted, paused or refused, or its turn comes later. Whom the cap stops by now is skipped for good. The others wait,
    /// and the next plan judges them.
    mutating func decideCaps(of entry: inout RunQueue.Entry) async {
        guard entry.state == nil, case .send(var send) = entry.step.work, !send.undecided.isEmpty else { return }
        // Nothing starts in a dry run, whose account is that of the plan.
        var stopped = send.skipped.intersection(send.undecided)
        // Who waits already may keep an outcome, and only a plan knows which.
        if !options.mode.isDryRun { stopped = await whomCapsStop(send, except: awaitingCaps[entry.index] ?? []) }
        report.steps[entry.index].skip(stopped.mapMembers { $1.subtracting(send.refusedIfStopped) }.counts)
        send.decide(stopped)
        parts[entry.index]?.decide(stopped)
        awaitingCaps[entry.index, default: []].formUnion(send.undecided)
        entry.step.work = .send(send)
    }

    /// Whose caps are full by what the state has: messages that were accepted, are under way, or may have arrived, also
    /// those that other processes sent. Without the state nobody is skipped for good.
    private func whomCapsStop(_ send: Plan.Send, except waiting: RecipientSet) async -> Partition<SkipReason> {
        guard let starts = try? await surroundings.store.starts() else { return Partition() }
        let book = CapBook(starts, at: surroundings.now())
        let undecided = send.undecided.subtracting(waiting)
        let full = book.capped(undecided, of: send.occurrence, by: send.delivery.frequency.caps)
        return Partition(
            disjoint: Dictionary(full.map { (SkipReason.capped($0.cap.name), $0.members) }) { $0.union($1) })
    }

    /// Whether all whom this run leaves of a send wait for caps.
    func waitsForCapsAlone(_ send: Plan.Send, at index: Int) -> Bool {
        let (step, waiting) = (report.steps[index], awaitingCaps[index]?.count ?? 0)
        return waiting > 0 && step.pending == waiting && (step.unknown == 0 || send.delivery.onUnknown == .hold)
    }

    /// How many of those whom a send has counted a later part of it counts again: they wait for caps, a pause held them,
    /// or nothing started for them. An unknown outcome stays counted beside the one that comes.
    mutating func countedAgain(in step: Plan.Step, at index: Int) async -> Int {
        guard case .send(let send) = step.work else { return 0 }
        var unknown = RecipientSet()
        if send.delivery.onUnknown == .resend {
            unknown = (try? await surroundings.store.occurrence(send.occurrence))?.ledger?.uncertain ?? []
        }
        let waiting = awaitingCaps[index] ?? []
        let all = send.members.union(send.skipped.all).union(send.refused).union(send.discovered)
        var (counted, known) = (RecipientSet(), 0)
        if let before = parts[index] {
            let settled = before.skipped.all.subtracting(before.undecided)
            counted = before.members.union(before.undecided).subtracting(settled).intersection(all)
            // The others with an unknown outcome have it from earlier runs, and this one has not tried them.
            known = min(report.steps[index].unknown, counted.subtracting(waiting).intersection(unknown).count)
        }
        // Who was held before the run began is in no part of it.
        let held = parts[index]?.members.isEmpty ?? true ? min(report.steps[index].held, all.count) : 0
        let again = counted.union(waiting.intersection(all))
        awaitingCaps[index] = waiting.subtracting(again)
        return max(again.count - known, held)
    }

    // MARK: What is judged already

    /// Called before a send begins. Other sends of the run may still have to reach some of the same people, and were
    /// judged as if this one did not exist. Whom a cap stops once this one has started is set aside there. It may not
    /// start for all of them, so they wait, and a later plan judges them.
    mutating func makeWay(for send: Plan.Send) async {
        guard !options.mode.isDryRun else { return }
        let places = queue.entries.indices.filter { send.mayFill(capsOf: queue.entries[$0].step.work) }
        guard !places.isEmpty else { return }
        let starts: [OccurrenceID: Partition<MessageStart>]
        do { starts = try await surroundings.store.starts() } catch {
            return context.giveUp(StateError.reason(error))
        }
        var recorded = CapBook(starts, at: surroundings.now())
        recorded.count(allOf: send)
        for place in places {
            guard case .send(let other) = queue.entries[place].step.work else { continue }
            var book = recorded
            // Some of those that go before it may have reached nobody so far. Those that come after it take nobody's place.
            for (index, entry) in queue.entries.enumerated() where index < place || entry.state != nil {
                if case .send(let before) = entry.step.work { book.count(allOf: before) }
            }
            let common = other.members.intersection(send.members).subtracting(other.seeds)
            let full = book.capped(common, of: other.occurrence, by: other.delivery.frequency.caps)
            let stopped = full.reduce(into: RecipientSet()) { $0.formUnion($1.members) }
            if !stopped.isEmpty { await setAside(stopped, at: place) }
        }
    }

    private mutating func setAside(_ members: RecipientSet, at place: Int) async {
        var entry = queue.entries[place]
        guard case .send(var send) = entry.step.work else { return }
        if var state = entry.state {
            await endJob(of: &state)
            state.queue.setAside(forCaps: members)
            noteAwaitingCaps(state, at: entry.index)
            send.limit(to: send.members.subtracting(state.queue.awaitingCaps))
            report.steps[entry.index] = state.report
            entry.state = state
        } else {
            let tried = send.isResumed ? members : send.deferred.intersection(members)
            if !tried.isEmpty { awaitingCaps[entry.index, default: []].formUnion(tried) }
            send.undecided.formUnion(members)
            send.limit(to: send.members.subtracting(members))
        }
        entry.step.work = .send(send)
        queue.replace(entry, at: place)
    }

    /// Other processes start with nobody of the step any more. It shares again when it goes on.
    private mutating func endJob(of state: inout StepState) async {
        guard let job = state.sharing?.job else { return }
        let event = await StepShell(surroundings, runBegin: runBegin).leave(job)
        let now = surroundings.moment(since: runBegin)
        switch event {
        case .settled(let settlement): state.goOnAlone(after: settlement, now, &context)
        case .storeFailed(let reason):
            state.loseJob(now, &context)
            context.giveUp(reason)
        default: preconditionFailure("a job that is left is settled, or the state cannot say so")
        }
    }

    /// Notes whom a step has set aside.
    mutating func noteAwaitingCaps(_ state: StepState, at index: Int) {
        let waiting = state.queue.awaitingCaps
        if !waiting.isEmpty { awaitingCaps[index, default: []].formUnion(waiting) }
    }
}

extension CapBook {
    /// Counts a send for all whom it may still reach.
    fileprivate mutating func count(allOf send: Plan.Send) {
        guard let counting = send.counting else { return }
        count(send.members.subtracting(send.seeds), of: send.occurrence, tags: counting.tags, heeding: [])
    }
}

extension Plan.Send {
    /// Whether it may fill caps for people of another send, who were judged without it. A send that heeds caps itself
    /// is judged with all that goes first, unless that does not count.
    fileprivate func mayFill(capsOf work: Plan.Work) -> Bool {
        guard let counting, case .send(let other) = work, !other.delivery.frequency.ignoresCaps,
            delivery.frequency.ignoresCaps || other.counting == nil,
            other.delivery.frequency.caps.contains(where: { $0.isFor(counting.tags) })
        else { return false }
        return !other.members.intersection(members).isEmpty
    }

    /// - Parameter stopped: whom of the undecided caps stop. The others are not skipped.
    fileprivate mutating func decide(_ stopped: Partition<SkipReason>) {
        skipped.move(undecided, to: nil)
        for reason in stopped.states { skipped.move(stopped[reason].subtracting(refusedIfStopped), to: reason) }
        refused.formUnion(stopped.all.intersection(refusedIfStopped))
        refusedIfStopped = []
        undecided.subtract(stopped.all)
        keepingOutcome.subtract(undecided)
    }
}
