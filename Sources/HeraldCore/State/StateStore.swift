package import FCM

/// Keeps the state. SQLite in earnest, memory for dry runs and tests; all pass one suite.
package protocol StateStore: Sendable {
    /// 32 random bytes, made with the state, that turn registrations into fingerprints.
    var fingerprintKey: [UInt8] { get }

    // MARK: What is written down

    /// The state as it stands, with the ledgers of open occurrences only (`RecordedState.snapshot`).
    func snapshot() async throws -> RecordedState

    /// One occurrence with its ledger, finished or not.
    func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence?

    /// Everything about one recipient, in finished occurrences as well.
    func trace(of recipient: RecipientID) async throws -> Trace

    /// What is paused at this moment: a person may pause while a run goes.
    func pauses() async throws -> Pauses

    // MARK: Recipients

    /// The recipients behind a number, in ascending order, `limit` of them or fewer where there are no more.
    func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient]

    /// Which numbers it has given; `nil` where it cannot tell them from others.
    func numbering() async throws -> Numbering?

    /// What is known of an installation. It may take a look at every recipient: nothing but people asks for one.
    func recipient(for key: RecipientKey) async throws -> KnownRecipient?

    /// How to reach recipients.
    func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration]

    /// Takes registrations in, and gives numbers to those that are new (`[Arrival].numbers`). Several machines may do
    /// so at once: a number is given once, and so is a recipient's.
    ///
    /// - Parameters:
    ///   - arrivals: each of another recipient.
    ///   - last: the highest number among the recipients that the caller has compared them with.
    /// - Returns: each one's number.
    func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID]

    // MARK: Work

    /// Lets a run write down what it does, and nobody who had a lease before it.
    ///
    /// - Parameter holder: the run's id.
    func lease(to holder: String) async throws -> WorkLease

    /// Writes a run's work: all changes or none; they survive a crash once this returns. Under a lease that is not the
    /// newest nothing is written (`StateError.leaseLost`).
    func commit(_ changes: [StateChange], under lease: WorkLease) async throws

    /// Writes what is no run's work, but what a person or a command has to say about the state.
    func commit(_ changes: [StateChange]) async throws
}
