internal import FCM

/// Which requests start next, and what must be done before they do.
extension StepState {
    /// Requests that start together, after their intents are written.
    struct Block {
        var departures: [StepEffect.Departure]
        var recipients: RecipientSet
        /// How many starts were taken from the rate budget.
        var granted: Int
        /// When its intents were made.
        var noted: Date
    }

    /// What must be done so that a request can start. `nil` if none can start now. If only time is missing, the wake-up
    /// time is set.
    mutating func startSome(_ now: Moment, _ context: inout RunContext) -> StepEffect? {
        guard isUnfinished else { return nil }
        if context.stop != nil {
            interrupt()
            return nil
        }
        if isPauseCheckDue(now, context) { return lookForPauses(isPrepared: false) }
        if let barrier = work.barrier(at: now.date, isUnderWay: calls.hasStarted) {
            heed(barrier)
            return nil
        }
        setClosedAside(at: now)
        guard mayStart(now, context) else { return nil }
        // All requests that start together share one commit, so a few large groups are faster than many small ones.
        guard calls.limit(context) - calls.inFlight.requests >= calls.blockNeeded(context) else { return nil }
        queue.retries.ripen(at: now.elapsed)
        if let effect = gather(now, context) { return effect }
        guard queue.readyCount > 0 else {
            if let next = queue.retries.nextReady { calls.wake(after: next - now.elapsed, now) }
            return nil
        }
        if calls.restsUntil > now.elapsed {
            rest(calls.restsUntil - now.elapsed, now, context)
            return nil
        }
        // If starts were granted before the access token was there, they would all leave at once when it came.
        stage = .preparing
        return .prepare
    }

    /// Asks the state at most every half second whether a person paused the campaign.
    func isPauseCheckDue(_ now: Moment, _ context: RunContext) -> Bool {
        guard work.action == .send, !context.options.mode.isDryRun else { return false }
        return lastPauseCheck.map { now.elapsed - $0 >= .milliseconds(500) } ?? true
    }

    mutating func lookForPauses(isPrepared: Bool) -> StepEffect {
        stage = .lookingForPauses(isPrepared: isPrepared)
        return .lookForPauses
    }

    /// A connection is ready. Takes as many starts as the rates allow.
    mutating func reserve(_ now: Moment, _ context: inout RunContext) -> StepEffect {
        // The request to stop may have come while the connection opened.
        if context.stop != nil { return goOn(now, &context) }
        let free = calls.limit(context) - calls.inFlight.requests
        let (granted, wait) =
            work.batchSize == 1
            ? calls.reserve(min(free, queue.readyCount), at: now, &context)
            : calls.reserve(batch: min(work.batchSize, queue.readyCount), at: now, &context)
        if wait > .zero { calls.rest(for: max(wait, RateLimiter.minimumWait), at: now) }
        guard granted > 0 else { return goOn(now, &context) }
        if let missing = queue.missing(for: granted) {
            stage = .readingAhead(missing, granted: granted)
            return .read(missing.subtracting(.target))
        }
        return intend(granted, now, &context)
    }

    /// The rates let nothing start for that long.
    private mutating func rest(_ wait: Duration, _ now: Moment, _ context: RunContext) {
        if wait > context.options.retry.horizon {
            report.stop(.paused(wait))
        } else {
            calls.wake(after: wait, now)
        }
    }

    /// Makes the next requests and has their intents written.
    mutating func intend(_ granted: Int, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        work.renew(at: now.date)
        let block = Inbox.Block(reachable(queue.take(granted), context), started: now)
        let addressees = block.addressees
        var starting = Block(departures: [], recipients: [], granted: granted, noted: now.date)
        starting.departures.reserveCapacity(addressees.count / work.batchSize + 1)
        for first in stride(from: 0, to: addressees.count, by: work.batchSize) {
            let places = first..<min(first + work.batchSize, addressees.count)
            guard let request = work.request(for: addressees[places]) else { continue }
            for addressee in addressees[places] { starting.recipients.insert(addressee.id) }
            let asked = Inbox.Asked(block: block, places: places, serial: context.window.start())
            starting.departures.append(.init(request: request, asked: asked))
        }
        let first = calls.hasStarted ? [] : work.skippingBadRows
        return write(.intending(starting), first + work.intent(starting.recipients, at: now.date), now, context)
    }

    /// Every intent is written before its effect: only this function sends requests, and it runs only after their
    /// intents are committed.
    mutating func release(_ block: Block, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        calls.start(block.departures.count, for: block.recipients, granted: block.granted, at: now, &context)
        for id in block.recipients {
            if queue.retries.knows(id) { report.retries += 1 }
            if work.isSend, deferred.contains(id) { report.possibleDuplicates += 1 }
        }
        stage = .sending
        return .send(block.departures)
    }

    /// It became too late while the intents were written. Nothing of the block starts.
    mutating func takeBack(
        _ block: Block, _ barrier: StepWork.Barrier, _ now: Moment, _ context: inout RunContext
    ) -> StepEffect {
        withdraw(block)
        heed(barrier)
        return goOn(now, &context)
    }

    /// Those whose window has closed wait for a later run, as do those whom caps came to stop. The others go on.
    private mutating func setClosedAside(at now: Moment) {
        let passed = work.closings(at: now.date)
        if passed > queue.aside.closings { queue.setAside(work.closed(at: now.date), after: passed) }
        queue.setRetriesAside()
    }

    private mutating func heed(_ barrier: StepWork.Barrier) {
        switch barrier {
        case .tooLate(let lateness): report.stop(.tooLate(lateness))
        case .closed: report.wait(work.closedNote)
        }
    }

    /// The recipients count as they did before their intents were written.
    mutating func withdraw(_ block: Block) {
        for id in block.recipients { withdraw(id) }
    }

    /// The last request had no effect, so the recipient counts as before it. What may have arrived is an earlier one.
    mutating func withdraw(_ id: RecipientID) {
        if !queue.retries.mayHaveTakenEffect(id) { countAsBefore(id) }
    }

    /// FCM said that the registration is dead, and that is no outcome of the recipient.
    mutating func withdrawRejection(of id: RecipientID) {
        outcomes.rejected = outcomes.rejected.mapValues { $0.subtracting([id]) }
        countAsBefore(id)
    }

    /// The recipient counts as before the last request.
    mutating func countAsBefore(_ id: RecipientID) {
        if deferred.contains(id) {
            outcomes.deferred.insert(id)
        } else if work.send?.repeated.contains(id) == true {
            outcomes.unknown.insert(id)
        } else {
            outcomes.untried.insert(id)
            return
        }
        outcomes.unrepeated.insert(id)
    }

    /// Messages to these started then, and may have arrived. They count for caps, whatever becomes of a repeat.
    mutating func noteEarlier(_ members: RecipientSet, at date: Date) {
        guard let send = work.send else { return }
        let starts = work.starts(of: members.subtracting(send.seeds), at: date)
        for start in starts.states { earlierStarts.move(starts[start], to: start) }
    }

    /// The recipients that have a registration in the state. The others are rejected.
    private mutating func reachable(_ addressees: [Addressee], _ context: RunContext) -> [Addressee] {
        if addressees.allSatisfy({ $0.reach != .nowhere }) { return addressees }
        let failure = Failure(.noRegistration, message: "the state knows no registration")
        for addressee in addressees where addressee.reach == .nowhere {
            outcomes.rejected[failure.code, default: []].insert(addressee.id)
            report.rejected += 1
            fail(addressee, failure, 0, .rejected, context)
        }
        return addressees.filter { $0.reach != .nowhere }
    }

    /// Recipients with their registrations from the state.
    ///
    /// - Parameter row: gives a recipient's row, for a personal message.
    func named(
        _ recipients: RecipientSet, _ found: [RecipientID: Registration],
        _ row: (RecipientID) -> FieldValues? = { _ in nil }
    ) -> [Addressee] {
        recipients.map { Addressee(id: $0, registration: found[$0], values: row($0)) }
    }
}
