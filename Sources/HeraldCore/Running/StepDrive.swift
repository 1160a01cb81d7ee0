internal import FCM

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Drives the requests of one step: so many at once, no faster than the lane allows, each intent written down before
/// its request leaves and each outcome after. One commit serves all requests that start together, and the answers that
/// came meanwhile. This task owns all state; answers reach it through its inbox. A drive may be left when something more
/// urgent comes, and gone on with.
struct StepDrive<C: Clock> where C.Duration == Duration {
    typealias Options = Executor<C>.Options
    typealias Surroundings = Executor<C>.Surroundings

    var lane: Lane
    var window: Window
    /// Whether anything on this API succeeded in this run, so that a dead registration can be believed.
    var hasSucceeded: Bool
    /// Why nothing else of the run need be tried.
    var fatal: String?
    /// Whether `fatal` is that nobody answers.
    var isUnreachable = false
    var wasRefused = false
    var wasInterrupted = false
    /// Whether the project has not the API that the work asks for; whoever was asked is put back.
    var isUnavailable = false
    /// Until the first answer only one request is under way: it shows whether the API is there, and whether a setting or
    /// the message itself is wrong.
    var isProbing = true
    /// Whether only an answer that shows the API ends that.
    let probesAPI: Bool
    /// When to be left, at the latest.
    var leaveAt: Date?
    /// Whether it is to be left as soon as it has nothing to do but wait.
    var leavesWhenIdle = false
    var random: any RandomNumberGenerator & Sendable

    let options: Options
    let surroundings: Surroundings
    var fresh: RecipientSet.Iterator
    var freshLeft: Int
    /// Of the fresh, those whose registrations have been read.
    private var block: ArraySlice<RecipientID> = []
    var retries = RetryQueue()
    /// When the answer came that is being judged.
    var answered: Duration = .zero
    /// About others of the same answer: they wait alike, and so go again in one batch.
    var decisions: [Setback: RetryPolicy.Decision] = [:]
    /// Requests; a batch is one.
    var inFlight = 0
    /// Whom they are for.
    private var flying = RecipientSet()
    private let inbox = Inbox()
    private var isListening = false
    /// Until then the lane lets nobody start.
    private var quietUntil: Duration = .zero
    /// The work with the lifetime that its message has in a certain second.
    private var renewed: (second: Int, work: StepWork)?
    /// When the nearest wake-up that is arranged comes.
    var wakeUp: Duration?
    var settled = Settled()
    var hasBegun = false
    var lastPauseCheck: Duration?
    /// Answered as dead, and neither buried nor kept yet.
    var dying: [(id: RecipientID, Failure, attempts: Int)] = []
    var registrations: [RecipientID: Registration] = [:]
    var step: StepReport
    let runBegin: C.Instant
    let begin: C.Instant
    var lastObserved: Duration = .zero
    /// When the server last answered anything at all.
    var lastResponse: Duration?

    enum Event: Sendable {
        case answers
        case wake(at: Duration)
        case halt
    }

    /// How many recipients' registrations are read at once.
    private static var blockSize: Int { 2048 }
    /// From how many on outcomes are written though nobody starts.
    private static var commitSize: Int { 256 }

    /// What a decision to try again depends on, chance aside.
    struct Setback: Hashable {
        var asked: Verdict.Repeat
        var attempt: Int
        var trying: Duration
    }

    init(
        options: Options, surroundings: Surroundings, members: RecipientSet, lane: Lane, window: Window,
        hasSucceeded: Bool, probesAPI: Bool = false, step: StepReport, runBegin: C.Instant
    ) {
        self.probesAPI = probesAPI
        self.options = options
        self.surroundings = surroundings
        self.lane = lane
        self.window = window
        self.hasSucceeded = hasSucceeded
        self.step = step
        self.runBegin = runBegin
        random = surroundings.random
        fresh = members.makeIterator()
        freshLeft = members.count
        begin = surroundings.clock.now
    }

    /// Whether somebody is still to be asked.
    var isUnfinished: Bool { step.stopped == nil && !step.isStanding && (freshLeft > 0 || !retries.isEmpty) }

    mutating func run(_ work: StepWork, observe: @Sendable (StepReport) async -> Void) async -> StepReport {
        let resumed = elapsed
        if !hasBegun { await open(work) }
        hasBegun = true
        isUnavailable = false
        renewed = nil
        await withTaskGroup(of: Event.self) { group in
            let halt = surroundings.halt
            group.addTask {
                await halt()
                return .halt
            }
            while true {
                await startSome(of: work, in: &group)
                if settled.count >= Self.commitSize { await write(work) }
                await observeNowAndThen(observe)
                if inFlight == 0, isToBeLeft || !isUnfinished { break }
                listen(in: &group)
                switch await group.next() {
                case .answers: isListening = false
                case .wake(let instant): if wakeUp == instant { wakeUp = nil }
                case .halt where !Task.isCancelled: abandon(work)
                case .halt, nil: break
                }
                takeAnswers(to: work)
            }
            group.cancelAll()
        }
        isListening = false
        wakeUp = nil
        await close(work)
        step.duration += elapsed - resumed
        return step
    }

    private mutating func listen(in group: inout TaskGroup<Event>) {
        guard inFlight > 0 else { return }
        let limit = self.limit
        // With a wake-up near, or nobody to start, there is no hurry, or else no reason to let answers wait.
        let isWakeNear = wakeUp.map { $0 - elapsed <= RateLimiter.nap * 2 } ?? false
        let missing = isWakeNear ? inFlight : freshLeft > 0 ? blockNeeded(of: limit) - (limit - inFlight) : 1
        inbox.expect(min(missing, inFlight))
        guard !isListening else { return }
        isListening = true
        let inbox = inbox
        group.addTask {
            await inbox.wait()
            return .answers
        }
    }

    private mutating func takeAnswers(to work: StepWork) {
        guard inFlight > 0 else { return }
        let isFull = inFlight >= limit - limit / 4
        let answers = inbox.take()
        answered = elapsed
        for (asked, exchange) in answers {
            inFlight -= 1
            decisions = [:]
            let verdicts = work.verdicts(on: exchange, for: asked.registrations)
            note(exchange, asked, verdicts.first, isFull: isFull)
            for (id, verdict) in zip(asked.ids, verdicts) {
                flying.remove(id)
                judge(work, id, verdict)
                if !retries.knows(id), dying.last?.id != id { registrations[id] = nil }
            }
            checkRejections(work)
        }
    }

    /// Waits for nobody any more: what is under way may have arrived.
    private mutating func abandon(_ work: StepWork) {
        wasInterrupted = true
        step.stop(StepReport.interruption)
        takeAnswers(to: work)
        if work.isSend {
            let failure = Failure(.interrupted, message: "the run was stopped before the answer came")
            for id in flying {
                step.unknown += 1
                settled.unknown.insert(id)
                fail(id, failure, retries.attempts(of: id) + 1, .held)
            }
        }
        flying = []
        inFlight = 0
    }

    /// How many may be under way now.
    private var limit: Int { isProbing ? 1 : window.limit }

    /// How many starts are worth a commit.
    private func blockNeeded(of limit: Int) -> Int { min(max(1, limit / 4), lane.block) }

    /// Whether nothing more is to be started before the drive is gone on with.
    private var isToBeLeft: Bool {
        isUnavailable || leaveAt.map { surroundings.now() >= $0 } ?? false || leavesWhenIdle && idleTime > .zero
    }

    /// How long nothing can be done but wait for what is to be tried again; zero when that is not worth leaving for.
    var idleTime: Duration {
        guard freshLeft == 0, inFlight == 0, retries.readyCount == 0, let next = retries.nextReady else { return .zero }
        let wait = next - elapsed
        return wait >= .milliseconds(10) ? wait : .zero
    }

    /// Time since the step began.
    var elapsed: Duration { begin.duration(to: surroundings.clock.now) }

    /// Time since the run began, which the lane's limiters count by: they outlive the step.
    var laneTime: Duration { runBegin.duration(to: surroundings.clock.now) }

    // MARK: Starting

    mutating func startSome(of work: StepWork, in group: inout TaskGroup<Event>) async {
        while isUnfinished, !isToBeLeft {
            await checkWhetherToStop(work)
            let limit = self.limit
            let free = limit - inFlight
            // One commit serves all that start together: a few large groups beat many small ones.
            guard isUnfinished, free >= blockNeeded(of: limit) else { return }
            retries.ripen(at: elapsed)
            let ready = freshLeft + retries.readyCount
            var wait = ready > 0 ? quietUntil - elapsed : (retries.nextReady ?? elapsed) - elapsed
            var granted = 0
            if ready > 0, wait <= .zero {
                // Starts that are granted and then wait for a token would all leave at once when it comes.
                await surroundings.sender.prepare()
                (granted, wait) = reserve(for: work, free: free, ready: ready)
                if wait > .zero { quietUntil = elapsed + max(wait, RateLimiter.nap) }
            }
            guard granted > 0 else {
                if wait > options.retry.horizon, ready > 0 {
                    step.stop("FCM asks to be left alone for \(wait.components.seconds) s")
                    return
                }
                if ready > 0 || !retries.isEmpty { arrangeWakeUp(in: max(wait, RateLimiter.nap), &group) }
                // With nothing in flight, what came back is written while we wait.
                if inFlight == 0, !settled.isEmpty { await write(work) }
                return
            }
            guard await loadBlock(for: granted - retries.readyCount) else { return }
            let ids = takeReady(granted)
            guard await loadRegistrations(of: ids) else { return }
            await start(ids, of: work)
        }
    }

    /// Recipients that may be asked now; with batches, those of one request.
    private mutating func reserve(for work: StepWork, free: Int, ready: Int) -> (granted: Int, wait: Duration) {
        if work.batchSize == 1 { return lane.reserve(min(free, ready), at: laneTime) }
        let count = min(work.batchSize, ready, lane.largestBatch)
        let wait = lane.reserve(batch: count, at: laneTime)
        return (wait == .zero ? count : 0, wait)
    }

    private mutating func start(_ ids: [RecipientID], of work: StepWork) async {
        let work = renew(work)
        let began = elapsed
        var startable = RecipientSet()
        var calls: [Call] = []
        for ids in reachable(ids).chunked(by: work.batchSize) {
            let asked = Inbox.Asked(
                ids: ids, registrations: ids.compactMap { registrations[$0] }, serial: window.start(), started: began)
            guard let request = work.request(for: asked.registrations) else { continue }
            for id in ids { startable.insert(id) }
            calls.append(Call(request) { [inbox] in inbox.add(asked, $0) })
        }
        guard await write(work, and: work.intent(startable, at: surroundings.now())) else { return }
        lane.postpone(ids.count, to: laneTime)
        inFlight += calls.count
        flying.formUnion(startable)
        for id in ids where retries.knows(id) && startable.contains(id) {
            step.retries += 1
            if work.isSend, retries.wasDenied(id) { step.possibleDuplicates += 1 }
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

    /// Those the record knows how to reach, which the others are rejected for.
    private mutating func reachable(_ ids: [RecipientID]) -> [RecipientID] {
        ids.filter { id in
            if id == 0 || registrations[id] != nil { return true }
            let failure = Failure(.noRegistration, message: "the record knows no registration")
            settled.rejected[failure.code, default: []].insert(id)
            step.rejected += 1
            fail(id, failure, 0, .rejected)
            return false
        }
    }

    private mutating func takeReady(_ count: Int) -> [RecipientID] {
        let repeated = Array(retries.takeReady(count))
        let taken = block.prefix(count - repeated.count)
        block = block.dropFirst(taken.count)
        freshLeft -= taken.count
        return repeated + taken
    }

    /// Has so many fresh recipients at hand, as far as there are any. `false`: the record refused, and nobody is known.
    private mutating func loadBlock(for count: Int) async -> Bool {
        guard count > block.count, freshLeft > block.count else { return true }
        var ids = Array(block)
        while ids.count < max(count, Self.blockSize), let id = fresh.next() { ids.append(id) }
        block = ids[...]
        return await loadRegistrations(of: ids)
    }

    private mutating func loadRegistrations(of recipients: some Sequence<RecipientID>) async -> Bool {
        let missing = RecipientSet(recipients.lazy.filter { [registrations] in $0 != 0 && registrations[$0] == nil })
        guard !missing.isEmpty else { return true }
        do {
            registrations.merge(try await surroundings.store.registrations(of: missing)) { _, new in new }
            return true
        } catch {
            stopForRecord()
            return false
        }
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

    /// Whether a person paused the campaign; the record is asked at most every half second.
    private mutating func isPaused(_ work: StepWork) async -> Bool {
        guard case .send(let send) = work.work, options.dryRunSample == nil else { return false }
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

    // MARK: Writing down

    mutating func open(_ work: StepWork) async {
        if case .send(let send) = work.work, !send.discovered.isEmpty, options.dryRunSample == nil {
            _ = await loadRegistrations(of: send.discovered)
            step.unknown += send.discovered.count
            let failure = Failure(.interrupted, message: "an earlier run ended before the answer was recorded")
            for id in send.discovered { fail(id, failure, 1, .held) }
        }
        _ = await commit(work.opening)
    }

    /// Writes what has settled, and what is to be written with it. `false`: the record refused, and nothing may start.
    @discardableResult
    mutating func write(_ work: StepWork, and intents: [RecordChange] = []) async -> Bool {
        if hasSucceeded, !wasRefused { bury(.forgotten) }
        let changes = work.changes(settled, at: surroundings.now())
        guard await commit(changes + intents) else { return false }
        settled = Settled()
        return true
    }

    mutating func close(_ work: StepWork) async {
        if !wasRefused, hasSucceeded { bury(.forgotten) } else { bury(.kept) }
        let isComplete = step.pending == 0 && step.stopped == nil && !step.isStanding
        await write(work, and: isComplete ? work.closing(at: surroundings.now(), unknown: step.unknown) : [])
        if wasRefused || step.isStanding { step.held += step.pending }
    }

    mutating func bury(_ action: Report.Failure.Action) {
        let isTrial = options.dryRunSample != nil || !options.buries
        for (id, failure, attempts) in dying {
            switch action {
            case .forgotten where !isTrial:
                settled.forgotten.insert(id)
                step.forgotten += 1
            case .kept where wasRefused:
                // Not believed: it counts as not tried, and is held like the rest of the step.
                step.rejected -= 1
                settled.withdrawRejection(of: id)
            default: break
            }
            fail(id, failure, attempts, isTrial ? .rejected : action)
        }
        dying = []
    }

    mutating func commit(_ changes: [RecordChange]) async -> Bool {
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

    mutating func stopForRecord() {
        giveUp("the record cannot be written or read")
    }

    mutating func observeNowAndThen(_ observe: @Sendable (StepReport) async -> Void) async {
        guard elapsed - lastObserved >= .seconds(1) else { return }
        lastObserved = elapsed
        await observe(step)
    }
}

extension [RecipientID] {
    fileprivate func chunked(by size: Int) -> [[RecipientID]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
