internal import FCM

/// What is written down, and when.
extension StepDrive {
    mutating func open(_ work: StepWork) async {
        if case .send(let send) = work.work, !send.discovered.isEmpty, !options.mode.isDryRun {
            step.unknown += send.discovered.count
            let failure = Failure(.interrupted, message: "an earlier run ended before the answer was recorded")
            for addressee in await named(send.discovered) { fail(addressee, failure, 1, .held) }
        }
        _ = await commit(work.opening)
    }

    /// Writes what has settled, and what is to be written with it. `false`: the state refused, and nothing may start.
    @discardableResult
    mutating func write(_ work: StepWork, and intents: [StateChange] = []) async -> Bool {
        if hasSucceeded, !wasBlocked { forgetDead(.forgotten) }
        let changes = work.changes(settled, at: surroundings.now())
        guard await commit(changes + intents) else { return false }
        settled = UnwrittenOutcomes()
        return true
    }

    mutating func close(_ work: StepWork) async {
        if !wasBlocked, hasSucceeded { forgetDead(.forgotten) } else { forgetDead(.kept) }
        let isComplete = step.pending == 0 && step.stopped == nil && !step.isStanding
        await write(work, and: isComplete ? work.closing(at: surroundings.now(), unknown: step.unknown) : [])
        if wasBlocked || step.isStanding { step.held += step.pending }
    }

    mutating func forgetDead(_ action: Report.Failure.Action) {
        let isTrial = options.mode != .apply
        for (addressee, failure, attempts) in reportedDead {
            let id = addressee.id
            switch action {
            case .forgotten where !isTrial:
                settled.forgotten.insert(id)
                step.forgotten += 1
            case .kept where wasBlocked:
                // Not believed: it counts as not tried, and is held like the rest of the step.
                step.rejected -= 1
                settled.withdrawRejection(of: id)
            default: break
            }
            fail(addressee, failure, attempts, isTrial ? .rejected : action)
        }
        reportedDead = []
    }

    mutating func commit(_ changes: [StateChange]) async -> Bool {
        // A dry run leaves no trace.
        guard !changes.isEmpty, !options.mode.isDryRun else { return true }
        do {
            try await surroundings.store.commit(changes)
            return true
        } catch {
            giveUp(StateError.reason(error))
            return false
        }
    }

    mutating func observeNowAndThen(_ observe: @Sendable (StepReport) async -> Void) async {
        guard elapsed - lastObserved >= .seconds(1) else { return }
        lastObserved = elapsed
        await observe(step)
    }
}
