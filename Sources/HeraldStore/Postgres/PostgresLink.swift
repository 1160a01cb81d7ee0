internal import Foundation
internal import HeraldCore

/// A connection that is opened when it is needed, and anew when it was cut. One thread at a time uses it.
final class PostgresLink {
    let parameters: PostgresConnection.Parameters
    let schema: String
    private var connection: PostgresConnection?

    init(_ parameters: PostgresConnection.Parameters, schema: String) {
        self.parameters = parameters
        self.schema = schema
    }

    /// Does `body` over a connection, and again after an error that may pass, until it succeeds or the time is over.
    ///
    /// - Parameters:
    ///   - deadline: After an error that comes later, nothing is tried again, unless it waited for a lock and this call
    ///     ended a stalled session. A server that is silent beyond it is given up.
    ///   - body: gets the number of the try, from 1. An earlier try may have had its effect. It must not hold on to the
    ///     connection.
    func perform<Value>(
        until deadline: ContinuousClock.Instant, _ body: (PostgresConnection, Int) throws -> Value
    ) throws -> Value {
        var attempt = 1
        var hasFreed = false
        while true {
            do { return try body(opened(), attempt) } catch let error as PostgresError {
                let isFreed = !hasFreed && error.code == Refusal.locked && endStalledChanges()
                if isFreed { hasFreed = true }
                // A refusal to write may come from a server that was the primary before.
                if error.isPassing { connection = nil }
                guard error.isPassing, isFreed || ContinuousClock.now < deadline else {
                    closeOpenTransaction()
                    throw error
                }
                attempt += 1
                // Not at once: the server may be starting.
                Thread.sleep(forTimeInterval: min(0.05 * Double(attempt), 1))
            } catch {
                closeOpenTransaction()
                throw error
            }
        }
    }

    func close() { connection = nil }

    /// Ends sessions of processes that were stopped, or whose machine died, in the middle of a change. The server waits
    /// for the rest of what they send, or until they read its answer, and keeps their locks. None of its timeouts ends
    /// that: a transaction counts as idle only between questions that arrived, and were answered, as a whole.
    ///
    /// - Returns: Whether it ended any. It asks nothing of tables that may be locked, and leaves alone what its role may
    ///   not end.
    private func endStalledChanges() -> Bool {
        guard let connection, connection.isIdle else { return false }
        let ended = try? connection.perform(
            """
            SELECT pg_terminate_backend(session.pid)
            FROM pg_stat_activity AS session JOIN pg_roles AS role ON role.oid = session.usesysid
            WHERE session.datname = current_database() AND session.state = 'active'
                AND session.wait_event IN ('ClientRead', 'ClientWrite')
                AND session.query_start < clock_timestamp() - $1 * interval '1 second'
                AND pg_has_role(role.oid, 'USAGE')
                AND (NOT role.rolsuper OR current_setting('is_superuser') = 'on')
                AND EXISTS (
                    SELECT FROM pg_locks AS held JOIN pg_class AS locked ON locked.oid = held.relation
                    JOIN pg_namespace AS space ON space.oid = locked.relnamespace
                    WHERE held.pid = session.pid AND held.database = session.datid AND held.granted
                        AND held.mode <> 'AccessShareLock' AND space.nspname = $2)
            """, .double(PostgresTransaction.Limits.standstill.seconds), .text(schema), until: .now + .seconds(2))
        return (try? ended?.all.contains { try $0.bool(0) }) == true
    }

    private func closeOpenTransaction() { if connection?.isIdle == false { connection = nil } }

    private func opened() throws -> PostgresConnection {
        if let connection { return connection }
        let new = try PostgresConnection(parameters, schema: schema)
        connection = new
        return new
    }
}
