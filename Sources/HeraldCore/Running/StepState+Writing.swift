internal import FCM

/// What is written to the state, and when.
extension StepState {
    mutating func open(_ context: RunContext) -> StepEffect {
        let (discovered, refused) = (work.discovered ?? [], work.refused)
        let left = discovered.union(refused)
        guard !left.isEmpty, !context.options.mode.isDryRun else { return commit(work.opening, .opening, context) }
        report.unknown += discovered.count
        report.rejected += refused.count
        stage = .naming(left)
        return .read(left.subtracting(.target))
    }

    /// Reports the recipients that an earlier run left between intent and outcome, and those whom it was to try again.
    mutating func tellLeft(_ addressees: [Addressee], _ context: RunContext) {
        let failure = Failure(.interrupted, message: "an earlier run ended before the answer was recorded")
        for addressee in addressees {
            if work.refused.contains(addressee.id) {
                fail(addressee, StepWork.refusal, 1, .rejected, context)
            } else {
                let isHeld = work.send?.refusedAndHeld.contains(addressee.id) == true
                let action = isHeld ? .held : afterUnknown(context)
                fail(addressee, isHeld ? StepWork.refusal : failure, 1, action, context)
            }
        }
        // They count in the open stage before anybody of it is sent the message.
        if !work.refused.isEmpty { checkStage() }
    }

    /// Writes the outcomes so far, together with `changes`.
    mutating func write(
        _ next: Stage, _ changes: [StateChange], _ now: Moment, _ context: RunContext
    ) -> StepEffect {
        if tellsShares, isBelieved(context) { forgetDead(.forgotten, context) }
        return commit(work.changes(outcomes, besides: earlierStarts, at: now.date) + changes, next, context)
    }

    /// A dry run writes nothing.
    mutating func commit(_ changes: [StateChange], _ next: Stage, _ context: RunContext) -> StepEffect {
        stage = next
        return .commit(context.options.mode.isDryRun ? [] : changes)
    }

    /// Whether to believe FCM about dead registrations.
    func isBelieved(_ context: RunContext) -> Bool {
        !deaths.areTooMany && context.believesDead(on: context.api(of: work.action), in: report.id)
    }

    /// The step is over, so what FCM said about dead registrations is judged, even if there are few outcomes.
    mutating func judgeDead(_ context: inout RunContext) {
        checkForgetting(isOver: true, &context)
        forgetDead(isBelieved(context) ? .forgotten : .kept, context)
    }

    /// The step will not go on, and nothing shows whether they are dead.
    mutating func doubtDead(_ context: RunContext) {
        deaths.endSearch()
        forgetDead(.kept, isOver: true, context)
    }

    /// - Parameter isOver: whether nothing more may start.
    private mutating func forgetDead(
        _ action: Report.Failure.Action, isOver: Bool = false, _ context: RunContext
    ) {
        let isTrial = context.options.mode != .apply
        for death in deaths.reported {
            let (id, addressee) = (death.id, death.addressee)
            switch action {
            case .forgotten where !isTrial && mayHaveOthers(addressee, context),
                .kept where !isTrial && !deaths.areTooMany && !isOver && mayHaveOthers(addressee, context):
                deaths.awaitingOthers.append(death)
                continue
            case .forgotten where !isTrial:
                // Only who is to leave a topic comes here with a registration that was replaced. It has left.
                if isReplaced(addressee, context) {
                    outcomes.accepted.insert(id)
                } else {
                    outcomes.forgotten.insert(id)
                }
                report.forgotten += 1
            case .kept where deaths.areTooMany:
                // FCM is not believed here: the recipient counts as before and is held like the rest of the step.
                report.rejected -= 1
                withdrawRejection(of: id)
            default: break
            }
            fail(death, isTrial ? .rejected : action, context)
        }
        deaths.reported = []
    }

    mutating func fail(
        _ death: DeadRegistrations.Death, _ action: Report.Failure.Action, _ context: RunContext
    ) {
        let isUnregistered = death.failure.code == FailureCode.unregistered.rawValue
        if action == .kept, !deaths.areTooMany, isUnregistered { deaths.kept += 1 }
        fail(death.addressee, death.failure, death.attempts, action, context)
    }

    mutating func fail(
        _ addressee: Addressee, _ failure: Failure, _ attempts: Int, _ action: Report.Failure.Action,
        _ context: RunContext
    ) {
        if action == .kept, !deaths.areTooMany { report.doubted += 1 }
        switch action {
        case .retryNextRun, .fixFirst:
            postponed += 1
            givenUp.insert(addressee.id)
        case .held, .resendNextRun: givenUp.insert(addressee.id)
        case .forgotten, .kept, .rejected: break
        }
        let entry = context.entry(of: addressee, failure, attempts: attempts, action)
        news.append(.failure(entry))
        report.add(entry)
    }

    // MARK: Being stopped

    /// Somebody asked the run to stop. No more requests start.
    mutating func interrupt() {
        trouble.isInterrupted = true
        report.stop(.interrupted)
    }

    /// Stops waiting for the requests under way. Their messages may have arrived.
    mutating func abandon(
        _ answers: [Inbox.Answer], _ now: Moment, _ context: inout RunContext
    ) -> StepEffect {
        interrupt()
        take(answers, now, &context)
        guard work.isSend, !calls.inFlight.isEmpty else {
            calls.inFlight = .init()
            return goOn(now, &context)
        }
        report.unknown += calls.inFlight.recipients.count
        outcomes.unknown.formUnion(calls.inFlight.recipients)
        stage = .abandoning
        return .read(calls.inFlight.recipients.subtracting(.target))
    }

    /// - Parameter found: the registrations that the state could give.
    mutating func writeOff(
        _ found: [RecipientID: Registration], _ now: Moment, _ context: inout RunContext
    ) -> StepEffect {
        let failure = Failure(.interrupted, message: "the run was stopped before the answer came")
        for addressee in named(calls.inFlight.recipients, found) {
            let attempt = queue.retries.attempts(of: addressee.id) + 1
            fail(addressee, failure, attempt, afterUnknown(context), context)
        }
        calls.inFlight = .init()
        return goOn(now, &context)
    }
}
