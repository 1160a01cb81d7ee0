internal import Foundation
internal import GRDB

/// A query of somebody's SQLite file, which herald only reads.
package struct SQLiteQuery {
    private let path: String
    private let text: String

    package init(_ text: String, of path: String) { (self.text, self.path) = (text, path) }

    /// Writes the rows as CSV, with a header.
    package func run(into list: ListWriter, _ limit: QueryLimit) throws(QueryError) {
        try reading(limit) { db in try copy(db, into: list) }
        try list.flush()
    }

    /// What its columns are called. It is not done.
    package func columnNames(_ limit: QueryLimit) throws(QueryError) -> [String] {
        try reading(limit) { db in try statement(db).columnNames }
    }

    /// The only value that it gives. NULL is none.
    package func value(_ limit: QueryLimit) throws(QueryError) -> String {
        try reading(limit) { db in
            let statement = try statement(db)
            let rows = try Row.fetchCursor(statement)
            guard statement.columnCount == 1, let row = try rows.next() else { throw QueryError.noValue }
            let found = try row.withUnsafeData(atIndex: 0) { data in
                data.map { String(decoding: $0, as: UTF8.self) }
            }
            guard let value = found, try rows.next() == nil else { throw QueryError.noValue }
            return value
        }
    }

    private func reading<Value>(
        _ limit: QueryLimit, _ body: (Database) throws -> Value
    ) throws(QueryError) -> Value {
        let queue: DatabaseQueue
        do { queue = try DatabaseQueue(path: path, configuration: Self.configuration) } catch {
            throw Self.problem(error)
        }
        // A query that sorts for long gives no row at which the limit could be seen. Where there is one core, the shared
        // queues have one thread, which the query may hold.
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "herald.limit"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(50))
        timer.setEventHandler { if limit.reached != nil { queue.interrupt() } }
        timer.activate()
        defer { timer.cancel() }
        do {
            return try queue.read { db in try body(db) }
        } catch {
            if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT { throw limit.reached ?? .timeout }
            throw Self.problem(error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA query_only = ON")
            // A crafted schema must not be able to run functions of its choice.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    private func statement(_ db: Database) throws -> Statement {
        // It throws if there is a second statement. Nothing is done before the first row is asked for, so what returns
        // no rows, such as ATTACH, is never done.
        let statement = try db.makeStatement(sql: text)
        guard statement.columnCount > 0, statement.isReadonly else {
            throw QueryError.failed("the query is no SELECT", help: "write one SELECT that only reads")
        }
        return statement
    }

    private func copy(_ db: Database, into list: ListWriter) throws {
        let statement = try statement(db)
        let names = statement.columnNames
        if let name = names.enumerated().first(where: { names[..<$0.offset].contains($0.element) })?.element {
            throw QueryError.repeatedColumn(name)
        }
        for (place, name) in names.enumerated() {
            try Array(name.utf8).withUnsafeBytes { try list.write(field: $0, isFirst: place == 0) }
        }
        try list.endRow()
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            for place in names.indices {
                try row.withUnsafeData(atIndex: place) { data in
                    guard let data else { return try list.write(field: nil, isFirst: place == 0) }
                    try data.withUnsafeBytes { try list.write(field: $0, isFirst: place == 0) }
                }
            }
            try list.endRow()
        }
    }

    private static func problem(_ error: any Error) -> QueryError {
        switch error {
        case let error as QueryError: return error
        case let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN:
            return .failed("the file cannot be opened", help: "check the path and who may read it")
        case let error as DatabaseError where error.resultCode == .SQLITE_MISUSE:
            return .failed("the query is more than one statement", help: "write one SELECT")
        case let error as DatabaseError:
            return .failed("SQLite says: \(error.message ?? error.resultCode.description)", help: nil)
        default: return .failed("the file cannot be read", help: nil)
        }
    }
}
