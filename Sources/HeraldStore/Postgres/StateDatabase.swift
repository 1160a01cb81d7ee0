internal import Foundation
package import HeraldCore
internal import Synchronization

/// A state in PostgreSQL.
package struct StateDatabase: StateLocation {
    let server: PostgresServer
    private let binding: StateBinding
    private let folder: String
    private let note: @Sendable (String) -> Void
    private let times: LeaseTimes
    /// Whether a run needs a standby that its commits wait for.
    private let requiresStandby: Bool
    /// The lease that this process took last.
    private let lease = Lease()
    /// For everything that a command asks and writes, besides the lease. A connection of its own for each would take
    /// several round trips and a process of the server.
    private let session: PostgresSession

    private final class Lease: Sendable { let last = Mutex<RunLease?>(nil) }

    /// - Parameters:
    ///   - binding: what a new state is bound to, and an existing one must be bound to.
    ///   - folder: for files that are kept beside a state in a file: reports and caches.
    ///   - note: takes what a person must know besides.
    package init(
        _ server: PostgresServer, _ binding: StateBinding, folder: String, times: LeaseTimes = LeaseTimes(),
        requiresStandby: Bool = false, note: @escaping @Sendable (String) -> Void
    ) {
        self.requiresStandby = requiresStandby
        (self.server, self.binding, self.folder, self.times, self.note) = (server, binding, folder, times, note)
        session = PostgresSession(server.parameters, schema: server.schema)
    }

    package var name: String { server.name }
    package var keeping: String {
        "PostgreSQL, format \(PostgresSchema.format), a synchronous standby is \(requiresStandby ? "" : "not ")required"
    }
    package var reports: String { "\(folder)/runs" }
    package var cachePath: String { "\(folder)/state" }
    package var copies: [String] { [] }

    package func require() async throws { _ = try await open(for: .inspecting) }

    /// The first apply makes no state here, so that a wrong address is no empty state.
    package func openIfPresent(for use: StateUse) async throws -> (any StateStore)? { try await open(for: use) }

    package func open(for use: StateUse) async throws -> any StateStore {
        // Under the lease, so that a command that lost it writes nothing more.
        let held = lease.last.withLock { $0.flatMap { $0.isReleased ? nil : $0 } }
        let store = try await PostgresStore.open(server, over: session, under: held)
        let bound = try await store.binding()
        if bound != binding {
            let error = StateError.bound(path: name, to: bound.phrase, wanted: binding.phrase)
            guard use == .inspecting else { throw error }
            note("\(error)")
        }
        if use == .changing, !store.seesSecrets {
            throw StateError.inaccessible(path: name, detail: "its role may only read", help: PostgresError.grants)
        }
        return store
    }

    package func backUp(to file: String) async throws {
        throw StateError.inaccessible(
            path: name, detail: "'state backup' copies files, and this state is in a database",
            help: "back up the database, for example with pg_dump --schema=\(server.schema)")
    }

    package func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        try await PostgresStore.create(server, identity: identity)
    }

    package func initialize(created: Date) async throws { _ = try await create(newIdentity(created: created)) }

    package func newIdentity(created: Date) -> RecordedState.Identity { binding.newIdentity(created: created) }

    package func lock(for run: String) async throws -> any StateLock {
        let taken = try await RunLease.take(server, run: run, times, over: session)
        do { try await noteStanding() } catch {
            await taken.release()
            throw error
        }
        lease.last.withLock { $0 = taken }
        return taken
    }

    /// Reads what the run stands on, and holds what may be lost.
    private func noteStanding() async throws {
        let (standing, doubts) = try await asking { [server, requiresStandby] connection in
            let standing = try ServerStanding.read(over: connection, server)
            if requiresStandby, !standing.isSynchronous {
                throw StateError.inaccessible(
                    path: server.name,
                    detail: "'require_synchronous_standby' is set, and "
                        + (standing.standbys == 0
                            ? "no commit there waits for another server"
                            : "some servers that follow this database may lack commits")
                        + (standing.seesStandbys ? "" : ", as far as its role without pg_monitor can see"),
                    help:
                        "let commits at the server wait for all its standby servers, or leave out 'require_synchronous_standby'"
                )
            }
            let rows = try PostgresTransaction.writing(on: connection, until: server.deadline).commit([
                PostgresStatement("SELECT @note_standing()")
            ])[0]
            return (standing, try rows.first?.optionalInt(0))
        }
        if let warning = standing.warning { note("\(name): \(warning)") }
        if let doubts { noteFailover(Int(doubts)) }
    }

    /// - Parameter doubts: how many occurrences are held now.
    private func noteFailover(_ doubts: Int) {
        let held =
            doubts > 0
            ? "\(count(doubts, "open occurrence")) held; 'herald plan' names what is held"
            : "no occurrence was open"
        note(
            "\(name) failed over, and may lack what was committed last: \(held). A send that it lacks altogether would be sent again: compare 'herald state show' with the newest reports"
        )
    }

    package var copyPlace: any CopyPlace { DatabaseCopyPlace(server: server, workspace: binding.workspace) }

    package func hasMoved() async throws -> Bool {
        try await asking { [server] connection in
            try server.hasMoved(connection)
        }
    }

    package func acceptMove() async throws {
        try await asking { [server] connection in
            let transaction = PostgresTransaction.writing(on: connection, until: server.deadline)
            transaction.run("UPDATE @server SET place = NULL, timeline = NULL")
            try transaction.commit()
        }
        try await noteStanding()
    }

    package func requireChanging() async throws {
        _ = try await open(for: .changing)
        let isStandby = try await asking { [server] connection in
            try connection.perform("SELECT pg_is_in_recovery()", until: server.deadline).first?.bool(0) ?? false
        }
        if isStandby {
            let refusal = Refusal(code: Refusal.readOnly, message: "")
            throw server.stateError(PostgresError.refused(refusal, statement: 0))
        }
    }

    package func migrate() async throws -> Bool { try await PostgresStore.migrate(server) }

    private func asking<Value: Sendable>(
        _ body: @Sendable @escaping (PostgresConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await session.perform(for: server.patience) { connection, _ in try body(connection) }
        } catch {
            throw server.stateError(error)
        }
    }

    package func holder() async throws -> String? { try await RunLease.holder(of: server) }

    package func takeLock(from run: String) async throws {
        guard try await RunLease.end(run, on: server) else { throw StateError.notLocked(path: name, by: run) }
    }
}
