internal import FCM

/// How fast the calls of one step go out: the rates, the pauses that FCM asks for, how many calls are under way, and
/// when to look again. Sends, memberships, questions for memberships and calls about device groups are all paced by it.
/// It holds no clock and makes no call.
struct PacedCalls {
    private let pace: RunContext.Pace
    /// The campaign whose own rate holds, too.
    let campaign: String?
    private var budget = RateBudget()
    /// The rates let nothing start before this time.
    private(set) var restsUntil: Duration = .zero
    /// The latest time to wake if no answer comes.
    private(set) var wakeAt: Duration?
    var inFlight = InFlight()
    /// Whether a call has started in this run.
    private(set) var hasStarted = false
    /// Until the first answer only one request is under way. Its answer shows whether the API exists and whether a
    /// setting or the message itself is wrong.
    private(set) var isProbing = true
    /// Whether only an answer that shows the API ends the probing.
    private let probesAPI: Bool
    /// When the server last answered any request.
    private(set) var lastResponse: Duration?
    /// Retry decisions for the answer being judged. Recipients of the same batch share one decision, so they wait
    /// equally long and go out again in one batch.
    private var decisions: [Setback: RetryPolicy.Decision] = [:]

    /// Requests under way, and their recipients.
    struct InFlight {
        /// A batch counts as one.
        var requests = 0
        var recipients = RecipientSet()

        var isEmpty: Bool { requests == 0 }
    }

    /// What a retry decision depends on, apart from chance.
    struct Setback: Hashable {
        var asked: Verdict.Repeat
        var attempt: Int
        /// How many attempts in a row, up to this one, during which the server answered no request.
        var unanswered: Int
        /// The time since the first attempt began.
        var trying: Duration
    }

    /// - Parameter campaign: one with a rate of its own.
    init(_ pace: RunContext.Pace, ofOwnRate campaign: String? = nil, probesAPI: Bool = false) {
        (self.pace, self.campaign, self.probesAPI) = (pace, campaign, probesAPI)
    }

    // MARK: Starting

    /// How many requests may be under way now.
    func limit(_ context: RunContext) -> Int { isProbing ? 1 : context.window.limit }

    /// How many starts are worth a commit.
    func blockNeeded(_ context: RunContext) -> Int {
        min(max(1, limit(context) / 4), context.block(of: pace, campaign))
    }

    /// Takes up to `wanted` starts from the rates. When it gives none, `wait` says how long to wait before asking again.
    mutating func reserve(
        _ wanted: Int, at now: Moment, _ context: inout RunContext
    ) -> (granted: Int, wait: Duration) {
        context.withLimiters(of: pace, campaign) { budget.reserve(wanted, at: now.elapsed, from: &$0, &$1) }
    }

    /// The same for one batch request of up to `wanted` recipients, which takes all of its starts or none.
    mutating func reserve(
        batch wanted: Int, at now: Moment, _ context: inout RunContext
    ) -> (granted: Int, wait: Duration) {
        context.withLimiters(of: pace, campaign) { shared, own in
            let count = min(wanted, shared.largestBatch, own?.largestBatch ?? .max)
            let wait = budget.reserve(batch: count, at: now.elapsed, from: &shared, &own)
            return (wait == .zero ? count : 0, wait)
        }
    }

    /// Requests leave now.
    ///
    /// - Parameter granted: how many starts were taken for them. A write to the state has delayed them.
    mutating func start(
        _ requests: Int, for recipients: RecipientSet, granted: Int, at now: Moment, _ context: inout RunContext
    ) {
        context.withLimiters(of: pace, campaign) { shared, own in
            shared.postpone(granted, to: now.elapsed)
            own?.postpone(granted, to: now.elapsed)
        }
        inFlight.requests += requests
        inFlight.recipients.formUnion(recipients)
        hasStarted = true
    }

    // MARK: Answers

    /// Before the verdict on an answer is judged.
    mutating func note(_ exchange: Exchange, at now: Moment) {
        inFlight.requests -= 1
        if !decisions.isEmpty { decisions = [:] }
        if case .response = exchange { lastResponse = now.elapsed }
    }

    mutating func learn(from verdict: Verdict) {
        if probesAPI ? verdict.showsAPI : verdict.isTelling { endProbing() }
    }

    /// The API is there, and settings are right as far as an answer can show it.
    mutating func endProbing() { isProbing = false }

    /// Tells the window about an answer.
    ///
    /// - Parameters:
    ///   - isDeferral: whether the server asks for less.
    ///   - isOpen: whether the answer does not tell what came of the request.
    ///   - isFull: whether the window is what keeps more requests from starting.
    /// - Returns: Why the run must end: requests are accepted and none is answered. `nil` if it need not.
    func measure(
        _ exchange: Exchange, to asked: Inbox.Asked, isDeferral: Bool, isOpen: Bool = false, isFull: Bool,
        at now: Moment, _ context: inout RunContext
    ) -> String? {
        let outcome: Window.Outcome
        switch exchange {
        case .response: outcome = isOpen ? .open : isDeferral ? .deferred : .answered
        case .lost: outcome = .lost
        case .notSent, .refused: return nil
        }
        context.window.note(
            outcome, after: now.elapsed - asked.block.started.elapsed, serial: asked.serial, isFull: isFull)
        guard case .lost(let reason) = exchange, areLost(context) else { return nil }
        return "no request is answered: \(reason)"
    }

    /// Whether nobody can tell what came of round after round of requests.
    func areLost(_ context: RunContext) -> Bool { context.window.lostRounds >= Self.lostRounds }

    /// That many rounds of requests without any answer end the run, and without any that tells what came of them the
    /// step.
    private static let lostRounds = 5

    /// Whether and when the call for a recipient is made again.
    ///
    /// - Returns: Besides, how many attempts in a row the server answered nobody. `nil` if FCM itself asks for another
    ///   try.
    mutating func decide(
        _ asked: Verdict.Repeat, for id: RecipientID, in retries: RetryQueue, at now: Moment,
        _ context: inout RunContext
    ) -> (decision: RetryPolicy.Decision, unanswered: RetryQueue.Row?) {
        let row = RetryQueue.Row(of: id, in: retries, answered: lastResponse, now: now.elapsed)
        let unanswered = asked.effect.isAskedFor ? nil : row
        let setback = Setback(
            asked: asked, attempt: retries.attempts(of: id) + 1, unanswered: unanswered?.count ?? 0,
            trying: retries.elapsed(of: id, at: now.elapsed))
        return (decide(setback, at: now, &context), unanswered)
    }

    /// Whether and when the call is made again.
    mutating func decide(
        _ setback: Setback, at now: Moment, _ context: inout RunContext
    ) -> RetryPolicy.Decision {
        if let decision = decisions[setback] { return decision }
        let decision = context.options.retry.decide(
            setback.asked, attempt: setback.attempt, unanswered: setback.unanswered, elapsed: setback.trying,
            now: now.date.timeIntervalSince1970, using: &context.random)
        decisions[setback] = decision
        return decision
    }

    // MARK: Waiting

    /// FCM asks for it.
    mutating func pause(_ pause: RetryPolicy.Pause, at now: Moment, _ context: inout RunContext) {
        context.withLimiters(of: pace, campaign) { shared, _ in budget.pause(pause, at: now.elapsed, &shared) }
    }

    /// Nothing starts for that long, because another process was asked to pause.
    mutating func pause(for length: Duration, at now: Moment) { budget.pause(until: now.elapsed + length) }

    /// The rates let nothing start for that long.
    mutating func rest(for wait: Duration, at now: Moment) { restsUntil = now.elapsed + wait }

    /// Waits are short, so that a request to stop is noticed.
    mutating func wake(after wait: Duration, _ now: Moment) {
        let instant = now.elapsed + min(max(wait, RateLimiter.minimumWait), .seconds(1))
        wakeAt = min(wakeAt ?? instant, instant)
    }

    /// It is that time now.
    mutating func noteWaking(at now: Moment) { if let wakeAt, wakeAt <= now.elapsed { self.wakeAt = nil } }

    /// The step yields or is over.
    mutating func endWaiting() { wakeAt = nil }
}

extension Verdict {
    /// Whether the answer says something about what other requests may expect.
    fileprivate var isTelling: Bool {
        switch self {
        case .unauthenticated: false
        case .again(_, let asked): asked.effect != .none
        case .accepted, .preexisting, .dead, .rejected, .unknown, .unavailable, .stop: true
        }
    }

    /// Whether the answer shows that the project has the API.
    fileprivate var showsAPI: Bool {
        switch self {
        case .accepted, .preexisting, .dead, .rejected: true
        case .again, .unknown, .unauthenticated, .unavailable, .stop: false
        }
    }
}
