package import FCM
internal import Synchronization

/// The state as one run uses it. Everything the run commits is committed under its lease.
package final class LeasedStore: StateStore {
    private let store: any StateStore
    private let lease: WorkLease
    private let last: Mutex<StateVersion>

    /// - Parameters:
    ///   - version: the state as the run read it. Only this run has changed it since.
    ///   - holder: the run's id.
    package init(_ store: any StateStore, at version: StateVersion, holder: String) async throws {
        self.store = store
        last = Mutex(version)
        lease = try await store.lease(to: holder)
    }

    /// What was committed last.
    package var version: StateVersion { last.withLock(\.self) }

    package var fingerprintKey: [UInt8] { store.fingerprintKey }

    package func snapshot() async throws -> RecordedState { try await store.snapshot() }

    package func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? { try await store.occurrence(id) }

    package func trace(of recipient: RecipientID) async throws -> Trace { try await store.trace(of: recipient) }

    package func starts() async throws -> [OccurrenceID: Partition<MessageStart>] { try await store.starts() }

    package func pauses() async throws -> Pauses { try await store.pauses() }

    package func history() async throws -> History { try await store.history() }

    package func notes() async throws -> [StateNote: String] { try await store.notes() }

    package func approvals() async throws -> [String: RecordedApproval] { try await store.approvals() }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await store.recipients(after: id, limit: limit)
    }

    package func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone] {
        try await store.tombstones(after: last, limit: limit)
    }

    package func tombstoneCount() async throws -> Int { try await store.tombstoneCount() }

    package func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice] {
        try await store.deathNotices(after: last, limit: limit)
    }

    package func numbering() async throws -> Numbering? { try await store.numbering() }

    package func recipient(for key: RecipientKey) async throws -> KnownRecipient? {
        try await store.recipient(for: key)
    }

    package func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration] {
        try await store.registrations(of: recipients)
    }

    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID] {
        try await store.intern(arrivals, comparedUpTo: last)
    }

    package func lease(to holder: String) async throws -> WorkLease { try await store.lease(to: holder) }

    package func commit(_ changes: [StateChange], under lease: WorkLease) async throws {
        try await store.commit(changes, under: lease)
        if changes.contains(where: \.isEffect) { last.withLock { $0.serial += 1 } }
    }

    package func check() async throws { try await store.check() }

    package func compact() async throws -> Compaction { try await store.compact() }

    package func commit(_ changes: [StateChange]) async throws { try await commit(changes, under: lease) }
}
