import FCM
import HeraldStore
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// Where the state of a life is: herald's own place, seen by the life. From the commit at which the process dies on, it
/// refuses all, as a disk does when the machine dies; what it held before stays.
struct LifePlace: StateLocation {
    let inner: any StateLocation
    let run: LifeRun
    let time: SimulatedTime
    let fcm: ModelFCM
    /// The state, if it is open already.
    let opened: (any StateStore)?
    /// What calls leave open for the next ones.
    let pool: LifePool?

    private func wrapped(_ store: any StateStore) -> LifeStore { LifeStore(inner: store, place: self) }

    var name: String { inner.name }
    var keeping: String { inner.keeping }
    var reports: String { inner.reports }
    var cachePath: String { inner.cachePath }
    var copies: [String] { inner.copies }
    var copyPlace: any CopyPlace { inner.copyPlace }

    func require() async throws { try await time.outside { try await inner.require() } }

    func openIfPresent(for use: StateUse) async throws -> (any StateStore)? {
        if let opened { return opened }
        if let store = pool?[inner.name] { return wrapped(store) }
        let store = try await time.outside { try await inner.openIfPresent(for: use) }
        pool?[inner.name] = store
        return store.map(wrapped)
    }

    func open(for use: StateUse) async throws -> any StateStore {
        if let store = pool?[inner.name] { return wrapped(store) }
        let store = try await time.outside { try await inner.open(for: use) }
        pool?[inner.name] = store
        return wrapped(store)
    }

    func backUp(to file: String) async throws { try await time.outside { try await inner.backUp(to: file) } }

    func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        if run.isDead { throw ProbedStore.refusal }
        return wrapped(try await time.outside { try await inner.create(identity) })
    }

    func initialize(created: Date) async throws {
        try await time.outside { try await inner.initialize(created: created) }
    }

    func newIdentity(created: Date) -> RecordedState.Identity { inner.newIdentity(created: created) }

    func lock(for run: String) async throws -> any StateLock {
        LifeLock(inner: try await time.outside { try await inner.lock(for: run) }, time: time)
    }

    func hasMoved() async throws -> Bool { try await time.outside { try await inner.hasMoved() } }
    func acceptMove() async throws { try await time.outside { try await inner.acceptMove() } }
    func migrate() async throws -> Bool { try await time.outside { try await inner.migrate() } }
    func holder() async throws -> String? { try await time.outside { try await inner.holder() } }

    func takeLock(from run: String) async throws {
        try await time.outside { try await inner.takeLock(from: run) }
    }
}

/// The states that calls of `apply` and `run` leave open for the next ones, by name. Opening one takes long, most of all
/// because SQLite compiles every statement anew.
final class LifePool: Sendable {
    private let stores = Mutex<[String: any StateStore]>([:])

    subscript(name: String) -> (any StateStore)? {
        get { stores.withLock { $0[name] } }
        set { stores.withLock { $0[name] = newValue } }
    }

    /// Whatever else works with the state finds it closed, as after the end of a process.
    func empty() {
        // Closed after the lock is free again.
        let open = stores.withLock { stores in
            defer { stores = [:] }
            return stores
        }
        withExtendedLifetime(open) {}
    }
}

/// The state of a life, which its run reads and writes.
struct LifeStore: StateStore {
    let inner: any StateStore
    let place: LifePlace
    /// What it holds, if that was read and nobody changes it.
    var known: RecordedState?

    var fingerprintKey: [UInt8] { inner.fingerprintKey }

    private func read<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await place.time.outside(body)
    }

    func snapshot() async throws -> RecordedState {
        if let known { return known }
        return try await read { try await inner.snapshot() }
    }

    func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? {
        try await read { try await inner.occurrence(id) }
    }

    func trace(of recipient: RecipientID) async throws -> Trace {
        try await read { try await inner.trace(of: recipient) }
    }
    func starts() async throws -> [OccurrenceID: Partition<MessageStart>] {
        try await read { try await inner.starts() }
    }

    func pauses() async throws -> Pauses { try await read { try await inner.pauses() } }
    func history() async throws -> History { try await read { try await inner.history() } }
    func notes() async throws -> [StateNote: String] { try await read { try await inner.notes() } }
    func approvals() async throws -> [String: RecordedApproval] { try await read { try await inner.approvals() } }

    func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await read { try await inner.recipients(after: id, limit: limit) }
    }

    func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone] {
        try await read { try await inner.tombstones(after: last, limit: limit) }
    }

    func tombstoneCount() async throws -> Int { try await read { try await inner.tombstoneCount() } }
    func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice] {
        try await read { try await inner.deathNotices(after: last, limit: limit) }
    }

    func numbering() async throws -> Numbering? { try await read { try await inner.numbering() } }

    func recipient(for key: RecipientKey) async throws -> KnownRecipient? {
        try await read { try await inner.recipient(for: key) }
    }

    func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration] {
        try await read { try await inner.registrations(of: recipients) }
    }

    func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID] {
        if place.run.isDead { throw ProbedStore.refusal }
        return try await read { try await inner.intern(arrivals, comparedUpTo: last) }
    }

    func lease(to holder: String) async throws -> WorkLease {
        if place.run.isDead { throw ProbedStore.refusal }
        return try await read { try await inner.lease(to: holder) }
    }

    func commit(_ changes: [StateChange], under lease: WorkLease) async throws {
        try await write(changes) { try await inner.commit(changes, under: lease) }
    }

    func commit(_ changes: [StateChange]) async throws {
        try await write(changes) { try await inner.commit(changes) }
    }

    private func write(_ changes: [StateChange], _ commit: () async throws -> Void) async throws {
        if place.run.diesAtNextCommit() { throw ProbedStore.refusal }
        try await read(commit)
        place.run.note(changes, before: place.fcm.calls.count, at: place.time.now.offset)
    }

    func check() async throws { try await read { try await inner.check() } }
    func compact() async throws -> Compaction { try await read { try await inner.compact() } }
}

/// What a life looks up in its state between runs: everything that the state holds.
struct LifeKnowledge {
    var state = RecordedState(
        identity: .init(lineage: "", project: "p", endpoint: .emulator, created: Date(timeIntervalSince1970: 0)))
    /// Without the ledgers of what is finished.
    var snapshot: RecordedState { state.snapshot }
    /// As herald reads it.
    private(set) var snapshotAsRead: RecordedState?
    private var registrations: [RecipientID: Registration] = [:]
    /// The registrations that it takes for dead.
    private(set) var dead: Set<Registration> = []
    var deaths: Int { dead.count }

    init() {}

    init(of store: any StateStore) async throws {
        let read = try await store.snapshot()
        (snapshotAsRead, state) = (read, try await store.wholeState(of: read))
        for known in try await store.recipients(after: 0, limit: .max) { registrations[known.id] = known.registration }
        let formers = RecipientSet(state.formers.keys.sorted())
        if !formers.isEmpty { registrations.merge(try await store.registrations(of: formers)) { $1 } }
        dead = Set(try await store.tombstones(after: nil, limit: .max).map(\.registration))
    }

    func registrations(of recipients: RecipientSet) -> [RecipientID: Registration] {
        registrations.filter { recipients.contains($0.key) }
    }

    func installations(of recipients: RecipientSet) -> Set<RecipientKey> {
        Set(registrations(of: recipients).values.map(\.recipientKey))
    }
}

extension RecordedState {
    /// Without what people were told.
    var untold: RecordedState {
        var state = self
        (state.notes[.told], state.notes[.delivered]) = (nil, nil)
        return state
    }
}
