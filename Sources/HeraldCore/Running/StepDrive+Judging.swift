internal import FCM

/// What an answer means for its recipient, for the step, and for the run.
extension StepDrive {
    /// A server that takes every request and answers none would make everybody unknown, one after the other.
    mutating func note(_ exchange: Exchange, _ asked: Inbox.Asked, _ verdict: Verdict?, isFull: Bool) {
        let outcome: Window.Outcome
        switch exchange {
        case .response:
            lastResponse = answered
            outcome = verdict?.isDeferral == true ? .deferred : .answered
        case .lost: outcome = .lost
        case .notSent, .refused: return
        }
        window.note(outcome, after: answered - asked.block.started, serial: asked.serial, isFull: isFull)
        if case .lost(let reason) = exchange, window.lostRounds >= Self.lostRounds {
            isUnreachable = true
            giveUp("no request is answered: \(reason)")
        }
    }

    /// So many rounds of requests without any answer end the run.
    private static var lostRounds: Int { 5 }

    mutating func giveUp(_ reason: String) {
        fatal = fatal ?? reason
        step.stop(reason)
    }

    mutating func judge(_ work: StepWork, _ addressee: Addressee, _ verdict: Verdict) {
        let id = addressee.id
        let attempt = retries.attempts(of: id) + 1
        if probesAPI ? verdict.showsAPI : verdict.isTelling { isProbing = false }
        switch verdict {
        case .accepted(let messageID):
            accept(id, isOurs: true)
            if let messageID { keep(messageID, of: addressee) }
        case .preexisting:
            accept(id, isOurs: work.isOurs(id, mayHaveTakenEffect: retries.mayHaveTakenEffect(id)))
        case .dead(let failure) where addressee.reach != .target:
            step.rejected += 1
            settled.rejected[redacted(failure.code, addressee), default: []].insert(id)
            reportedDead.append((addressee, failure, attempt))
            checkForgetting()
        case .rejected(let failure), .dead(let failure):
            step.rejected += 1
            settled.rejected[redacted(failure.code, addressee), default: []].insert(id)
            fail(addressee, failure, attempt, .rejected)
        case .unknown(let failure):
            step.unknown += 1
            settled.unknown.insert(id)
            fail(addressee, failure, attempt, .held)
        case .again(let failure, let asked):
            if tryAgain(work, addressee, failure, asked, attempt) { return }
        case .unauthenticated where !retries.wasUnauthenticated(id):
            withdraw(id)
            retries.putBack(addressee, now: answered, wasUnauthenticated: true)
            return
        case .unavailable where mayChangeAPI && !hasSucceeded:
            withdraw(id)
            isUnavailable = true
            retries.putBack(addressee, now: answered)
            return
        case .stop(let failure), .unauthenticated(let failure), .unavailable(let failure):
            withdraw(id)
            fail(addressee, failure, attempt, .retryNextRun)
            step.stop("\(redacted(failure.code, addressee)): \(redacted(failure.message, addressee))")
        }
        retries.forget(id)
    }

    /// Whether memberships may be changed by whichever API there is.
    var mayChangeAPI: Bool { options.fcm.topicAPI == .auto }

    mutating func keep(_ messageID: String, of addressee: Addressee) {
        if let receive = surroundings.receive {
            receive(step.id.rawValue, addressee.registration.map { surroundings.fingerprints.name($0) }, messageID)
        }
        if step.messageIDs.count < StepReport.shownMessageIDs { step.messageIDs.append(messageID) }
    }

    mutating func accept(_ id: RecipientID, isOurs: Bool) {
        hasSucceeded = true
        step.accepted += 1
        if isOurs {
            settled.accepted.insert(id)
        } else {
            step.preexisting += 1
            settled.preexisting.insert(id)
        }
    }

    /// `false`: not in this run.
    mutating func tryAgain(
        _ work: StepWork, _ addressee: Addressee, _ failure: Failure, _ asked: Verdict.Repeat, _ attempt: Int
    ) -> Bool {
        let id = addressee.id
        let trying = retries.elapsed(of: id, at: answered)
        let row = RetryQueue.Row(of: id, in: retries, answered: lastResponse, now: answered)
        let unanswered = asked.effect == .deferred ? nil : row
        let setback = Setback(asked: asked, attempt: attempt, unanswered: unanswered?.count ?? 0, trying: trying)
        let decision =
            decisions[setback]
            ?? options.retry.decide(
                asked, attempt: attempt, unanswered: setback.unanswered, elapsed: trying,
                now: surroundings.now().timeIntervalSince1970, using: &random)
        decisions[setback] = decision
        switch asked.effect {
        case .idempotent: break
        case .deferred where work.isSend: settled.deferred.insert(id)
        case .none, .deferred: withdraw(id)
        }
        switch decision {
        case .wait(let wait, let pause, let isTooLong):
            if let pause { budget.pause(pause, at: budgetTime) }
            if !isTooLong {
                retries.insert(
                    addressee, readyAt: answered + wait, now: answered, mayHaveTakenEffect: asked.effect == .idempotent,
                    wasDeferred: asked.effect == .deferred, unanswered: unanswered)
                return true
            }
        case .unreachable:
            isUnreachable = true
            giveUp("the endpoint cannot be reached: \(failure.message)")
        }
        fail(addressee, failure, attempt, .retryNextRun)
        return false
    }

    /// The request had no effect: the recipient counts as not tried.
    mutating func withdraw(_ id: RecipientID) {
        if !retries.mayHaveTakenEffect(id) { settled.untried.insert(id) }
    }

    /// A wrong credential or project makes every registration look dead: too many of them stop the step.
    mutating func checkForgetting() {
        let outcomes = step.accepted + step.rejected + step.unknown
        let dead = step.forgotten + reportedDead.count
        let limit = options.guards.maxForgetPercent
        guard dead >= 10, dead * 100 > limit * outcomes,
            !options.overrides.allow(.maxForgetPercent, for: step.id.rawValue)
        else {
            return
        }
        wasBlocked = true
        let figures = "\(dead) of \(outcomes) registrations look dead, more than \(limit) %"
        step.stop("guard max_forget_percent: \(figures) (--override max_forget_percent=\(step.id))")
    }

    mutating func checkRejections(_ work: StepWork) {
        guard let percent = work.stopWhenRejectedPercent else { return }
        let refused = step.rejected - step.forgotten - reportedDead.count
        let outcomes = step.accepted + step.unknown + refused
        guard outcomes >= 100, refused * 100 > percent * outcomes else { return }
        step.stop("\(refused) of \(outcomes) were rejected, more than \(percent) %")
    }

    mutating func fail(
        _ addressee: Addressee, _ failure: Failure, _ attempts: Int, _ action: Report.Failure.Action
    ) {
        let entry = Report.Failure(
            registration: addressee.registration.map { surroundings.fingerprints.name($0) },
            code: redacted(failure.code, addressee), httpStatus: failure.httpStatus,
            message: redacted(failure.message, addressee), attempts: attempts, action: action)
        surroundings.note(step.id.rawValue, entry)
        step.add(entry)
    }

    func redacted(_ message: String, _ addressee: Addressee) -> String {
        addressee.registration.map { surroundings.fingerprints.redact(message, $0) } ?? message
    }
}

extension Verdict {
    /// Whether the server asks for less.
    fileprivate var isDeferral: Bool {
        if case .again(_, let asked) = self { asked.effect == .deferred } else { false }
    }

    /// Whether it says anything of what others may expect.
    fileprivate var isTelling: Bool {
        switch self {
        case .unauthenticated: false
        case .again(_, let asked): asked.effect != .none
        case .accepted, .preexisting, .dead, .rejected, .unknown, .unavailable, .stop: true
        }
    }

    /// Whether the answer shows that the API which was asked is there.
    fileprivate var showsAPI: Bool {
        switch self {
        case .accepted, .preexisting, .dead, .rejected: true
        case .again, .unknown, .unauthenticated, .unavailable, .stop: false
        }
    }
}
