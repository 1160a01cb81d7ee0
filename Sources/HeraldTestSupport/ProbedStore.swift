package import FCM
package import HeraldCore
import Synchronization

/// A memory store that reports every commit to a test. From a chosen commit on it refuses all, as a disk does when the
/// machine dies; what it held before stays.
package final class ProbedStore: StateStore {
    /// The error for refused commits, in SQLite's words.
    package static let refusal = StateError.inaccessible(path: "state.sqlite", detail: "SQLite says: disk I/O error")

    private struct State {
        var commits = 0
        var refusesReading = false
    }

    private let inner: MemoryStore
    private let refuses: @Sendable (_ commit: Int) -> Bool
    private let holdUp: @Sendable () async -> Void
    private let committed: @Sendable (_ changes: [StateChange], _ state: RecordedState) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - refuses: Whether the commit of that number, from 0, fails.
    ///   - holdUp: Awaited before each commit.
    ///   - committed: Called after each successful commit, with the state after it.
    package init(
        _ inner: MemoryStore, refuses: @escaping @Sendable (_ commit: Int) -> Bool,
        committed: @escaping @Sendable (_ changes: [StateChange], _ state: RecordedState) -> Void = { _, _ in },
        holdUp: @escaping @Sendable () async -> Void = {}
    ) {
        self.inner = inner
        self.refuses = refuses
        self.holdUp = holdUp
        self.committed = committed
    }

    /// - Parameter refusesFrom: The number of the first commit that fails, from 0.
    package convenience init(
        _ inner: MemoryStore, refusesFrom: Int = .max,
        committed: @escaping @Sendable (_ changes: [StateChange], _ state: RecordedState) -> Void = { _, _ in },
        holdUp: @escaping @Sendable () async -> Void = {}
    ) {
        self.init(inner, refuses: { $0 >= refusesFrom }, committed: committed, holdUp: holdUp)
    }

    package var fingerprintKey: [UInt8] { inner.fingerprintKey }
    /// How many commits were asked for, including refused ones.
    package var commits: Int { state.withLock(\.commits) }

    /// From now on, reading a registration fails.
    package func refuseReading() { state.withLock { $0.refusesReading = true } }

    package func snapshot() async throws -> RecordedState { inner.snapshot() }

    package func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? { inner.occurrence(id) }

    package func trace(of recipient: RecipientID) async throws -> Trace { inner.trace(of: recipient) }

    package func starts() async throws -> [OccurrenceID: Partition<MessageStart>] { inner.starts() }

    package func pauses() async throws -> Pauses { inner.pauses() }

    package func history() async throws -> History { inner.history() }

    package func notes() async throws -> [StateNote: String] { inner.notes() }

    package func approvals() async throws -> [String: RecordedApproval] { inner.approvals() }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        inner.recipients(after: id, limit: limit)
    }

    package func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone] {
        inner.tombstones(after: last, limit: limit)
    }

    package func tombstoneCount() async throws -> Int { inner.tombstoneCount() }

    package func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice] {
        inner.deathNotices(after: last, limit: limit)
    }

    package func numbering() async throws -> Numbering? { inner.numbering() }

    package func recipient(for key: RecipientKey) async throws -> KnownRecipient? { inner.recipient(for: key) }

    package func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration] {
        if state.withLock(\.refusesReading) { throw Self.refusal }
        return inner.registrations(of: recipients)
    }

    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID] {
        try inner.intern(arrivals, comparedUpTo: last)
    }

    package func lease(to holder: String) async throws -> WorkLease { inner.lease(to: holder) }

    package func commit(_ changes: [StateChange]) async throws {
        try await count(changes) { try inner.commit(changes) }
    }

    package func commit(_ changes: [StateChange], under lease: WorkLease) async throws {
        try await count(changes) { try inner.commit(changes, under: lease) }
    }

    package func check() async throws { inner.check() }

    package func compact() async throws -> Compaction { inner.compact() }

    private func count(_ changes: [StateChange], _ commit: () throws -> Void) async throws {
        let number = state.withLock { state in
            state.commits += 1
            return state.commits - 1
        }
        await holdUp()
        if refuses(number) { throw Self.refusal }
        try commit()
        committed(changes, inner.state())
    }
}
