internal import FCM

/// What an answer means for its recipient, the step and the run.
extension StepState {
    mutating func take(_ answers: [Inbox.Answer], _ now: Moment, _ context: inout RunContext) {
        guard !calls.inFlight.isEmpty else { return }
        let limit = calls.limit(context)
        let isFull = calls.inFlight.requests >= limit - limit / 4
        for answer in answers {
            calls.note(answer.exchange, at: now)
            let addressees = answer.asked.addressees
            let verdicts = work.verdicts(on: answer.exchange, for: addressees)
            note(answer.exchange, answer.asked, verdicts.first, isFull: isFull, now, &context)
            for (addressee, number) in zip(addressees, 0..<verdicts.count) {
                calls.inFlight.recipients.remove(addressee.id)
                judge(addressee, verdicts[number], of: answer.asked.block, now, &context)
            }
            checkForgetting(&context)
            checkRejections()
        }
    }

    /// A server that accepts requests and never answers would make one recipient after another unknown, so the run ends
    /// after some rounds of it.
    private mutating func note(
        _ exchange: Exchange, _ asked: Inbox.Asked, _ verdict: Verdict?, isFull: Bool, _ now: Moment,
        _ context: inout RunContext
    ) {
        let end = calls.measure(
            exchange, to: asked, isDeferral: verdict?.isDeferral == true, isOpen: verdict?.isUnknown == true,
            isFull: isFull, at: now, &context)
        if let end { giveUp(end, isUnreachable: true, &context) }
    }

    private mutating func judge(
        _ addressee: Addressee, _ verdict: Verdict, of block: Inbox.Block, _ now: Moment,
        _ context: inout RunContext
    ) {
        let id = addressee.id
        let attempt = queue.retries.attempts(of: id) + 1
        calls.learn(from: verdict)
        switch verdict {
        case .accepted(let messageID):
            accept(id, isOurs: true, &context)
            if let messageID { keep(messageID, of: addressee, &context) }
        case .preexisting:
            proveOther(of: id, &context)
            let isOurs = work.isOurs(id, mayHaveTakenEffect: queue.retries.mayHaveTakenEffect(id))
            accept(id, isOurs: isOurs, &context)
        case .dead(let failure) where addressee.reach != .target:
            if context.options.mode == .apply, mayHaveOthers(addressee, context) {
                // If the run dies before the others are tried, the recipient counts as before.
                report.rejected += 1
                countAsBefore(id)
            } else {
                noteRejection(of: addressee, failure, context)
            }
            deaths.reported.append(.init(addressee: addressee, failure: failure, attempts: attempt))
        case .rejected(let failure), .dead(let failure):
            noteRejection(of: addressee, failure, context)
            fail(addressee, failure, attempt, .rejected, context)
            noteRefusal(failure)
        case .unknown(let failure):
            report.unknown += 1
            outcomes.unknown.insert(id)
            fail(addressee, failure, attempt, afterUnknown(context), context)
            // A front end that fails, or a proxy, would make one recipient after another unknown.
            if calls.areLost(context), report.pending > 0 { stop(failure, of: addressee, context) }
        case .again(let failure, let asked):
            if asked.effect == .deferred, work.isSend { noteDeferral(of: id, started: block.started.date) }
            if tryAgain(addressee, failure, asked, attempt, now, &context) { return }
        case .unauthenticated where !queue.retries.wasUnauthenticated(id):
            withdraw(id)
            queue.retries.putBack(addressee, now: now.elapsed, wasUnauthenticated: true)
            return
        case .unavailable where mayChangeAPI(context):
            withdraw(id)
            trouble.isUnavailable = true
            queue.retries.putBack(addressee, now: now.elapsed)
            return
        case .stop(let failure), .unauthenticated(let failure), .unavailable(let failure):
            withdraw(id)
            fail(addressee, failure, attempt, .fixFirst, context)
            trouble.isRefused = true
            // No step has a better token.
            if case .unauthenticated = verdict {
                let (code, message) = context.redacted(failure, addressee)
                context.giveUp("\(code): \(message)")
            }
            stop(failure, of: addressee, context)
        }
        if !work.isSend, queue.retries.mayHaveTakenEffect(id) { work.noteAsked(id) }
        queue.retries.forget(id)
    }

    /// Others would get the same answer.
    private mutating func stop(_ failure: Failure, of addressee: Addressee, _ context: RunContext) {
        let (code, message) = context.redacted(failure, addressee)
        report.stop(.answered(code: code, message: message))
    }

    /// What becomes of a message that may have arrived.
    func afterUnknown(_ context: RunContext) -> Report.Failure.Action {
        work.send?.delivery.onUnknown == .resend && context.options.mode == .apply ? .resendNextRun : .held
    }

    /// Whether herald may still choose the membership API: the setting is `auto`, and no success has shown yet which
    /// one the project has.
    private func mayChangeAPI(_ context: RunContext) -> Bool {
        context.mayFallBack && !context.hasSucceeded(on: context.api(of: work.action))
    }

    /// FCM may refuse one recipient's message for its values. If it refuses one after the other, the text is wrong.
    private mutating func noteRefusal(_ failure: Failure) {
        guard work.isPersonal, failure.isAboutMessage else { return }
        trouble.refusedInRow += 1
        guard trouble.refusedInRow >= Self.refusalLimit, report.stopped == nil else { return }
        halt(.rejected, .refused(Self.refusalLimit, code: failure.code))
    }

    /// So many refused messages in a row stop a personal campaign.
    private static var refusalLimit: Int { 10 }

    private mutating func noteRejection(of addressee: Addressee, _ failure: Failure, _ context: RunContext) {
        report.rejected += 1
        recordRejection(of: addressee, failure, context)
    }

    mutating func recordRejection(of addressee: Addressee, _ failure: Failure, _ context: RunContext) {
        outcomes.rejected[context.redacted(failure, addressee).code, default: []].insert(addressee.id)
    }

    /// - Parameter context: `inout` only to avoid a copy for each message. It does not change.
    private mutating func keep(_ messageID: String, of addressee: Addressee, _ context: inout RunContext) {
        if context.wantsReceipts {
            let name = addressee.registration.map { context.fingerprints.name($0) }
            news.append(.receipt(registration: name, messageID: messageID, work.text(for: addressee.id)))
        }
        if report.messageIDs.count < StepReport.shownMessageIDs { report.messageIDs.append(messageID) }
    }

    private mutating func accept(_ id: RecipientID, isOurs: Bool, _ context: inout RunContext) {
        context.noteSuccess(on: context.api(of: work.action))
        trouble.refusedInRow = 0
        proveOther(of: id, &context)
        report.accepted += 1
        if isOurs {
            outcomes.accepted.insert(id)
        } else {
            report.preexisting += 1
            outcomes.preexisting.insert(id)
        }
    }

    /// Returns `false` if the recipient is not tried again in this run.
    private mutating func tryAgain(
        _ addressee: Addressee, _ failure: Failure, _ asked: Verdict.Repeat, _ attempt: Int, _ now: Moment,
        _ context: inout RunContext
    ) -> Bool {
        let id = addressee.id
        let (decision, unanswered) = calls.decide(asked, for: id, in: queue.retries, at: now, &context)
        if let limit = asked.projectLimit, work.isSend, limit != context.recorded.sendQuota?.perMinute {
            outcomes.quota = limit
            context.recorded.apply([.sendQuota(limit, at: now.date)])
        }
        // FCM may have subscribed although it answered 503. Then the next try gets 409 for herald's own subscription.
        let mayHaveTakenEffect = asked.effect == .idempotent || asked.effect == .deferred && !work.isSend
        switch asked.effect {
        case .none, .refused: withdraw(id)
        case .idempotent, .deferred: break
        }
        switch decision {
        case .wait(let wait, let pause, let isTooLong):
            if let pause {
                calls.pause(pause, at: now, &context)
                tell(pause)
            }
            if !isTooLong {
                queue.retries.insert(
                    addressee, readyAt: now.elapsed + wait, now: now.elapsed,
                    mayHaveTakenEffect: mayHaveTakenEffect, unanswered: unanswered)
                return true
            }
        case .unreachable:
            giveUp("the endpoint cannot be reached: \(failure.message)", isUnreachable: true, &context)
        }
        fail(addressee, failure, attempt, .retryNextRun, context)
        return false
    }

    /// Other processes must pause too.
    private mutating func tell(_ pause: RetryPolicy.Pause) {
        guard work.isSend else { return }
        if !pause.isOfStep { news.append(.pause(nil, pause.length)) }
        if pause.isOfStep, let sharing { news.append(.pause(sharing.job, pause.length)) }
    }

    /// FCM refused it for now, and may have delivered it all the same.
    private mutating func noteDeferral(of id: RecipientID, started: Date) {
        outcomes.deferred.insert(id)
        deferred.insert(id)
        noteEarlier([id], at: started)
    }

    /// A wrong credential or project makes every registration look dead, so too many dead ones stop the step. The first
    /// few outcomes prove nothing: dead registrations may stand together in a list.
    ///
    /// - Parameter isOver: whether nobody is left to be tried.
    mutating func checkForgetting(isOver: Bool = false, _ context: inout RunContext) {
        let isReported = !deaths.reported.isEmpty || (sharing?.view.others[.dead] ?? 0) > 0
        guard isReported, !deaths.areTooMany, isOver || tellsShares else { return }
        let (dead, tried) = (dead, tried)
        guard
            let refusal = context.refusalToForget(
                dead, of: tried, in: report.id, "\(dead.grouped) of \(tried.grouped)")
        else { return }
        deaths.areTooMany = true
        context.wasBlocked = true
        halt(.dead, refusal)
    }

    /// How many recipients look dead.
    var dead: Int {
        let others = sharing?.view.others ?? Tally()
        return report.dead - others[.forgotten] + deaths.undecided + others[.dead]
    }

    /// From that many outcomes on, a share of them says something.
    private static var tellingOutcomes: Int { 100 }

    /// How many recipients have an outcome.
    private var tried: Int { report.accepted + report.rejected + report.unknown }

    /// Whether there are enough outcomes to judge by the share of dead registrations.
    var tellsShares: Bool { tried >= Self.tellingOutcomes }

    mutating func checkRejections() {
        checkStage()
        guard let percent = work.stopWhenRejectedPercent else { return }
        let rejected = report.rejected - dead
        let outcomes = report.accepted + report.unknown + rejected
        guard outcomes >= Self.tellingOutcomes, rejected * 100 > percent * outcomes else { return }
        halt(.rejected, .rejected(rejected, of: outcomes, limit: percent))
    }

    /// Stops the step if its stage has too much of something.
    mutating func checkStage() {
        // Where nobody is left, and nobody is sent it again, there is nothing to stop.
        let sendsAgain = report.unknown > 0 && work.delivery?.onUnknown == .resend
        guard let staging = work.staging, report.stopped == nil,
            report.pending > 0 || work.send?.staysOpen == true || sendsAgain,
            let excess = staging.limits.exceeded(by: staging.judged(stageFigures))
        else { return }
        halt(.stage, .stage(staging.share, excess))
    }

    /// What is left waits for a person.
    private mutating func halt(_ halt: RecordedOccurrence.Halt, _ reason: StopReason) {
        trouble.halt = trouble.halt ?? halt
        report.stop(reason)
    }
}

extension Verdict {
    fileprivate var isDeferral: Bool {
        if case .again(_, let asked) = self { asked.effect.isAskedFor } else { false }
    }

    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
