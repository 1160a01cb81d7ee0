package import FCM

/// The state as one run uses it. Everything the run commits is committed under its lease.
package struct LeasedStore: StateStore {
    private let store: any StateStore
    private let lease: WorkLease

    /// - Parameter holder: the run's id.
    package init(_ store: any StateStore, holder: String) async throws {
        self.store = store
        lease = try await store.lease(to: holder)
    }

    package var fingerprintKey: [UInt8] { store.fingerprintKey }

    package func snapshot() async throws -> RecordedState { try await store.snapshot() }

    package func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? { try await store.occurrence(id) }

    package func trace(of recipient: RecipientID) async throws -> Trace { try await store.trace(of: recipient) }

    package func pauses() async throws -> Pauses { try await store.pauses() }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await store.recipients(after: id, limit: limit)
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
    }

    package func compact() async throws { try await store.compact() }

    package func commit(_ changes: [StateChange]) async throws { try await store.commit(changes, under: lease) }
}
