internal import Foundation
internal import HeraldCore

/// A schema of a PostgreSQL database, and how herald talks to its server.
package struct PostgresServer: Sendable {
    /// For messages: server, database and schema, without a password.
    package let name: String
    package let schema: String
    let parameters: [String: String]
    var times = PostgresTimes()

    /// - Parameters:
    ///   - parameters: libpq's names and values. They were judged already (`PostgresAddress`).
    package init(name: String, schema: String, parameters: [String: String], times: PostgresTimes = PostgresTimes()) {
        self.name = name
        self.schema = schema
        self.times = times
        // A peer that vanished is noticed while nothing is sent or received, whatever the system's defaults.
        let defaults = [
            "keepalives_idle": "5", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "15000",
            "connect_timeout": "10", "fallback_application_name": "herald", "client_encoding": "UTF8",
        ]
        self.parameters = parameters.merging(defaults) { given, _ in given }
    }

    /// The same server, with waits divided by a number.
    package func faster(by factor: Int) -> PostgresServer {
        var server = self
        server.times.answer /= factor
        return server
    }

    /// The schema in SQL, between quotation marks.
    var quotedSchema: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }

    /// When to stop trying again.
    var patience: @Sendable () -> ContinuousClock.Instant { { [times] in .now + times.patience } }
    /// When an answer to a change is late.
    var deadline: ContinuousClock.Instant { .now + times.answer }
    /// When an answer to a question that may be long is late.
    var readingDeadline: ContinuousClock.Instant { .now + times.reading }

    /// Throws if the schema holds no state of this herald's format that may be used.
    func checkFormat(_ connection: PostgresConnection) throws {
        guard let format = try format(connection) else { throw StateError.uninitialized(path: name) }
        if format > PostgresSchema.format { throw StateError.newer(path: name) }
        if format < PostgresSchema.format { throw StateError.unmigrated(path: name) }
        let rows = try connection.perform(
            """
            SELECT closed, moved_to,
                (SELECT substring(prosrc FROM 'INSERT INTO (.*)\\.commit_mark AS') FROM pg_proc
                WHERE oid = to_regproc('@begin_commit'))
            FROM @identity
            """, until: deadline)
        guard let row = rows.first else { return }
        if let place = try row.optionalText(1) { throw StateError.moved(path: name, to: place) }
        if try row.bool(0) { throw StateError.incomplete(path: name) }
        // Functions have the schema's name in them, so after ALTER SCHEMA they would change another state's tables.
        if let written = try row.optionalText(2), written != quotedSchema {
            throw StateError.inaccessible(
                path: name, detail: "its schema was renamed, and its functions still use the name \(written)",
                help: "give it that name again: ALTER SCHEMA \(quotedSchema) RENAME TO \(written)")
        }
    }

    /// Whether the state is in another database than at the last run.
    func hasMoved(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.perform(
            "SELECT place <> @current_place() FROM @server WHERE place IS NOT NULL", until: deadline)
        return try rows.first?.bool(0) ?? false
    }

    /// Throws if no run that this process could help goes on in this state.
    func checkPlace(_ connection: PostgresConnection) throws {
        try checkFormat(connection)
        if try hasMoved(connection) { throw StateError.elsewhere(path: name) }
    }

    /// The format of the state in the schema. `nil` if there is none.
    func format(_ connection: PostgresConnection) throws -> Int64? {
        let rows: PostgresRows
        do throws(PostgresError) {
            rows = try connection.perform("SELECT format FROM @identity", until: deadline)
        } catch {
            if case .refused(let refusal, _) = error, refusal.isMissing { return nil }
            throw error
        }
        guard let row = rows.first else { throw StateDamage(detail: "it does not say what it is bound to") }
        return try row.int(0)
    }

    /// Throws if the server could lose what it said it had written, or if its clock and this machine's disagree.
    func checkDurability(_ connection: PostgresConnection) throws {
        let before = Date()
        let rows = try connection.perform(
            """
            SELECT extract(epoch FROM clock_timestamp())::float8, current_setting('fsync'),
                current_setting('synchronous_commit'), current_setting('full_page_writes')
            """, until: deadline)
        guard let row = rows.first else { throw StateDamage(detail: "the server does not say its settings") }
        for (column, setting) in [(1, "fsync"), (2, "synchronous_commit"), (3, "full_page_writes")] as [(Int32, String)]
        where try row.text(column) == "off" {
            throw StateError.inaccessible(
                path: name, detail: "'\(setting)' is off there, so a crash could lose what was sent",
                help: "turn '\(setting)' on at the server")
        }
        let server = Date(timeIntervalSince1970: try row.double(0))
        // Its clock was read at some moment between.
        let offset = max(before.timeIntervalSince(server), server.timeIntervalSince(Date()))
        guard offset <= times.clockTolerance.seconds else {
            throw StateError.inaccessible(
                path: name,
                detail: "this machine's clock and the server's are \(Int(offset)) s apart",
                help: "set both clocks right")
        }
    }

    /// Replaces errors of PostgreSQL by what is wrong with the state.
    func stateError(_ error: any Error) -> StateError {
        switch error {
        case let error as StateError: return error
        case is RecipientSet.DamagedChunk: return .damaged(path: name, detail: "a set of recipients cannot be read")
        case let error as CrewDamage: return .impossibleCrew(path: name, detail: error.detail)
        case let error as StateDamage: return .damaged(path: name, detail: error.detail)
        case PostgresError.refused(let refusal, _) where refusal.code == Refusal.damaged:
            return .damaged(path: name, detail: refusal.message)
        case let error as PostgresError: return .inaccessible(path: name, detail: error.phrase, help: error.help)
        default: return .damaged(path: name, detail: "it cannot be read as a state")
        }
    }
}

/// How long herald waits for PostgreSQL. Tests are faster.
package struct PostgresTimes: Sendable {
    /// How long something is tried again, without a lease.
    package var patience = Duration.seconds(5)
    /// How long an answer to a change may take.
    package var answer = Duration.seconds(15)
    /// How long an answer to a question may take. A vanished server is noticed earlier, by keepalives.
    package var reading = Duration.seconds(600)

    /// How far this machine's clock may be from the server's.
    package var clockTolerance = Duration.seconds(5)

    package init() {}
}
