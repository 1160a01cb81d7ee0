internal import FCM

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Drives the requests of one step: so many at once, no faster than the lane allows, each intent written down before
/// its request leaves and each outcome after. This task owns all state; a child makes one request. A drive may be left
/// when something more urgent comes, and gone on with.
struct StepDrive<C: Clock> where C.Duration == Duration {
    typealias Options = Executor<C>.Options
    typealias Surroundings = Executor<C>.Surroundings

    var lane: Lane
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
    /// Until the first answer only one request is under way: it shows whether the API is there.
    var isProbing: Bool
    /// When to be left, at the latest.
    var leaveAt: Date?
    /// Whether it is to be left as soon as it has nothing to do but wait.
    var leavesWhenIdle = false
    var random: any RandomNumberGenerator & Sendable

    let options: Options
    let surroundings: Surroundings
    var fresh: RecipientSet.Iterator
    var freshLeft: Int
    var retries = RetryQueue()
    /// When the answer came that is being judged.
    var answered: Duration = .zero
    /// About others of the same answer: they wait alike, and so go again in one batch.
    var decisions: [Setback: RetryPolicy.Decision] = [:]
    var inFlight = 0
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
    /// Exchanges lost since the last response.
    var lostInARow = 0

    enum Event: Sendable {
        case answer([RecipientID], [Registration], Exchange)
        case wake(at: Duration)
    }

    /// What a decision to try again depends on, chance aside.
    struct Setback: Hashable {
        var asked: Verdict.Repeat
        var attempt: Int
        var trying: Duration
    }

    init(
        options: Options, surroundings: Surroundings, members: RecipientSet, lane: Lane, hasSucceeded: Bool,
        isProbing: Bool = false, step: StepReport, runBegin: C.Instant
    ) {
        self.isProbing = isProbing
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

    /// Whether somebody is still to be asked.
    var isUnfinished: Bool { step.stopped == nil && !step.isStanding && (freshLeft > 0 || !retries.isEmpty) }

    mutating func run(_ work: StepWork, observe: @Sendable (StepReport) async -> Void) async -> StepReport {
        let resumed = elapsed
        if !hasBegun { await open(work) }
        hasBegun = true
        isUnavailable = false
        await withTaskGroup(of: Event.self) { group in
            while true {
                await startSome(of: work, in: &group)
                if inFlight == 0, isToBeLeft || !isUnfinished { break }
                switch await group.next() {
                case .answer(let ids, let asked, let exchange):
                    inFlight -= 1
                    note(exchange)
                    (answered, decisions) = (elapsed, [:])
                    for (id, verdict) in zip(ids, work.verdicts(on: exchange, for: asked)) {
                        judge(work, id, verdict)
                        if !retries.knows(id), dying.last?.id != id { registrations[id] = nil }
                    }
                    checkRejections(work)
                case .wake(let instant): if wakeUp == instant { wakeUp = nil }
                case nil: break
                }
                if settled.count >= 256 { await write(work) }
                await observeNowAndThen(observe)
            }
            group.cancelAll()
        }
        wakeUp = nil
        await close(work)
        step.duration += elapsed - resumed
        return step
    }

    /// Whether nothing more is to be started before the drive is gone on with.
    private var isToBeLeft: Bool {
        isUnavailable || leaveAt.map { surroundings.now() >= $0 } ?? false || leavesWhenIdle && idleTime > .zero
    }

    /// How long nothing can be done but wait for what is to be tried again; zero when that is not worth leaving for.
    var idleTime: Duration {
        guard freshLeft == 0, inFlight == 0, let next = retries.nextReady else { return .zero }
        let wait = next - elapsed
        return wait >= .milliseconds(10) ? wait : .zero
    }

    /// Time since the step began.
    var elapsed: Duration { begin.duration(to: surroundings.clock.now) }

    /// Time since the run began, which the lane's limiters count by: they outlive the step.
    var laneTime: Duration { runBegin.duration(to: surroundings.clock.now) }

    // MARK: Starting

    mutating func startSome(of work: StepWork, in group: inout TaskGroup<Event>) async {
        let capacity = isProbing ? 1 : max(1, surroundings.sender.capacity)
        while isUnfinished, !isToBeLeft {
            await checkWhetherToStop(work)
            let free = capacity - inFlight
            // One commit serves all that start together: a few large groups beat many small ones.
            guard isUnfinished, free >= max(1, capacity / 4) else { return }
            let ready = freshLeft + retries.countReady(at: elapsed)
            guard ready > 0 else {
                if let next = retries.nextReady { arrangeWakeUp(in: next - elapsed, &group) }
                // With nothing in flight, what came back is written while we wait.
                if inFlight == 0, !settled.isEmpty { await write(work) }
                return
            }
            // Starts that are granted and then wait for a token would all leave at once when it comes.
            await surroundings.sender.prepare()
            let (granted, wait) = reserve(for: work, free: free, ready: ready)
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

    /// Recipients that may be asked now; with batches, those of one request.
    private mutating func reserve(for work: StepWork, free: Int, ready: Int) -> (granted: Int, wait: Duration) {
        if work.batchSize == 1 { return lane.reserve(min(free, ready), at: laneTime) }
        let count = min(work.batchSize, ready, lane.largestBatch)
        let wait = lane.reserve(batch: count, at: laneTime)
        return (wait == .zero ? count : 0, wait)
    }

    mutating func start(_ ids: [RecipientID], of work: StepWork, in group: inout TaskGroup<Event>) async {
        let batch = RecipientSet(ids)
        guard await loadRegistrations(of: batch) else { return }
        // What was encoded once can be encoded again.
        let work = (try? work.renewed(at: surroundings.now())) ?? work
        var startable = RecipientSet()
        var requests: [(ids: [RecipientID], registrations: [Registration], Request)] = []
        for ids in reachable(ids).chunked(by: work.batchSize) {
            let asked = ids.compactMap { registrations[$0] }
            if let request = work.request(for: asked) {
                startable.formUnion(RecipientSet(ids))
                requests.append((ids, asked, request))
            }
        }
        guard await write(work, and: work.intent(startable, at: surroundings.now())) else { return }
        let sender = surroundings.sender
        lane.postpone(ids.count, to: laneTime)
        for (ids, asked, request) in requests {
            inFlight += 1
            for id in ids where retries.knows(id) {
                step.retries += 1
                if work.isSend, retries.wasDenied(id) { step.possibleDuplicates += 1 }
            }
            group.addTask { .answer(ids, asked, await sender.exchange(request)) }
        }
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

    mutating func takeReady(_ count: Int) -> [RecipientID] {
        var ids = retries.takeReady(count, at: elapsed)
        while ids.count < count, let id = fresh.next() {
            ids.append(id)
            freshLeft -= 1
        }
        return ids
    }

    /// `false`: the record refused, and nobody is known.
    mutating func loadRegistrations(of batch: RecipientSet) async -> Bool {
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
