internal import FCM
internal import Foundation
internal import HeraldCore

/// The state in a schema of a PostgreSQL database, which several machines share.
package final class PostgresStore: StateStore {
    package let fingerprintKey: [UInt8]
    /// Whether its role may see registrations and keys.
    let seesSecrets: Bool
    let server: PostgresServer
    let session: PostgresSession
    /// What the run lock gave to this process; `nil` without it.
    let lease: RunLease?
    /// What it tells with each commit, if it belongs to a process that helps a run.
    let helping: CrewBoard?
    /// Marks this store's commits.
    let writer = UUID()
    /// How many commits this store has begun. Only the session's thread changes it.
    let commits = CommitCount()

    /// Opens the state that a schema holds, whatever it is bound to.
    ///
    /// - Parameters:
    ///   - session: for callers that have one.
    ///   - lease: Everything that is written is written under it.
    static func open(
        _ server: PostgresServer, over session: PostgresSession? = nil, under lease: RunLease? = nil
    ) async throws -> PostgresStore {
        let session = session ?? PostgresSession(server.parameters, schema: server.schema)
        do {
            let key = try await session.perform(for: server.patience) { connection, _ in
                try server.checkFormat(connection)
                try server.checkDurability(connection)
                return try secret(over: connection, server)
            }
            return PostgresStore(server, session, key, lease)
        } catch {
            throw server.stateError(error)
        }
    }

    /// - Parameter key: `nil` if its role must not see it.
    init(
        _ server: PostgresServer, _ session: PostgresSession, _ key: [UInt8]?, _ lease: RunLease?,
        helping: CrewBoard? = nil
    ) {
        self.server = server
        self.session = session
        // A role that may not see the key sees no registration either, so nothing is named by this one.
        fingerprintKey = key ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        seesSecrets = key != nil
        self.lease = lease
        self.helping = helping
    }

    /// What its commits are made under.
    var workLease: WorkLease? { lease.map { WorkLease(holder: $0.run, epoch: $0.epoch) } }
    private static func secret(over connection: PostgresConnection, _ server: PostgresServer) throws -> [UInt8]? {
        let right = try connection.perform(
            "SELECT has_table_privilege('@secret', 'SELECT')", until: server.deadline)
        guard try right.first?.bool(0) == true else { return nil }
        let rows = try connection.perform("SELECT fingerprint_key FROM @secret", until: server.deadline)
        guard let row = rows.first, try row.bytes(0).count == 32 else {
            throw StateDamage(detail: "its fingerprint key is missing")
        }
        return Array(try row.bytes(0))
    }

    /// What the state belongs to.
    func binding() async throws -> StateBinding {
        try await reading { transaction in
            StateBinding(try PostgresReader.identity(transaction.commit([PostgresReader.identity])[0]))
        }
    }

    /// Does what `body` reads in one transaction, again if the connection is cut meanwhile. In a run it waits as long
    /// as a commit would: a server that comes back in time costs the run nothing, and one that does not answer keeps no
    /// run that lost its lease.
    func reading<Value: Sendable>(
        _ body: @Sendable @escaping (PostgresTransaction) throws -> Value
    ) async throws -> Value {
        if let error = lease?.standstill { throw server.stateError(error) }
        let end = server.patience()
        do {
            let own = patience
            let patience = { @Sendable [server] in max(own(), server.patience()) }
            return try await session.perform(for: patience) { [server] connection, _ in
                // A server that stands still may keep its connections, and so may a pooler before it.
                let late = server.deadline
                connection.isStopped = {
                    // A lost lease ends whenever it is asked, so the clock is read after it.
                    let end = max(late, own())
                    return .now >= end
                }
                defer { connection.isStopped = { false } }
                return try body(.reading(on: connection, until: server.readingDeadline))
            }
        } catch let error as PostgresError where error.code == Refusal.noRight && !seesSecrets {
            throw StateError.inaccessible(
                path: server.name, detail: error.phrase,
                help: "a role that only reads plans with '--lists skip'; 'herald state grants' prints the SQL of roles")
        } catch {
            noteEnd(after: error, since: end)
            throw server.stateError(error)
        }
    }
}

/// Counts the commits of a store.
///
/// It is `Sendable` because only the serial queue of the store's session uses it.
final class CommitCount: @unchecked Sendable {
    private var count: Int64 = 0

    func next() -> Int64 {
        count += 1
        return count
    }
}
