internal import FCM

/// One call about a device group. It is repeated until an answer says something about the group.
struct GroupCall {
    let operation: GroupOperation
    /// The call does not wait past this time.
    private let leaveAt: Date?
    private let began: Duration
    private var attempts = 0
    /// How many attempts in a row got no answer.
    private var unanswered = 0
    private var wasUnauthenticated = false
    private(set) var retries = 0
    private(set) var mayHaveTakenEffect = false

    enum Result {
        case answered(GroupVerdict)
        case interrupted
        /// The server asks for a longer wait than a run allows.
        case gaveUp(Failure)
        case unreachable(Failure)
    }

    enum Next {
        case effect(StepEffect)
        case ended(Result)
    }

    init(_ operation: GroupOperation, leaveAt: Date? = nil, at now: Moment) {
        self.operation = operation
        self.leaveAt = leaveAt
        began = now.elapsed
    }

    /// Makes the first attempt as soon as the rates allow it.
    mutating func begin(at now: Moment, _ calls: inout PacedCalls, _ context: inout RunContext) -> Next {
        if context.stop != nil { return .ended(.interrupted) }
        if calls.restsUntil > now.elapsed { return rest(now, calls) }
        let (granted, wait) = calls.reserve(1, at: now, &context)
        if granted == 0 {
            guard isWorthWaiting(wait, now, context) else {
                return .ended(.gaveUp(Failure(.retryLater, message: "FCM asks to be left alone")))
            }
            calls.rest(for: wait, at: now)
            return rest(now, calls)
        }
        calls.start(1, for: [], granted: 0, at: now, &context)
        let asked = Inbox.Asked(block: Inbox.Block([], started: now), places: 0..<0, serial: 0)
        return .effect(.send([.init(request: .group(operation), asked: asked)]))
    }

    /// Goes on after the effect that it asked for last.
    mutating func handle(
        _ event: StepEvent, at now: Moment, _ calls: inout PacedCalls, _ context: inout RunContext
    ) -> Next {
        switch event {
        case .halted(let answers):
            let wasSent = if case .notSent? = answers.first?.exchange { false } else { !calls.inFlight.isEmpty }
            if wasSent { mayHaveTakenEffect = true }
            return .ended(.interrupted)
        case .woke(let answers) where !calls.inFlight.isEmpty:
            guard let answer = answers.first else { return .effect(.wait(until: nil, answers: 1)) }
            calls.note(answer.exchange, at: now)
            if let result = judge(answer.exchange, now, &calls, &context) { return .ended(result) }
            retries += 1
            return begin(at: now, &calls, &context)
        case .sent: return .effect(.wait(until: nil, answers: 1))
        default: return begin(at: now, &calls, &context)
        }
    }

    /// `nil` means: make the call again.
    private mutating func judge(
        _ exchange: Exchange, _ now: Moment, _ calls: inout PacedCalls, _ context: inout RunContext
    ) -> Result? {
        attempts += 1
        if case .response = exchange { unanswered = 0 } else { unanswered += 1 }
        if case .lost = exchange { mayHaveTakenEffect = true }
        let verdict = GroupVerdict(exchange, for: operation)
        if case .unauthenticated = verdict, !wasUnauthenticated {
            wasUnauthenticated = true
            return nil
        }
        guard case .again(let failure, let asked) = verdict else { return .answered(verdict) }
        if [.idempotent, .deferred].contains(asked.effect) { mayHaveTakenEffect = true }
        let setback = PacedCalls.Setback(
            asked: asked, attempt: attempts, unanswered: unanswered, trying: now.elapsed - began)
        switch calls.decide(setback, at: now, &context) {
        case .unreachable: return .unreachable(failure)
        case .wait(let wait, let pause, let isTooLong):
            if let pause { calls.pause(pause, at: now, &context) }
            guard !isTooLong, isWorthWaiting(wait, now, context) else { return .gaveUp(failure) }
            calls.rest(for: wait, at: now)
            return nil
        }
    }

    private func isWorthWaiting(_ wait: Duration, _ now: Moment, _ context: RunContext) -> Bool {
        wait <= context.options.retry.horizon && leaveAt.map { now.date.adding(wait) < $0 } ?? true
    }

    /// Waits are short, so that a request to stop is noticed.
    private func rest(_ now: Moment, _ calls: PacedCalls) -> Next {
        .effect(.wait(until: min(calls.restsUntil, now.elapsed + .seconds(1)), answers: 0))
    }
}
