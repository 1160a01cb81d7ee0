internal import FCM

/// Whom caps stop because of what this run was to send before.
extension Executor {
    /// Decides about those whom caps stop only if earlier sends of the plan start. What did not start fills no cap: it was
    /// halted, paused or refused, or its turn comes later. Whom the cap stops by now is skipped for good. The others wait,
    /// and the next plan judges them.
    mutating func decideCaps(of entry: inout RunQueue.Entry) async {
        guard entry.state == nil, case .send(var send) = entry.step.work, !send.undecided.isEmpty else { return }
        // Nothing starts in a dry run, whose account is that of the plan.
        var stopped = send.skipped.intersection(send.undecided)
        if !options.mode.isDryRun { stopped = await whomCapsStop(send) }
        report.steps[entry.index].skip(stopped.mapMembers { $1.subtracting(send.refusedIfStopped) }.counts)
        send.decide(stopped)
        personal[entry.index]?.decide(stopped)
        awaitingCaps[entry.index, default: []].formUnion(send.undecided)
        entry.step.work = .send(send)
    }

    /// Whose caps are full by what the state has: messages that were accepted, are under way, or may have arrived, also
    /// those that other processes sent. Without the state nobody is skipped for good.
    private func whomCapsStop(_ send: Plan.Send) async -> Partition<SkipReason> {
        guard let starts = try? await surroundings.store.starts() else { return Partition() }
        let book = CapBook(starts, at: surroundings.now())
        let full = book.capped(send.undecided, of: send.occurrence, by: send.delivery.frequency.caps)
        return Partition(
            disjoint: Dictionary(full.map { (SkipReason.capped($0.cap.name), $0.members) }) { $0.union($1) })
    }

    /// Whether all whom this run leaves of a send wait for caps.
    func waitsForCapsAlone(_ send: Plan.Send, at index: Int) -> Bool {
        let (step, waiting) = (report.steps[index], awaitingCaps[index]?.count ?? 0)
        return waiting > 0 && step.pending == waiting && (step.unknown == 0 || send.delivery.onUnknown == .hold)
    }

    /// How many of those who waited for caps a later part of their send counts again.
    mutating func countedAgain(in step: Plan.Step, at index: Int) -> Int {
        guard case .send(let send) = step.work, let waiting = awaitingCaps[index] else { return 0 }
        let again = waiting.intersection(send.members.union(send.skipped.all).union(send.refused))
        awaitingCaps[index] = waiting.subtracting(again)
        return again.count
    }
}

extension Plan.Send {
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
