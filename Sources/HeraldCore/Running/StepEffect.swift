internal import FCM

/// What a step asks its shell to do. It asks for one thing at a time and gets the result as one `StepEvent` before it
/// asks for the next.
enum StepEffect {
    /// Find out whether a person paused the campaign: `looked`.
    case lookForPauses
    /// Have a connection and a token ready, so that calls leave at once: `prepared`.
    case prepare
    /// Read registrations: `read` or `storeFailed`.
    case read(RecipientSet)
    /// Read the rows of recipients of a personal campaign: `readRows` or `storeFailed`.
    case readRows(RecipientSet)
    /// Find the other living registrations that lists name for recipients, and those that their former numbers stand
    /// for: `foundOthers` or `storeFailed`.
    case findOthers(RecipientSet, formers: RecipientSet)
    /// Write changes, all or none: `committed` or `storeFailed`. An empty list needs no write.
    case commit([StateChange])
    /// Let other processes send to these recipients too: `shared` or `storeFailed`.
    case share(SharedSend, RecipientSet)
    /// Take some of a shared send's recipients: `claimed` or `storeFailed`.
    case claim(JobID)
    /// End this process's part in a shared send: `settled` or `storeFailed`.
    case leave(JobID)
    /// Send requests: `sent`. All that must be written before them has been written.
    case send([Departure])
    /// Wait until that time, for that many answers, or for a request to stop at once: `woke` or `halted`.
    case wait(until: Duration?, answers: Int)
    /// Leave the step and resume it when nothing is more urgent: `begun`.
    case yield
    /// The step is over.
    case finish

    /// A request and the recipients it is for.
    struct Departure {
        let request: Request
        let asked: Inbox.Asked
    }
}

/// The result of an effect.
enum StepEvent {
    /// The step begins or resumes.
    case begun
    case looked(isPaused: Bool)
    case prepared
    case read([RecipientID: Registration])
    case readRows([RecipientID: FieldValues])
    case foundOthers([RecipientID: [Registration]], formers: [RecipientID: Registration])
    case committed
    case storeFailed(String)
    case shared(JobID)
    case claimed(Claim)
    case settled(Settlement)
    case sent
    /// A wait is over. These are all answers that have come.
    case woke([Inbox.Answer])
    /// Somebody asked to stop without waiting for the requests under way.
    case halted([Inbox.Answer])
}

/// What happened to one recipient, for callers that keep more than the report shows.
enum StepNews {
    case failure(Report.Failure)
    case receipt(registration: String?, messageID: String, Receipt.Text?)
    /// FCM asks to be left alone for that long: in one job, or by all sends.
    case pause(JobID?, Duration)
    /// Nothing more of a job is to start.
    case dismissal(JobID)
}

/// A step that only decides. It holds no clock, does no I/O and never waits. `StepState`, `GroupState` and `SurveyState`
/// are such steps.
protocol DecidingStep<Account> {
    associatedtype Account: Sendable
    var id: StepID { get }
    /// How far it is.
    var report: Account { get }
    /// Whether starts were granted that have not happened yet.
    var isGranting: Bool { get }
    /// Whether the step has messages to send.
    var wantsStarts: Bool { get }
    /// What this process counted in a shared send.
    var part: (job: JobID, tally: Tally)? { get }

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect

    /// What has happened since the last call.
    mutating func takeNews() -> [StepNews]
}

extension DecidingStep where Account == StepReport {
    var id: StepID { report.id }
}

/// Steps that only their own process does.
extension DecidingStep {
    var isGranting: Bool { false }
    var wantsStarts: Bool { false }
    var part: (job: JobID, tally: Tally)? { nil }
}
