internal import FCM

/// Drives the requests of one step: so many at once, no faster than the budget allows, each intent written down before
/// its request leaves and each outcome after. One commit serves all requests that start together, and the answers that
/// came meanwhile. This task owns all state; answers reach it through its inbox. A drive may be left when something more
/// urgent comes, and gone on with.
struct StepDrive<C: Clock> where C.Duration == Duration {
    typealias Options = Executor<C>.Options
    typealias Surroundings = Executor<C>.Surroundings

    var budget: RateBudget
    var window: Window
    /// Whether anything on this API succeeded in this run, so that a dead registration can be believed.
    var hasSucceeded: Bool
    /// Why nothing else of the run need be tried.
    var fatal: String?
    /// Whether `fatal` is that nobody answers.
    var isUnreachable = false
    var wasBlocked = false
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
    var ahead: ArraySlice<Addressee> = []
    var retries = RetryQueue()
    /// When the answer came that is being judged.
    var answered: Duration = .zero
    /// About others of the same answer: they wait alike, and so go again in one batch.
    var decisions: [Setback: RetryPolicy.Decision] = [:]
    /// Requests; a batch is one.
    var inFlight = 0
    /// Whom they are for.
    var flying = RecipientSet()
    let inbox = Inbox()
    private var isListening = false
    /// Until then the budget lets nobody start.
    var quietUntil: Duration = .zero
    /// The work with the lifetime that its message has in a certain second.
    var renewed: (second: Int, work: StepWork)?
    /// When the nearest wake-up that is arranged comes.
    var wakeUp: Duration?
    var settled = UnwrittenOutcomes()
    var hasBegun = false
    var lastPauseCheck: Duration?
    /// Answered as dead, and neither forgotten nor kept yet.
    var reportedDead: [(Addressee, Failure, attempts: Int)] = []
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
    static var readAheadSize: Int { 2048 }
    /// From how many on outcomes are written though nobody starts.
    private static var commitSize: Int { 256 }

    /// What a decision to try again depends on, chance aside.
    struct Setback: Hashable {
        var asked: Verdict.Repeat
        var attempt: Int
        var unanswered: Int
        var trying: Duration
    }

    init(
        options: Options, surroundings: Surroundings, members: RecipientSet, budget: RateBudget, window: Window,
        hasSucceeded: Bool, probesAPI: Bool = false, step: StepReport, runBegin: C.Instant
    ) {
        self.probesAPI = probesAPI
        self.options = options
        self.surroundings = surroundings
        self.budget = budget
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
                let isLeft = await startSome(of: work, in: &group)
                if settled.count >= Self.commitSize { await write(work) }
                await observeNowAndThen(observe)
                if inFlight == 0, isLeft || !isUnfinished { break }
                listen(in: &group)
                switch await group.next() {
                case .answers: isListening = false
                case .wake(let instant): if wakeUp == instant { wakeUp = nil }
                case .halt where !Task.isCancelled: await abandon(work)
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
        let isWakeNear = wakeUp.map { $0 - elapsed <= RateLimiter.minimumWait * 2 } ?? false
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
        for answer in answers {
            inFlight -= 1
            if !decisions.isEmpty { decisions = [:] }
            let addressees = answer.asked.addressees
            let verdicts = work.verdicts(on: answer.exchange, for: addressees)
            note(answer.exchange, answer.asked, verdicts.first, isFull: isFull)
            for (addressee, number) in zip(addressees, 0..<verdicts.count) {
                flying.remove(addressee.id)
                judge(work, addressee, verdicts[number])
            }
            checkRejections(work)
        }
    }

    /// Waits for nobody any more: what is under way may have arrived.
    private mutating func abandon(_ work: StepWork) async {
        wasInterrupted = true
        step.stop(StepReport.interruption)
        takeAnswers(to: work)
        if work.isSend {
            let failure = Failure(.interrupted, message: "the run was stopped before the answer came")
            step.unknown += flying.count
            settled.unknown.formUnion(flying)
            for addressee in await named(flying) {
                fail(addressee, failure, retries.attempts(of: addressee.id) + 1, .held)
            }
        }
        flying = []
        inFlight = 0
    }

    /// How many may be under way now.
    var limit: Int { isProbing ? 1 : window.limit }

    /// How many starts are worth a commit.
    func blockNeeded(of limit: Int) -> Int { min(max(1, limit / 4), budget.block) }

    /// Whether nothing more is to be started before the drive is gone on with.
    var isToBeLeft: Bool {
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

    /// Time since the run began, which the budget's limiters count by: they outlive the step.
    var budgetTime: Duration { runBegin.duration(to: surroundings.clock.now) }
}
