import Foundation
import GRDB
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// What a query of a SQLite file writes.
@Suite struct SQLiteQueryTests {
    private static func output(
        of query: String, in folder: TemporaryFolder, until deadline: ContinuousClock.Instant = .now + .seconds(300),
        isStopped: Bool = false
    ) throws -> String {
        let path = "\(folder.path)/out"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        try SQLiteQuery(query, of: "\(folder.path)/app.sqlite").run(
            into: ListWriter(file), QueryLimit(deadline) { isStopped })
        return try folder.read("out")
    }

    private static func database(_ statements: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: "\(folder.path)/app.sqlite")
        for statement in statements { try queue.write { try $0.execute(sql: statement) } }
        try queue.close()
        return folder
    }

    @Test func `values are written as CSV has them, whatever is in them`() throws {
        let folder = try Self.database(
            "CREATE TABLE t (a, \"b,\"\"\")",
            "INSERT INTO t VALUES ('x', NULL), ('', 'y'), ('p \"q\"', 'r,s'), ('u\r\nv', 'Zoë 🐟'), (7, -1.5)",
            "INSERT INTO t VALUES (CAST('bytes' AS BLOB), ' z ')")
        let text = try Self.output(of: "SELECT * FROM t", in: folder)
        let lines = [
            "a,\"b,\"\"\"", "x,", "\"\",y", "\"p \"\"q\"\"\",\"r,s\"", "\"u\r\nv\",Zoë 🐟", "7,-1.5", "bytes, z ",
        ]
        #expect(text == lines.map { "\($0)\n" }.joined())
    }

    @Test func `all rows come from one moment, also when there are many`() throws {
        let folder = try Self.database(
            "CREATE TABLE t (n)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) INSERT INTO t SELECT i FROM n"
        )
        let lines = try Self.output(of: "SELECT n FROM t ORDER BY n", in: folder).split(separator: "\n")
        #expect(lines.count == 200_001)
        #expect(lines.last == "200000")
    }

    @Test func `a database is not changed, whatever the query`() throws {
        let folder = try Self.database("CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
        let before = try Data(contentsOf: URL(filePath: "\(folder.path)/app.sqlite"))
        for query in [
            "DELETE FROM t RETURNING a", "INSERT INTO t VALUES (2) RETURNING a", "DROP TABLE t",
            "PRAGMA journal_mode = WAL", "VACUUM",
        ] {
            #expect(throws: QueryError.self, "\(query)") { try Self.output(of: query, in: folder) }
        }
        #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/app.sqlite")) == before)
    }

    @Test func `a signal or a deadline ends it`() throws {
        let folder = try Self.database("CREATE TABLE t (a)")
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        #expect(throws: QueryError.timeout) { try Self.output(of: endless, in: folder, until: .now) }
        #expect(throws: QueryError.stopped) { try Self.output(of: endless, in: folder, isStopped: true) }
    }

    @Test func `what is no database is an error that shows nothing of it`() throws {
        let folder = try TemporaryFolder(["app.sqlite": String(repeating: "secret text\n", count: 400)])
        let error = #expect(throws: QueryError.self) { try Self.output(of: "SELECT 1", in: folder) }
        #expect("\(String(describing: error))".contains("secret") == false)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func `a full disk is told`() throws {
        let folder = try Self.database("CREATE TABLE t (a)")
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        #expect(throws: QueryError.unwritable) {
            try SQLiteQuery("SELECT 1 AS fid", of: "\(folder.path)/app.sqlite").run(
                into: ListWriter(full), QueryLimit(.now + .seconds(300)) { false })
        }
    }
}
