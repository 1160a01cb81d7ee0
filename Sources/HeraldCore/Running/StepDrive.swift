internal import FCM

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Drives the requests of one step: so many at once, no faster than the lane allows, each intent written down before
/// its request leaves and each outcome after. This task owns all state; a child makes one request.
struct StepDrive<C: Clock> where C.Duration == Duration {
    typealias Options = Executor<C>.Options
    typealias Surroundings = Executor<C>.Surroundings

    private(set) var lane: Lane
    /// Whether anything on this API succeeded in this run, so that a dead registration can be believed.
    private(set) var hasSucceeded: Bool
    /// Why nothing else of the run need be tried.
    private(set) var fatal: String?
    private(set) var wasRefused = false
    private(set) var wasInterrupted = false
    private(set) var random: any RandomNumberGenerator & Sendable

    private let options: Options
    private let surroundings: Surroundings
    private var fresh: RecipientSet.Iterator
    private var freshLeft: Int
    private var retries = RetryQueue()
    private var inFlight = 0
    /// When the nearest wake-up that is arranged comes.
    private var wakeUp: Duration?
    private var settled = Settled()
    /// Answered as dead, and neither buried nor kept yet.
    private var dying: [(id: RecipientID, Failure, attempts: Int)] = []
    private var registrations: [RecipientID: Registration] = [:]
    private var step: StepReport
    private let runBegin: C.Instant
    private let begin: C.Instant
    private var lastObserved: Duration = .zero
    /// When the server last answered anything at all.
    private var lastResponse: Duration?
    /// Exchanges lost since the last response.
    private var lostInARow = 0

    private enum Event: Sendable {
        case answer(RecipientID, Exchange)
        case wake(at: Duration)
    }

    init(
        options: Options, surroundings: Surroundings, members: RecipientSet, lane: Lane, hasSucceeded: Bool,
        step: StepReport, runBegin: C.Instant
    ) {
        self.options = options
        self.surroundings = surroundings
        self.lane = lane
        self.hasSucceeded = hasSucceeded
        self.step = step
        self.runBegin = runBegin
        random = surroundings.random
        fresh = members.makeIterator()
        freshLeft = members.count
        begin = surroundings.clock.now
    }

    mutating func run(_ work: StepWork, observe: @Sendable (StepReport) async -> Void) async -> StepReport {
        await open(work)
        await withTaskGroup(of: Event.self) { group in
            while true {
                await startSome(of: work, in: &group)
                if inFlight == 0, step.stopped != nil || freshLeft == 0 && retries.isEmpty { break }
                switch await group.next() {
                case .answer(let id, let exchange):
                    inFlight -= 1
                    note(exchange)
                    judge(work, id, exchange)
                    checkRejections(work)
                    if !retries.knows(id), dying.last?.id != id { registrations[id] = nil }
                case .wake(let instant): if wakeUp == instant { wakeUp = nil }
                case nil: break
                }
                if settled.count >= 256 { await write(work) }
                await observeNowAndThen(observe)
            }
            group.cancelAll()
        }
        await close(work)
        return step
    }

    /// Time since the step began.
    private var elapsed: Duration { begin.duration(to: surroundings.clock.now) }

    /// Time since the run began, which the lane's limiters count by: they outlive the step.
    private var laneTime: Duration { runBegin.duration(to: surroundings.clock.now) }

    // MARK: Starting

    private mutating func startSome(of work: StepWork, in group: inout TaskGroup<Event>) async {
        let capacity = max(1, surroundings.sender.capacity)
        while step.stopped == nil, freshLeft > 0 || !retries.isEmpty {
            checkWhetherToStop(work)
            let free = capacity - inFlight
            // One commit serves all that start together: a few large groups beat many small ones.
            guard step.stopped == nil, free >= max(1, capacity / 4) else { return }
            let ready = freshLeft + retries.countReady(at: elapsed)
            guard ready > 0 else {
                if let next = retries.nextReady { arrangeWakeUp(in: next - elapsed, &group) }
                // With nothing in flight, what came back is written while we wait.
                if inFlight == 0, !settled.isEmpty { await write(work) }
                return
            }
            let (granted, wait) = lane.reserve(min(free, ready), at: laneTime)
            guard granted > 0 else {
                if wait > options.retry.horizon {
                    step.stop("FCM asks to be left alone for \(wait.components.seconds) s")
                    return
                }
                arrangeWakeUp(in: wait, &group)
                if inFlight == 0, !settled.isEmpty { await write(work) }
                return
            }
            await start(takeReady(granted), of: work, in: &group)
        }
    }

    private mutating func start(_ ids: [RecipientID], of work: StepWork, in group: inout TaskGroup<Event>) async {
        let batch = RecipientSet(ids)
        guard await loadRegistrations(of: batch) else { return }
        var startable = RecipientSet()
        var requests: [(RecipientID, Request)] = []
        for id in ids {
            if let request = work.request(for: id, registrations[id]) {
                startable.insert(id)
                requests.append((id, request))
            } else {
                settled.rejected.insert(id)
                step.rejected += 1
                fail(id, Failure(code: "NO_REGISTRATION", message: "the record knows no registration"), 0, .rejected)
            }
        }
        guard await write(work, and: work.intent(startable, at: surroundings.now())) else { return }
        let sender = surroundings.sender
        lane.postpone(ids.count, to: laneTime)
        for (id, request) in requests {
            inFlight += 1
            if retries.knows(id) {
                step.retries += 1
                if work.isSend, retries.wasDenied(id) { step.possibleDuplicates += 1 }
            }
            group.addTask { .answer(id, await sender.exchange(request)) }
        }
    }

    private mutating func takeReady(_ count: Int) -> [RecipientID] {
        var ids = retries.takeReady(count, at: elapsed)
        while ids.count < count, let id = fresh.next() {
            ids.append(id)
            freshLeft -= 1
        }
        return ids
    }

    /// `false`: the record refused, and nobody is known.
    private mutating func loadRegistrations(of batch: RecipientSet) async -> Bool {
        let missing = RecipientSet(batch.filter { $0 != 0 && registrations[$0] == nil })
        guard !missing.isEmpty else { return true }
        do {
            registrations.merge(try await surroundings.store.registrations(of: missing)) { _, new in new }
            return true
        } catch {
            stopForRecord()
            return false
        }
    }

    private mutating func checkWhetherToStop(_ work: StepWork) {
        if surroundings.isStopping() {
            wasInterrupted = true
            step.stop("the run was stopped")
        } else if case .send(let send) = work.work, let deadline = send.deadline, surroundings.now() > deadline {
            step.stop("max_lateness has passed")
        }
    }

    private mutating func arrangeWakeUp(in wait: Duration, _ group: inout TaskGroup<Event>) {
        // Naps are short, so that a request to end is heard.
        let nap = min(max(wait, .microseconds(100)), .seconds(1))
        let instant = elapsed + nap
        if let wakeUp, wakeUp <= instant { return }
        wakeUp = instant
        let clock = surroundings.clock
        group.addTask {
            try? await clock.sleep(for: nap)
            return .wake(at: instant)
        }
    }

    // MARK: Judging

    /// A connection that takes every request and answers none would make everybody unknown, one after the other.
    private mutating func note(_ exchange: Exchange) {
        switch exchange {
        case .response:
            lastResponse = elapsed
            lostInARow = 0
        case .lost(let reason):
            lostInARow += 1
            guard lostInARow >= 2 * max(1, surroundings.sender.capacity) else { return }
            giveUp("no request is answered: \(reason)")
        case .notSent: break
        }
    }

    private mutating func giveUp(_ reason: String) {
        fatal = fatal ?? reason
        step.stop(reason)
    }

    private mutating func judge(_ work: StepWork, _ id: RecipientID, _ exchange: Exchange) {
        let attempt = retries.attempts(of: id) + 1
        switch work.verdict(on: exchange, registrations[id]) {
        case .accepted(let messageID):
            accept(id, isOurs: true)
            if let messageID { keep(messageID, of: id) }
        case .found:
            accept(id, isOurs: work.isOurs(id, mayHaveTakenEffect: retries.mayHaveTakenEffect(id)))
        case .dead(let failure):
            step.rejected += 1
            settled.rejected.insert(id)
            dying.append((id, failure, attempt))
            checkForgetting()
        case .rejected(let failure):
            step.rejected += 1
            settled.rejected.insert(id)
            fail(id, failure, attempt, .rejected)
        case .unknown(let failure):
            step.unknown += 1
            settled.unknown.insert(id)
            fail(id, failure, attempt, .held)
        case .again(let failure, let asked):
            if tryAgain(work, id, failure, asked, attempt) { return }
        case .stop(let failure):
            withdraw(id)
            fail(id, failure, attempt, .retryNextRun)
            step.stop("\(redacted(failure.code, id)): \(redacted(failure.message, id))")
        }
        retries.forget(id)
    }

    private mutating func keep(_ messageID: String, of id: RecipientID) {
        surroundings.receive(step.id, registrations[id].map { surroundings.fingerprints.name($0) }, messageID)
        if step.messageIDs.count < StepReport.shownMessageIDs { step.messageIDs.append(messageID) }
    }

    private mutating func accept(_ id: RecipientID, isOurs: Bool) {
        hasSucceeded = true
        step.accepted += 1
        if isOurs {
            settled.accepted.insert(id)
        } else {
            step.found += 1
            settled.found.insert(id)
        }
    }

    /// `false`: not in this run.
    private mutating func tryAgain(
        _ work: StepWork, _ id: RecipientID, _ failure: Failure, _ asked: Verdict.Repeat, _ attempt: Int
    ) -> Bool {
        let trying = retries.elapsed(of: id, at: elapsed)
        let decision = options.retry.decide(
            asked, attempt: attempt, elapsed: trying,
            isReachable: lastResponse.map { elapsed - $0 < trying } ?? false,
            now: surroundings.now().timeIntervalSince1970, using: &random)
        if asked.effect != .idempotent { withdraw(id) }
        switch decision {
        case .wait(let wait, let pausesLane, let isTooLong):
            if pausesLane { lane.pause(until: laneTime + wait) }
            if !isTooLong {
                retries.insert(
                    id, readyAt: elapsed + wait, now: elapsed, mayHaveTakenEffect: asked.effect == .idempotent,
                    wasDenied: asked.effect == .denied)
                return true
            }
        case .unreachable:
            giveUp("the endpoint cannot be reached: \(failure.message)")
        }
        fail(id, failure, attempt, .retryNextRun)
        return false
    }

    /// The request had no effect: the recipient counts as not tried.
    private mutating func withdraw(_ id: RecipientID) {
        if !retries.mayHaveTakenEffect(id) { settled.untried.insert(id) }
    }

    /// A wrong credential or project makes every registration look dead: too many of them stop the step.
    private mutating func checkForgetting() {
        let outcomes = step.accepted + step.rejected + step.unknown
        let dead = step.forgotten + dying.count
        let limit = options.guards.maxForgetPercent
        guard dead >= 10, dead * 100 > limit * outcomes, !options.overrides.allow(.maxForgetPercent, for: step.id)
        else {
            return
        }
        wasRefused = true
        let figures = "\(dead) of \(outcomes) registrations look dead, more than \(limit) %"
        step.stop("guard max_forget_percent: \(figures) (--override max_forget_percent=\(step.id))")
    }

    private mutating func checkRejections(_ work: StepWork) {
        guard case .send(let send) = work.work else { return }
        let refused = step.rejected - step.forgotten - dying.count
        let outcomes = step.accepted + step.unknown + refused
        guard outcomes >= 100, refused * 100 > send.stopWhenRejectedPercent * outcomes else { return }
        step.stop("\(refused) of \(outcomes) were rejected, more than \(send.stopWhenRejectedPercent) %")
    }

    private mutating func fail(
        _ id: RecipientID, _ failure: Failure, _ attempts: Int, _ action: Report.Failure.Action
    ) {
        let entry = Report.Failure(
            registration: registrations[id].map { surroundings.fingerprints.name($0) },
            code: redacted(failure.code, id), httpStatus: failure.httpStatus, message: redacted(failure.message, id),
            attempts: attempts, action: action)
        surroundings.note(step.id, entry)
        step.add(entry)
    }

    private func redacted(_ message: String, _ id: RecipientID) -> String {
        registrations[id].map { surroundings.fingerprints.redact(message, $0) } ?? message
    }

    // MARK: Writing down

    private mutating func open(_ work: StepWork) async {
        if case .send(let send) = work.work, !send.discovered.isEmpty, options.dryRunSample == nil {
            _ = await loadRegistrations(of: send.discovered)
            step.unknown += send.discovered.count
            let failure = Failure(code: "INTERRUPTED", message: "an earlier run ended before the answer was recorded")
            for id in send.discovered { fail(id, failure, 1, .held) }
        }
        _ = await commit(work.opening)
    }

    /// Writes what has settled, and what is to be written with it. `false`: the record refused, and nothing may start.
    @discardableResult
    private mutating func write(_ work: StepWork, and intents: [RecordChange] = []) async -> Bool {
        if hasSucceeded, !wasRefused { bury(.forgotten) }
        let changes = work.changes(settled, at: surroundings.now())
        guard await commit(changes + intents) else { return false }
        settled = Settled()
        return true
    }

    private mutating func close(_ work: StepWork) async {
        if !wasRefused, hasSucceeded { bury(.forgotten) } else { bury(.kept) }
        let isComplete = step.pending == 0 && step.stopped == nil
        await write(work, and: isComplete ? work.closing(at: surroundings.now(), unknown: step.unknown) : [])
        if wasRefused { step.held += step.pending }
        step.duration = elapsed
    }

    private mutating func bury(_ action: Report.Failure.Action) {
        for (id, failure, attempts) in dying {
            if action == .forgotten {
                settled.forgotten.insert(id)
                step.forgotten += 1
            }
            fail(id, failure, attempts, action)
        }
        dying = []
    }

    private mutating func commit(_ changes: [RecordChange]) async -> Bool {
        // A dry run leaves no trace.
        guard !changes.isEmpty, options.dryRunSample == nil else { return true }
        do {
            try await surroundings.store.commit(changes)
            return true
        } catch {
            stopForRecord()
            return false
        }
    }

    private mutating func stopForRecord() {
        giveUp("the record cannot be written or read")
    }

    private mutating func observeNowAndThen(_ observe: @Sendable (StepReport) async -> Void) async {
        guard elapsed - lastObserved >= .seconds(1) else { return }
        lastObserved = elapsed
        step.duration = elapsed
        await observe(step)
    }
}
