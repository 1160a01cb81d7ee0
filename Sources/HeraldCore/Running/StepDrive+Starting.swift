internal import FCM

/// Whose requests leave next, and what must be true before they do.
extension StepDrive {
    /// `false`: all that can be started has been, and whatever comes next wakes the drive. `true`: it is to be left. To
    /// look at that again would find another answer, since time passes, and nothing arranged for it.
    mutating func startSome(of work: StepWork, in group: inout TaskGroup<Event>) async -> Bool {
        while isUnfinished, !isToBeLeft {
            await checkWhetherToStop(work)
            let limit = self.limit
            let free = limit - inFlight
            // One commit serves all that start together: a few large groups beat many small ones.
            guard isUnfinished, free >= blockNeeded(of: limit) else { return false }
            retries.ripen(at: elapsed)
            let ready = freshLeft + retries.readyCount
            var wait = ready > 0 ? quietUntil - elapsed : (retries.nextReady ?? elapsed) - elapsed
            var granted = 0
            if ready > 0, wait <= .zero {
                // Starts that are granted and then wait for a token would all leave at once when it comes.
                await surroundings.sender.prepare()
                (granted, wait) = reserve(for: work, free: free, ready: ready)
                if wait > .zero { quietUntil = elapsed + max(wait, RateLimiter.minimumWait) }
            }
            guard granted > 0 else {
                if wait > options.retry.horizon, ready > 0 {
                    step.stop("FCM asks to be left alone for \(wait.components.seconds) s")
                    return false
                }
                if ready > 0 || !retries.isEmpty { arrangeWakeUp(in: max(wait, RateLimiter.minimumWait), &group) }
                // With nothing in flight, what came back is written while we wait.
                if inFlight == 0, !settled.isEmpty { await write(work) }
                return false
            }
            guard await readAhead(for: granted - retries.readyCount) else { return false }
            await start(takeReady(granted), of: work)
        }
        return isUnfinished
    }

    /// Recipients that may be asked now; with batches, those of one request.
    private mutating func reserve(for work: StepWork, free: Int, ready: Int) -> (granted: Int, wait: Duration) {
        if work.batchSize == 1 { return budget.reserve(min(free, ready), at: budgetTime) }
        let count = min(work.batchSize, ready, budget.largestBatch)
        let wait = budget.reserve(batch: count, at: budgetTime)
        return (wait == .zero ? count : 0, wait)
    }

    private mutating func start(_ addressees: [Addressee], of work: StepWork) async {
        let work = renew(work)
        let block = Inbox.Block(reachable(addressees), started: elapsed)
        var startable = RecipientSet()
        var calls: [Call] = []
        calls.reserveCapacity(block.addressees.count / work.batchSize + 1)
        for first in stride(from: 0, to: block.addressees.count, by: work.batchSize) {
            let places = first..<min(first + work.batchSize, block.addressees.count)
            guard let request = work.request(for: block.addressees[places]) else { continue }
            for addressee in block.addressees[places] { startable.insert(addressee.id) }
            let asked = Inbox.Asked(block: block, places: places, serial: window.start())
            calls.append(Call(request) { [inbox] in inbox.add(asked, $0) })
        }
        guard await write(work, and: work.intent(startable, at: surroundings.now())) else { return }
        budget.postpone(addressees.count, to: budgetTime)
        inFlight += calls.count
        flying.formUnion(startable)
        let deferredBefore = work.deferredBefore
        for id in startable {
            let isRepeated = retries.knows(id)
            if isRepeated { step.retries += 1 }
            let wasDeferred = isRepeated ? retries.wasDeferred(id) : deferredBefore.contains(id)
            if work.isSend, wasDeferred { step.possibleDuplicates += 1 }
        }
        await surroundings.sender.start(calls)
    }

    /// What was encoded once can be encoded again; a lifetime is told in seconds.
    private mutating func renew(_ work: StepWork) -> StepWork {
        let now = surroundings.now()
        let second = Int(now.timeIntervalSince1970)
        if let renewed, renewed.second == second { return renewed.work }
        let fresh = (try? work.renewed(at: now)) ?? work
        renewed = (second, fresh)
        return fresh
    }

    /// Those the state knows how to reach, which the others are rejected for.
    private mutating func reachable(_ addressees: [Addressee]) -> [Addressee] {
        let isReachable = { (addressee: Addressee) in addressee.reach != .nowhere }
        if addressees.allSatisfy(isReachable) { return addressees }
        let failure = Failure(.noRegistration, message: "the state knows no registration")
        for addressee in addressees where !isReachable(addressee) {
            settled.rejected[failure.code, default: []].insert(addressee.id)
            step.rejected += 1
            fail(addressee, failure, 0, .rejected)
        }
        return addressees.filter(isReachable)
    }

    private mutating func takeReady(_ count: Int) -> [Addressee] {
        let repeated = Array(retries.takeReady(count))
        let taken = ahead.prefix(count - repeated.count)
        ahead = ahead.dropFirst(taken.count)
        freshLeft -= taken.count
        return repeated + taken
    }

    /// Has so many fresh recipients at hand, as far as there are any. `false`: the state refused, and nobody is known.
    private mutating func readAhead(for count: Int) async -> Bool {
        guard count > ahead.count, freshLeft > ahead.count else { return true }
        var ids = RecipientSet()
        for _ in ahead.count..<max(count, Self.readAheadSize) {
            guard let id = fresh.next() else { break }
            ids.insert(id)
        }
        do {
            ahead += try await addressees(ids)
            return true
        } catch {
            giveUp(StateError.reason(error))
            return false
        }
    }

    private func addressees(_ recipients: RecipientSet) async throws -> [Addressee] {
        var found: [RecipientID: Registration] = [:]
        let reached = recipients.subtracting(.target)
        if !reached.isEmpty { found = try await surroundings.store.registrations(of: reached) }
        return recipients.map { Addressee(id: $0, registration: found[$0]) }
    }

    /// Recipients to be told of in the report, by their registrations unless the state refuses.
    func named(_ recipients: RecipientSet) async -> [Addressee] {
        (try? await addressees(recipients)) ?? recipients.map { Addressee(id: $0, registration: nil) }
    }

    mutating func checkWhetherToStop(_ work: StepWork) async {
        if surroundings.stop() != nil {
            wasInterrupted = true
            step.stop(StepReport.interruption)
        } else if await isPaused(work) {
            step.pause()
        } else if case .send(let send) = work.work, let deadline = send.deadline, surroundings.now() > deadline {
            step.stop("max_lateness has passed")
        }
    }

    /// Whether a person paused the campaign; the state is asked at most every half second.
    private mutating func isPaused(_ work: StepWork) async -> Bool {
        guard case .send(let send) = work.work, !options.mode.isDryRun else { return false }
        if let lastPauseCheck, elapsed - lastPauseCheck < .milliseconds(500) { return false }
        lastPauseCheck = elapsed
        return (try? await surroundings.store.pauses())?.include(send.campaign) ?? false
    }

    mutating func arrangeWakeUp(in wait: Duration, _ group: inout TaskGroup<Event>) {
        // Naps are short, so that a request to end is heard.
        let nap = min(wait, .seconds(1))
        let instant = elapsed + nap
        if let wakeUp, wakeUp <= instant { return }
        wakeUp = instant
        let clock = surroundings.clock
        group.addTask {
            try? await clock.sleep(for: nap)
            return .wake(at: instant)
        }
    }
}
