internal import FCM

/// What a step asks of whoever carries it out. It asks for one thing at a time, and is told what came of it by one
/// `StepEvent` before it asks for the next.
enum StepEffect {
    /// Find out whether a person paused its campaign: `looked`.
    case lookForPauses
    /// Have a connection ready, so that calls leave at once: `prepared`.
    case prepare
    /// Read registrations: `read` or `storeFailed`.
    case read(RecipientSet)
    /// Write changes down, all or none: `committed` or `storeFailed`. An empty list needs no writing.
    case commit([StateChange])
    /// Let requests leave: `sent`. Whatever must be written down before is.
    case send([Departure])
    /// Wait until that time, for so many answers, or for somebody who does not want to wait: `woke` or `halted`.
    case wait(until: Duration?, answers: Int)
    /// Leave the step, and go on with it when there is nothing more urgent: `begun`.
    case yield
    /// The step is over.
    case finish

    /// A request, and whom it asks.
    struct Departure {
        let request: Request
        let asked: Inbox.Asked
    }
}

/// What came of an effect.
enum StepEvent {
    /// It begins, or is gone on with.
    case begun
    case looked(isPaused: Bool)
    case prepared
    case read([RecipientID: Registration])
    case committed
    case storeFailed(String)
    case sent
    /// A wait is over. The answers are all that have come.
    case woke([Inbox.Answer])
    /// Somebody does not want to wait for what is under way.
    case halted([Inbox.Answer])
}

/// What happened to one recipient, for whoever keeps more than the report shows.
enum StepNews {
    case failure(Report.Failure)
    case receipt(registration: String?, messageID: String)
}

/// A step that decides and never waits: it holds no clock and does no I/O. `StepState` and `GroupState` are such.
protocol DecidingStep {
    var report: StepReport { get }

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect

    /// What has happened since the last time.
    mutating func takeNews() -> [StepNews]
}
