internal import Foundation
package import HeraldCore

extension PostgresStore {
    /// Makes an empty state in a schema, completely or not at all. The schema must not exist, or be empty.
    package static func create(
        _ server: PostgresServer, identity: RecordedState.Identity, workspace: String
    ) async throws -> PostgresStore {
        let session = PostgresSession(server.parameters, schema: server.schema)
        do {
            try await session.perform(for: server.patience) { connection, attempt in
                // An earlier try may have made it, if its answer was lost.
                if attempt > 1, try isMade(identity, on: connection, server) { return }
                try make(identity, workspace, on: connection, server)
            }
        } catch let error as PostgresError {
            guard error.code.map({ ["42P06", "42P07", "42723"].contains($0) }) != true else {
                throw StateError.exists(path: server.name)
            }
            throw server.stateError(error)
        } catch {
            throw server.stateError(error)
        }
        return try await open(server)
    }

    private static func make(
        _ identity: RecordedState.Identity, _ workspace: String, on connection: PostgresConnection,
        _ server: PostgresServer
    ) throws {
        let transaction = PostgresTransaction.writing(on: connection, until: server.readingDeadline)
        let quoted = "\"\(server.schema.replacing("\"", with: "\"\""))\""
        transaction.run("CREATE SCHEMA IF NOT EXISTS \(quoted)")
        for statement in PostgresSchema.creation(onVersion: connection.serverVersion) { transaction.run(statement) }
        transaction.run(
            """
            INSERT INTO @identity (format, lineage, project, endpoint, workspace, created)
            VALUES ($1, $2, $3, $4, $5, $6)
            """, .int(PostgresSchema.format), .text(identity.lineage), .text(identity.project),
            .text(identity.endpoint.rawValue), .text(workspace), .date(identity.created))
        transaction.run(
            "INSERT INTO @secret (fingerprint_key) VALUES ($1)",
            .bytes((0..<32).map { _ in UInt8.random(in: 0...255) }))
        transaction.run("INSERT INTO @progress DEFAULT VALUES")
        transaction.run("INSERT INTO @lease (epoch, ends) VALUES (0, clock_timestamp())")
        try transaction.commit()
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
