internal import Foundation
package import HeraldCore

extension PostgresStore {
    /// Makes an empty state in a schema, completely or not at all. The schema must not exist, or be empty.
    package static func create(
        _ server: PostgresServer, identity: RecordedState.Identity
    ) async throws -> PostgresStore {
        let session = PostgresSession(server.parameters, schema: server.schema)
        do {
            try await session.perform(for: server.patience) { connection, attempt in
                try server.checkDurability(connection)
                // An earlier try may have made it, if its answer was lost.
                if attempt > 1, try isMade(identity, on: connection, server) { return }
                do { try make(identity, on: connection, server) } catch let error as PostgresError
                    where isTaken(error)
                {
                    // Or it was still being made a moment ago.
                    guard attempt > 1, try isMade(identity, on: connection, server) else { throw error }
                }
            }
        } catch let error as PostgresError where isTaken(error) {
            let format = try? await session.perform(for: server.patience) { connection, _ in
                try server.format(connection)
            }
            throw format == nil ? StateCopy.occupied(server.name) : StateError.exists(path: server.name)
        } catch let error as PostgresError where error.code == Refusal.noRight {
            throw noRightToMake(error, server)
        } catch {
            throw server.stateError(error)
        }
        return try await open(server)
    }

    /// Whether a state, or something else, is there already. PostgreSQL says it with its catalogue's unique index if another session makes
    /// the same schema at this moment.
    private static func isTaken(_ error: PostgresError) -> Bool {
        error.code.map { taken.contains($0) || $0 == "23505" } ?? false
    }

    /// What PostgreSQL says when a schema, table, function or type exists already.
    static let taken: Set = ["42P06", "42P07", "42723", "42710"]

    /// What is wrong where a role may not make a state.
    static func noRightToMake(_ error: PostgresError, _ server: PostgresServer) -> StateError {
        .inaccessible(
            path: server.name, detail: error.phrase,
            help: "let the role own that schema, or let it make one: GRANT CREATE ON DATABASE … TO …")
    }

    private static func make(
        _ identity: RecordedState.Identity, on connection: PostgresConnection, _ server: PostgresServer
    ) throws {
        let transaction = PostgresTransaction.writing(on: connection, until: server.readingDeadline)
        makeTables(in: transaction, on: connection, server)
        let head = CopiedHead(
            lineage: identity.lineage, project: identity.project, endpoint: identity.endpoint.rawValue,
            created: identity.created.timeIntervalSince1970,
            fingerprintKey: (0..<32).map { _ in UInt8.random(in: 0...255) }, serial: 0, lastErased: 0)
        write(head, workspace: identity.workspace ?? "", to: transaction)
        try transaction.commit()
    }

    static func makeTables(
        in transaction: PostgresTransaction, on connection: PostgresConnection, _ server: PostgresServer
    ) {
        // Whoever may not make schemas can have one of their own.
        transaction.run(
            """
            DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '\(server.schema.replacing("'", with: "''"))') THEN
                    CREATE SCHEMA \(server.quotedSchema);
                END IF;
            END $$
            """)
        for statement in PostgresSchema.creation(onVersion: connection.serverVersion) { transaction.run(statement) }
        transaction.run("INSERT INTO @lease (epoch, ends) VALUES (0, clock_timestamp())")
        notePlace(in: transaction)
    }

    /// The state is where it belongs.
    static func notePlace(in transaction: PostgresTransaction) {
        transaction.run("UPDATE @server SET place = @current_place(), timeline = @current_timeline()")
    }

    static func write(_ head: CopiedHead, workspace: String, to transaction: PostgresTransaction) {
        transaction.run(
            """
            INSERT INTO @identity (format, lineage, project, endpoint, workspace, created)
            VALUES ($1, $2, $3, $4, $5, $6)
            """, .int(PostgresSchema.format), .text(head.lineage), .text(head.project), .text(head.endpoint),
            .text(workspace), .double(head.created))
        transaction.run("INSERT INTO @secret (fingerprint_key) VALUES ($1)", .bytes(head.fingerprintKey))
        transaction.run(
            """
            INSERT INTO @progress (
                serial, last_erased, topic_api, topic_api_found, send_quota, send_quota_found, counting_since)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, .int(head.serial), .int(head.lastErased), .text(head.topicAPI), .double(head.topicAPIFound),
            .int(head.sendQuota), .double(head.sendQuotaFound), .double(head.countingSince))
    }

    private static func isMade(
        _ identity: RecordedState.Identity, on connection: PostgresConnection, _ server: PostgresServer
    ) throws -> Bool {
        do {
            let rows = try connection.perform("SELECT lineage FROM @identity", until: server.deadline)
            return try rows.first?.text(0) == identity.lineage
        } catch let error as PostgresError {
            if case .refused(let refusal, _) = error, refusal.isMissing { return false }
            throw error
        }
    }
}
