package import FCM

extension Executor {
    package typealias Options = RunOptions

    /// Everything outside that a run uses. It has many parts, because a run does all its input and output through it.
    package struct Surroundings: Sendable {
        package var store: any StateStore
        package var sender: any Sender
        /// The processes that help to send. `nil` if none can.
        package var crew: (any Crew)?
        package var clock: C
        package var now: @Sendable () -> Date
        package var random: any RandomNumberGenerator & Sendable
        package var fingerprints: Fingerprinter
        /// Who asked the run to stop, if anyone. Then nothing more starts.
        package var stop: @Sendable () -> Stop?
        /// Returns when somebody asks to stop without waiting for the requests under way, or when the task is
        /// cancelled.
        package var halt: @Sendable () async -> Void
        /// Makes a plan of what is due now and was not in the first plan. `nil` if the run may do only what was
        /// planned.
        package var lookAgain: (@Sendable (Date, [Plan.Send]) async -> Plan?)?
        /// Whether audiences go by what comes of campaigns, so that the end of one lets others begin.
        package var followsUp = false
        package var others: OtherRegistrations
        /// The rows of some recipients of a personal campaign, by its name.
        package var rows: @Sendable (_ campaign: String, RecipientSet) throws -> [RecipientID: FieldValues]
        /// Called with the report whenever it is worth showing or saving.
        package var observe: @Sendable (Report) async -> Void
        /// Told the account of each step that is over, once the state has it.
        package var end: @Sendable (StepReport) async -> Void = { _ in }
        /// What the state notes for people of what is too late, with the changes after which no run finds it again.
        package var news: @Sendable ([Plan.Missed], [StateChange]) async throws -> [StateChange] = { _, _ in [] }
        /// Called when a step begins, and when it goes on after others.
        package var begin: @Sendable (StepID) -> Void
        /// Called for every accepted send.
        package var receive: (@Sendable (Receipt) -> Void)?
        /// Called for every failure, also for those that the report only counts.
        package var note: @Sendable (_ step: String, Report.Failure) -> Void

        package init(
            store: any StateStore, sender: any Sender, crew: (any Crew)? = nil, clock: C,
            now: @escaping @Sendable () -> Date,
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
            fingerprints: Fingerprinter, stop: @escaping @Sendable () -> Stop? = { nil },
            halt: @escaping @Sendable () async -> Void = Stop.never,
            lookAgain: (@Sendable (Date, [Plan.Send]) async -> Plan?)? = nil,
            others: OtherRegistrations = OtherRegistrations(),
            rows: @escaping @Sendable (_ campaign: String, RecipientSet) throws -> [RecipientID: FieldValues] = {
                _, _ in [:]
            },
            observe: @escaping @Sendable (Report) async -> Void = { _ in },
            begin: @escaping @Sendable (StepID) -> Void = { _ in },
            receive: (@Sendable (Receipt) -> Void)? = nil,
            note: @escaping @Sendable (_ step: String, Report.Failure) -> Void = { _, _ in }
        ) {
            self.store = store
            self.sender = sender
            self.crew = crew
            self.clock = clock
            self.now = now
            self.random = random
            self.fingerprints = fingerprints
            self.stop = stop
            self.halt = halt
            self.lookAgain = lookAgain
            self.others = others
            self.rows = rows
            self.observe = observe
            self.begin = begin
            self.receive = receive
            self.note = note
        }
    }
}

/// Registrations that are tried when FCM says that the one that counts is dead.
package struct OtherRegistrations: Sendable {
    /// The recipients that have any.
    package var recipients: RecipientSet
    /// The living registrations that lists name besides the one that counts, the best one first. Empty if the lists
    /// cannot be read any more.
    package var find: @Sendable (RecipientSet) async -> [RecipientID: [Registration]]

    package init(
        of recipients: RecipientSet = [],
        find: @escaping @Sendable (RecipientSet) async -> [RecipientID: [Registration]] = { _ in [:] }
    ) {
        (self.recipients, self.find) = (recipients, find)
    }
}

/// Who asked a run to stop.
package enum Stop: Hashable, Sendable {
    /// What was stopped stays stopped until a person resumes it.
    case person
    /// The next run goes on.
    case machine

    /// Returns when the task is cancelled.
    package static func never() async {
        let never = AsyncStream<Never>.makeStream()
        for await _ in never.stream {}
    }
}
