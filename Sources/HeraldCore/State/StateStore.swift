package import FCM

/// Keeps the state: in a SQLite file, in PostgreSQL, or in memory for dry runs and tests. All stores pass the same tests.
package protocol StateStore: Sendable {
    /// 32 random bytes, created with the state. They turn registrations into fingerprints.
    var fingerprintKey: [UInt8] { get }

    // MARK: State

    /// The current state, with the ledgers of open occurrences only (`RecordedState.snapshot`).
    func snapshot() async throws -> RecordedState

    /// One occurrence with its ledger, whether it is finished or not.
    func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence?

    /// All that is known about one recipient, also in finished occurrences.
    func trace(of recipient: RecipientID) async throws -> Trace

    /// The messages that count for caps (`RecordedState.starts`), those of this moment included.
    func starts() async throws -> [OccurrenceID: Partition<MessageStart>]

    /// What is paused at this moment. A person may pause during a run.
    func pauses() async throws -> Pauses

    /// What runs and commands left until this moment.
    func history() async throws -> History

    /// What runs noted for those after them, as it is at this moment.
    func notes() async throws -> [StateNote: String]

    /// What is approved at this moment. It reads no more than that.
    func approvals() async throws -> [String: RecordedApproval]

    // MARK: Recipients

    /// The recipients after a number, in ascending order, up to `limit` of them.
    func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient]

    /// The tombstones after one of them, up to `limit`, in the order of recipients and then of registrations. `nil` stands
    /// for the beginning.
    func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone]

    /// How many tombstones there are. It reads no registration.
    func tombstoneCount() async throws -> Int

    /// Deaths that are numbered and that nobody was told of yet, after one of them, by run and number, up to `limit`.
    /// `nil` stands for the beginning.
    func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice]

    /// The numbers that the store has given out. `nil` if it cannot tell them from another state's.
    func numbering() async throws -> Numbering?

    /// The recipient with this key. It may read every recipient, so only commands that a person types use it.
    func recipient(for key: RecipientKey) async throws -> KnownRecipient?

    /// The current registrations of recipients. For former numbers: the registrations that they stand for.
    func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration]

    /// Takes registrations in, and gives numbers to the new ones (`[Arrival].numbers`). Several machines may do this at
    /// once: each number is given out once, and each recipient gets one number.
    ///
    /// - Parameters:
    ///   - arrivals: at most one for each recipient.
    ///   - last: the highest number among the recipients that the caller has compared the arrivals with.
    /// - Returns: the number of each arrival.
    func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID]

    // MARK: Work

    /// Gives a run the right to write its work, and takes it from every earlier lease.
    ///
    /// - Parameter holder: the run's id.
    func lease(to holder: String) async throws -> WorkLease

    /// Writes a run's work: all changes or none. They survive a crash once this returns. It writes nothing under a
    /// lease that is not the newest (`StateError.leaseLost`).
    func commit(_ changes: [StateChange], under lease: WorkLease) async throws

    /// Writes changes that are not a run's work but come from a person or a command.
    func commit(_ changes: [StateChange]) async throws

    /// Reads everything, and throws if a part of it is not as it was written.
    func check() async throws

    /// Gives back the space of what was removed, and leaves no trace of it in the store's files. It waits for nobody who
    /// reads the state.
    @discardableResult func compact() async throws -> Compaction
}

/// Whether what was removed from a state has left its files, too.
package enum Compaction: Hashable, Sendable {
    case done
    /// Until later, and why.
    case postponed(String)
    /// Only the owner of the state's schema can.
    case forOwner
}
