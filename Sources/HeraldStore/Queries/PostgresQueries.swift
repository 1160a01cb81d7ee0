internal import CLibPQ
internal import Foundation
internal import HeraldCore

/// Queries of somebody's PostgreSQL database, all answered from one moment. herald only reads there.
///
/// Its calls block, so only a thread that waits for nothing else makes them.
package final class PostgresQueries {
    private let connection: PostgresConnection
    private var handle: OpaquePointer { connection.handle }
    /// Whether its role may change some table.
    package private(set) var mayWrite = false
    private let isStopped: @Sendable () -> Bool

    /// Connects, and fixes the moment.
    package init(_ address: PostgresAddress, isStopped: @escaping @Sendable () -> Bool) throws(QueryError) {
        self.isStopped = isStopped
        do {
            connection = try PostgresConnection(address.server.parameters, schema: "public")
            let deadline = ContinuousClock.now + .seconds(30)
            let answers = try connection.perform(
                [
                    PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
                    PostgresStatement(Self.forms), Self.powers, PostgresStatement(Self.rights),
                ], until: deadline)
            guard let rights = answers.last?.first else { throw PostgresError.cut }
            if let right = try answers.dropLast().last?.first?.optionalText(0) {
                throw QueryError.failed(
                    "its role \(right), so a query could do more than read",
                    help: "make a role that may only SELECT what the lists need")
            }
            mayWrite = try rights.bool(0)
        } catch let error as QueryError {
            throw error
        } catch let error as PostgresError {
            throw Self.problem(error)
        } catch {
            throw .failed("the server's answer cannot be read", help: nil)
        }
    }

    /// How values are written.
    private static let forms = """
        SELECT set_config('DateStyle', 'ISO, YMD', true), set_config('TimeZone', 'UTC', true),
            set_config('IntervalStyle', 'iso_8601', true), set_config('bytea_output', 'hex', true)
        """

    /// A right that its role must not have, if it has one. A statement can take on each role that this one is a member of,
    /// and the one that signed in.
    static let powers: PostgresStatement = """
        WITH own (name) AS (VALUES (current_user), (session_user))
        SELECT CASE
                WHEN EXISTS (SELECT FROM own, pg_roles WHERE rolsuper AND pg_has_role(own.name, oid, 'MEMBER'))
                THEN 'is a superuser, or may become one'
                ELSE (SELECT max(words) FROM own, (VALUES
                    ('pg_read_server_files', 'may read files of the server'),
                    ('pg_write_server_files', 'may write files of the server'),
                    ('pg_execute_server_program', 'may run programs at the server')) AS power (role, words)
                    WHERE pg_has_role(own.name, power.role, 'MEMBER'))
            END
        """

    /// Whether its role may change a table.
    private static let rights = """
        SELECT
            EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE relkind IN ('r', 'p', 'v', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
                    AND has_schema_privilege(pg_namespace.oid, 'USAGE')
                    AND has_table_privilege(pg_class.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
        """

    /// Writes the rows of a query as CSV, with a header. After an error that the query is the reason of, others can
    /// follow.
    package func copy(_ query: String, into list: ListWriter, within timeout: Duration) throws(QueryError) {
        try alone(within: timeout) { limit in
            let columns = try columns(of: query, limit)
            var times = TimeColumns(columns.map(\.isTime))
            // A comment at the end of the query ends with its line.
            try copyOut("COPY (\(query)\n) TO STDOUT WITH (FORMAT csv, HEADER)", limit) { row in
                try times.rewrite(row) { try list.write($0) }
            }
        }
        try list.flush()
    }

    /// What the columns of a query are called. The query is not done.
    package func columnNames(of query: String, within timeout: Duration) throws(QueryError) -> [String] {
        try alone(within: timeout) { limit in try columns(of: query, limit).map(\.name) }
    }

    /// The only value that a query gives. NULL is none.
    package func value(of query: String, within timeout: Duration) throws(QueryError) -> String {
        try alone(within: timeout) { limit in
            let columns = try columns(of: query, limit)
            guard columns.count == 1, PQsendQueryParams(handle, query, 0, nil, nil, nil, nil, 0) == 1 else {
                throw QueryError.noValue
            }
            var (rows, found): (Int32, String?) = (0, nil)
            try answers(limit) { result in
                rows = PQntuples(result)
                guard rows == 1, PQgetisnull(result, 0, 0) == 0 else { return }
                found = PQgetvalue(result, 0, 0).map { String(cString: $0) }
            }
            guard rows == 1, let value = found else { throw QueryError.noValue }
            return columns[0].isTime ? TimeColumns.text(value) : value
        }
    }

    /// Does something in a part of the transaction of its own, so that its errors end nothing else.
    private func alone<Value>(
        within timeout: Duration, _ body: (QueryLimit) throws -> Value
    ) throws(QueryError) -> Value {
        // The server ends a statement first. What it said before that is then still there for others.
        let limit = QueryLimit(.now + timeout + .seconds(5), isStopped: isStopped)
        do {
            try answers(to: "SAVEPOINT list", limit)
            try answers(to: "SET LOCAL statement_timeout = \(max(1, Int(timeout.seconds * 1000)))", limit)
            let value = try body(limit)
            try answers(to: "RELEASE SAVEPOINT list", limit)
            return value
        } catch let error as PostgresError {
            if case .refused = error { try? answers(to: "ROLLBACK TO SAVEPOINT list", limit) }
            throw Self.problem(error)
        } catch let error as QueryError {
            try? answers(to: "ROLLBACK TO SAVEPOINT list", limit)
            throw error
        } catch {
            throw .failed("the server's answer cannot be read", help: nil)
        }
    }

    // MARK: The statement

    private struct Column {
        var name: String
        var type: UInt32
        /// `timestamp` and `timestamptz`.
        var isTime: Bool { type == 1114 || type == 1184 }
    }

    /// What a query answers with. The server refuses here what is not one statement of its own, before it becomes a part
    /// of another one.
    private func columns(of query: String, _ limit: QueryLimit) throws -> [Column] {
        guard PQsendPrepare(handle, "", query, 0, nil) == 1 else { throw PostgresError.cut }
        try answers(limit)
        guard PQsendDescribePrepared(handle, "") == 1 else { throw PostgresError.cut }
        var columns: [Column] = []
        try answers(limit) { result in
            columns = (0..<PQnfields(result)).map { place in
                Column(name: PQfname(result, place).map { String(cString: $0) } ?? "", type: PQftype(result, place))
            }
        }
        guard !columns.isEmpty else {
            throw QueryError.failed("the query returns no columns", help: "write one SELECT that only reads")
        }
        var names: Set<String> = []
        if let twice = columns.first(where: { !names.insert($0.name).inserted }) {
            throw QueryError.repeatedColumn(twice.name)
        }
        return columns
    }

    // MARK: Sending and receiving

    /// - Parameter take: gets one row after the other, the header first.
    private func copyOut(
        _ text: String, _ limit: QueryLimit, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 0) == 1, let begun = try next(limit) else {
            throw PostgresError.cut
        }
        defer { PQclear(begun) }
        guard PQresultStatus(begun) == PGRES_COPY_OUT else {
            let refusal = try PostgresConnection.refusal(begun, statement: 0)
            try? answers(limit)
            throw refusal
        }
        while true {
            var bytes: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(handle, &bytes, 1)
            defer { if let bytes { PQfreemem(bytes) } }
            switch count {
            case 1...: try take(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            case 0:
                try wait(limit)
                guard PQconsumeInput(handle) == 1 else { throw PostgresError.cut }
            // Whether that was all, the last answer tells.
            case -1: return try answers(limit)
            default: throw PostgresError.cut
            }
        }
    }

    private func answers(to text: String, _ limit: QueryLimit) throws {
        guard PQsendQuery(handle, text) == 1 else { throw PostgresError.cut }
        try answers(limit)
    }

    /// Reads the answers of the last statement, and throws if one is a refusal.
    private func answers(_ limit: QueryLimit, _ take: (OpaquePointer) -> Void = { _ in }) throws {
        var (count, refusal): (Int, PostgresError?) = (0, nil)
        while let result = try next(limit) {
            defer { PQclear(result) }
            count += 1
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: take(result)
            default: if refusal == nil { refusal = try PostgresConnection.refusal(result, statement: 0) }
            }
        }
        if let refusal { throw refusal }
        guard PQstatus(handle) == CONNECTION_OK, count > 0 else { throw PostgresError.cut }
    }

    private func next(_ limit: QueryLimit) throws -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw PostgresError.cut }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            try wait(writing: unsent > 0, limit)
            guard PQconsumeInput(handle) == 1 else { throw PostgresError.cut }
        }
    }

    private func wait(writing: Bool = false, _ limit: QueryLimit) throws {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN) | (writing ? Int16(POLLOUT) : 0), revents: 0)
        guard socket.fd >= 0 else { throw PostgresError.cut }
        while true {
            if let reached = limit.reached { throw reached }
            let count = poll(&socket, 1, 100)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw PostgresError.cut }
        }
    }

    private static func problem(_ error: PostgresError) -> QueryError {
        switch error {
        case .refused(let refusal, _) where refusal.code == "57014": return .timeout
        case .refused(let refusal, _) where refusal.isReadOnly:
            return .failed("the query writes", help: "write one SELECT that only reads")
        case .refused(let refusal, _) where refusal.isNoRight:
            return .failed("its role may not read this (\(refusal.message))", help: "GRANT SELECT to the role")
        case .refused(let refusal, _) where refusal.code == "42601":
            return .failed(
                "PostgreSQL says: \(refusal.message)",
                help: "write one SELECT, without a ';' between or behind its parts")
        default: return .failed(error.phrase, help: error.help)
        }
    }
}
