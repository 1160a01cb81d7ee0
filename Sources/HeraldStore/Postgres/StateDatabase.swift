internal import Foundation
package import HeraldCore
internal import Synchronization

/// A state in PostgreSQL.
package struct StateDatabase: StateLocation {
    let server: PostgresServer
    private let binding: Binding
    private let folder: String
    private let note: @Sendable (String) -> Void
    private let times: LeaseTimes
    /// The lease that this process took last.
    private let lease = Lease()
    /// For taking it, which a run that waits tries again and again.
    private let session: PostgresSession

    private final class Lease: Sendable { let last = Mutex<RunLease?>(nil) }

    /// What a state belongs to.
    package struct Binding: Hashable, Sendable {
        var project: String
        var endpoint: EndpointKind
        var workspace: String

        package init(project: String, endpoint: EndpointKind, workspace: String) {
            (self.project, self.endpoint, self.workspace) = (project, endpoint, workspace)
        }

        fileprivate var phrase: String {
            "project '\(project)' at \(endpoint.rawValue), workspace '\(workspace)'"
        }
    }

    /// - Parameters:
    ///   - binding: what a new state is bound to, and an existing one must be bound to.
    ///   - folder: for files that are kept beside a state in a file: reports and caches.
    ///   - note: takes what a person must know besides.
    package init(
        _ server: PostgresServer, _ binding: Binding, folder: String, times: LeaseTimes = LeaseTimes(),
        note: @escaping @Sendable (String) -> Void
    ) {
        (self.server, self.binding, self.folder, self.times, self.note) = (server, binding, folder, times, note)
        session = PostgresSession(server.parameters, schema: server.schema)
    }

    package var name: String { server.name }
    package var reports: String { "\(folder)/runs" }
    package var cachePath: String { "\(folder)/state" }
    package var copies: [String] { [] }

    package func require() async throws { _ = try await open(for: .inspecting) }

    /// The first apply makes no state here, so that a wrong address is no empty state.
    package func openIfPresent(for use: StateUse) async throws -> (any StateStore)? { try await open(for: use) }

    package func open(for use: StateUse) async throws -> any StateStore {
        // Under the lease, so that a command that lost it writes nothing more.
        let held = lease.last.withLock { $0.flatMap { $0.isReleased ? nil : $0 } }
        let store = try await PostgresStore.open(server, under: held)
        let bound = try await store.binding()
        if bound != binding {
            let error = StateError.bound(path: name, to: bound.phrase, wanted: binding.phrase)
            guard use == .inspecting else { throw error }
            note("\(error)")
        }
        return store
    }

    package func backUp(to file: String) async throws {
        throw StateError.inaccessible(
            path: name,
            detail:
                "'state backup' copies files; back up the database, for example with pg_dump --schema=\(server.schema)")
    }

    package func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        try await PostgresStore.create(server, identity: identity, workspace: binding.workspace)
    }

    package func initialize(created: Date) async throws { _ = try await create(newIdentity(created: created)) }

    package func newIdentity(created: Date) -> RecordedState.Identity {
        RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: binding.project, endpoint: binding.endpoint,
            created: created)
    }

    package func lock(for run: String) async throws -> any StateLock {
        let taken = try await RunLease.take(server, run: run, times, over: session)
        lease.last.withLock { $0 = taken }
        return taken
    }

    package func holder() async throws -> String? { try await RunLease.holder(of: server) }

    package func takeLock(from run: String) async throws {
        guard try await RunLease.end(run, on: server) else { throw StateError.notLocked(path: name, by: run) }
    }
}
