internal import FCM

/// One step of a topic or a send: so many requests at once, no faster than the rates allow, each intent written down
/// before its request leaves and each outcome after. One commit serves all requests that start together, and the answers
/// that came meanwhile.
///
/// It takes one event at a time, with the moment at which it happened, and says what is to be done next.
struct StepState: DecidingStep {
    /// What the step has asked for last.
    enum Stage {
        case new
        /// Reads who was left unknown by a crash, to name them.
        case naming(RecipientSet)
        /// Writes down that the step begins.
        case opening
        case lookingForPauses
        case preparing
        /// Reads the registrations of those it starts next, so many of them.
        case readingAhead(RecipientSet, granted: Int)
        /// Writes down the intents of requests.
        case intending(Block)
        case sending
        /// Writes down outcomes.
        case writing
        case waiting
        /// Reads whom requests were for that nobody waits for any more.
        case abandoning
        /// Writes down how the step was left.
        case closing
        /// Left, and may be gone on with.
        case left
    }

    var stage = Stage.new
    var work: StepWork
    var report: StepReport
    var queue: StepQueue
    var budget: RateBudget
    var inFlight = InFlight()
    var outcomes = UnwrittenOutcomes()
    /// Answered as dead, and neither forgotten nor kept yet.
    var reportedDead: [(Addressee, Failure, attempts: Int)] = []
    var news: [StepNews] = []
    /// When it is to be left.
    var leave = Leave()

    /// Whether the project has not the API that the work asks for; whoever was asked is put back.
    var isUnavailable = false
    /// Until the first answer only one request is under way: it shows whether the API is there, and whether a setting or
    /// the message itself is wrong.
    var isProbing = true
    /// Whether only an answer that shows the API ends that.
    let probesAPI: Bool
    /// Whether a guard stopped the step.
    var isBlocked = false
    /// Whether somebody who asked the run to end stopped it.
    var isInterrupted = false
    /// Until then the rates let nobody start.
    var quietUntil: Duration = .zero
    /// When to wake though no answer comes, at the latest.
    var wakeAt: Duration?
    var lastPauseCheck: Duration?
    /// The second for which the message's lifetime is told.
    var renewedSecond: Int?
    /// Decisions to try again, about others of the same answer: they wait alike, and so go again in one batch.
    var decisions: [Setback: RetryPolicy.Decision] = [:]
    /// When the server last answered anything at all.
    var lastResponse: Duration?
    private var resumed: Duration = .zero

    /// What a step must give way to.
    struct Leave {
        /// Something else begins then.
        var at: Date?
        /// There is something to do while this step only waits.
        var whenIdle = false
    }

    /// Requests under way, and whom they are for.
    struct InFlight {
        /// A batch is one.
        var requests = 0
        var recipients = RecipientSet()

        var isEmpty: Bool { requests == 0 }
    }

    /// What a decision to try again depends on, chance aside.
    struct Setback: Hashable {
        var asked: Verdict.Repeat
        var attempt: Int
        var unanswered: Int
        var trying: Duration
    }

    /// From how many on outcomes are written though nobody starts.
    private static var commitSize: Int { 256 }

    init(_ work: StepWork, members: RecipientSet, rate: Rate?, probesAPI: Bool, report: StepReport) {
        self.work = work
        self.report = report
        self.probesAPI = probesAPI
        queue = StepQueue(members)
        budget = RateBudget(own: rate)
    }

    /// Has it go on after it was left.
    ///
    /// - Parameter work: the same, with what a run has learned since.
    mutating func resume(_ work: StepWork) {
        self.work = work
        isUnavailable = false
        renewedSecond = nil
    }

    /// Whether somebody is still to be asked.
    var isUnfinished: Bool { report.stopped == nil && !report.isStanding && !queue.isEmpty }

    /// How long nothing can be done but wait for what is to be tried again; zero when that is not worth leaving for.
    func idleTime(at now: Moment) -> Duration { inFlight.isEmpty ? queue.idleTime(at: now.elapsed) : .zero }

    mutating func takeNews() -> [StepNews] {
        defer { news = [] }
        return news
    }

    // MARK: Events

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect {
        if let wakeAt, wakeAt <= now.elapsed { self.wakeAt = nil }
        switch (stage, event) {
        case (.new, .begun):
            resumed = now.elapsed
            return open(context)
        case (.left, .begun):
            resumed = now.elapsed
            return goOn(now, &context)
        case (.naming(let recipients), .read(let found)):
            tellDiscovered(named(recipients, found), context)
            return commit(work.opening, .opening, context)
        case (.naming(let recipients), .storeFailed):
            tellDiscovered(named(recipients, [:]), context)
            return commit(work.opening, .opening, context)
        case (.opening, .committed), (.sending, .sent): return goOn(now, &context)
        case (.lookingForPauses, .looked(let isPaused)):
            // From now: a state that answers slowly would be asked again and again, and nobody would start.
            lastPauseCheck = now.elapsed
            if isPaused { report.pause() }
            return goOn(now, &context)
        case (.preparing, .prepared): return reserve(now, &context)
        case (.readingAhead(let recipients, let granted), .read(let found)):
            queue.add(named(recipients, found))
            return intend(granted, now, &context)
        case (.intending(let block), .committed):
            outcomes = UnwrittenOutcomes()
            return release(block, now, &context)
        case (.writing, .committed):
            outcomes = UnwrittenOutcomes()
            return goOn(now, &context)
        case (.waiting, .woke(let answers)):
            take(answers, now, &context)
            return goOn(now, &context)
        case (.waiting, .halted(let answers)): return abandon(answers, now, &context)
        case (.abandoning, .read(let found)): return writeOff(found, now, &context)
        case (.abandoning, .storeFailed): return writeOff([:], now, &context)
        case (.closing, .committed): return end(now, context)
        case (.closing, .storeFailed(let reason)):
            giveUp(reason, &context)
            return end(now, context)
        case (_, .storeFailed(let reason)):
            giveUp(reason, &context)
            return goOn(now, &context)
        default: preconditionFailure("the event does not answer what was asked for")
        }
    }

    /// Decides what is next when nothing but answers is waited for.
    mutating func goOn(_ now: Moment, _ context: inout RunContext) -> StepEffect {
        let isLeft = isToBeLeft(now)
        if !isLeft, let effect = startSome(now, &context) { return effect }
        let mustWrite = outcomes.count >= Self.commitSize || inFlight.isEmpty && isUnfinished && !isLeft
        if mustWrite, !outcomes.isEmpty, context.fatal == nil { return write(.writing, [], now, context) }
        if inFlight.isEmpty, isLeft || !isUnfinished { return close(now, context) }
        stage = .waiting
        return .wait(until: wakeAt, answers: answersNeeded(now, context))
    }

    /// Whether nothing more is to be started before the step is gone on with.
    private func isToBeLeft(_ now: Moment) -> Bool {
        isUnavailable || leave.at.map { now.date >= $0 } ?? false || leave.whenIdle && idleTime(at: now) > .zero
    }

    /// How many answers are worth waking for.
    private func answersNeeded(_ now: Moment, _ context: RunContext) -> Int {
        guard !inFlight.isEmpty else { return 0 }
        let limit = limit(context)
        // With a wake-up near, or nobody to start, there is no hurry, or else no reason to let answers wait.
        let isWakeNear = wakeAt.map { $0 - now.elapsed <= RateLimiter.minimumWait * 2 } ?? false
        let missing =
            isWakeNear
            ? inFlight.requests : queue.freshCount > 0 ? blockNeeded(context) - (limit - inFlight.requests) : 1
        return max(1, min(missing, inFlight.requests))
    }

    /// How many may be under way now.
    func limit(_ context: RunContext) -> Int { isProbing ? 1 : context.window.limit }

    /// How many starts are worth a commit.
    func blockNeeded(_ context: RunContext) -> Int {
        min(max(1, limit(context) / 4), budget.block(context.limiter(of: work.action)))
    }

    mutating func giveUp(_ reason: String, isUnreachable: Bool = false, _ context: inout RunContext) {
        context.giveUp(reason, isUnreachable: isUnreachable)
        report.stop(reason)
    }

    /// Recipients and how to reach them, as the state has it.
    func named(_ recipients: RecipientSet, _ found: [RecipientID: Registration]) -> [Addressee] {
        recipients.map { Addressee(id: $0, registration: found[$0]) }
    }

    // MARK: The end

    private mutating func close(_ now: Moment, _ context: RunContext) -> StepEffect {
        forgetDead(isBelieved(context) ? .forgotten : .kept, context)
        let isComplete = report.pending == 0 && report.stopped == nil && !report.isStanding
        return write(
            .closing, isComplete ? work.closing(at: now.date, unknown: report.unknown) : [], now, context)
    }

    private mutating func end(_ now: Moment, _ context: RunContext) -> StepEffect {
        if isBlocked || report.isStanding { report.held += report.pending }
        report.duration += now.elapsed - resumed
        outcomes = UnwrittenOutcomes()
        wakeAt = nil
        stage = .left
        return isUnfinished && context.fatal == nil ? .yield : .finish
    }
}
