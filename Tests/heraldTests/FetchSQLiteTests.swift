import Foundation
import HeraldTestSupport
import Testing

/// `herald fetch` from SQLite files. An empty file is a database without tables.
@Suite struct FetchSQLiteTests {
    private static func rows(_ numbers: ClosedRange<Int>) -> String {
        "VALUES " + numbers.map { "('\(FetchScene.fid($0))')" }.joined(separator: ", ")
    }

    private static func scene(_ query: String, _ rest: String = "") throws -> FetchScene {
        let scene = try FetchScene()
        try scene.folder.write("", to: "workspace/app.sqlite")
        try scene.declare("sqlite: ../app.sqlite\nquery: \"\(query)\"\n\(rest)")
        return scene
    }

    @Test func `a list comes from a query in a file, which counts as a part of the source`() async throws {
        let scene = try Self.scene("x")
        try scene.declare("sqlite: ../app.sqlite\nquery: ../queries/members.sql\ncolumns: {fid: column1}")
        try scene.folder.write("\(Self.rows(1...3));\n", to: "workspace/queries/members.sql")
        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(scene.list == "column1\n" + (1...3).map { "\(FetchScene.fid($0))\n" }.joined())
        let plan = try await scene.herald("plan", "--format", "json")
        #expect(plan.status == 0, "\(plan.errors)")

        // Another query is another list, and another approval.
        try scene.folder.write(Self.rows(1...2), to: "workspace/queries/members.sql")
        let stale = try await scene.herald("plan")
        #expect(stale.status == 1)
        #expect(stale.errors.contains("herald fetch members"), "\(stale.errors)")
        #expect(try await scene.herald("fetch").status == 0)
        let changed = try await scene.herald("plan", "--format", "json")
        let approval = #/"approval" *: *"[^"]+"/#
        let texts = [plan, changed].map { $0.output.firstMatch(of: approval).map { String($0.output) } }
        #expect(texts[0] != nil && texts[0] != texts[1])

        try FileManager.default.removeItem(atPath: "\(scene.folder.path)/workspace/queries/members.sql")
        let missing = try await scene.herald("validate")
        #expect(missing.status == 1)
        #expect(missing.output.contains("files.yaml:5"), "\(missing.output)")
    }

    @Test(arguments: [
        ("INSERT INTO members VALUES (1)", "no such table"), ("CREATE TABLE x (y)", "no SELECT"),
        ("ATTACH 'other.sqlite' AS other", "no SELECT"), ("SELECT 1 AS fid; SELECT 2", "more than one statement"),
        ("SELECT 1 AS a, 2 AS a", "one name"), ("SELECT 'x' AS fid WHERE false", "no rows"),
        ("SELECT 'FID' AS name", "line 1"), ("SELEC 1", "syntax error"),
        ("SELECT load_extension('x') AS fid", "not authorized"), ("PRAGMA user_version = 3", "no SELECT"),
    ])
    func `what is no list replaces nothing, and changes nothing`(_ query: String, _ words: String) async throws {
        let scene = try Self.scene("\(Self.rows(1...1))", "columns: {fid: column1}")
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        #expect(list != nil)
        try scene.declare("sqlite: ../app.sqlite\nquery: \"\(query.replacing("FID", with: FetchScene.fid(2)))\"")
        let result = try await scene.herald("fetch")
        #expect(result.status == 4, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains(FetchScene.fid(2)))
        #expect(scene.list == list)
        #expect(scene.note == note)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        #expect(try scene.folder.read("workspace/app.sqlite").isEmpty)
    }

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS fid FROM n"

    #if os(Linux)
        /// The query never waits, so it keeps the core busy. With others on it, a signal comes long before herald's own queues
        /// have begun to work.
        @Test func `where there is one core, a query is ended by its limit and by a person`() async throws {
            let scene = try Self.scene(Self.endless, "fetch: {timeout: 1s}")
            let late = try await scene.startOnOneCore("fetch").wait()
            #expect(late.status == 4 && late.errors.contains("longer than 1s"), "\(late.errors)")
            try scene.declare("sqlite: ../app.sqlite\nquery: \"\(Self.endless)\"")
            let process = try scene.startOnOneCore("fetch", besides: 6)
            try await eventually { scene.files.contains("members.csv.new") }
            process.signal(SIGTERM)
            let stopped = await process.wait()
            #expect(stopped.status == 143, "\(stopped.errors)")
        }
    #endif

    @Test func `a query that takes too long is ended`() async throws {
        let scene = try Self.scene(Self.endless, "fetch: {timeout: 1s}")
        let result = try await scene.herald("fetch")
        #expect(result.status == 4)
        #expect(result.errors.contains("longer than 1s"), "\(result.errors)")
        #expect(scene.list == nil)
    }

    /// So many people.
    private static func people(_ count: Int) -> String {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count)) "
            + "SELECT 'cTEST' || printf('%017d', i) AS fid FROM n"
    }

    @Test func `a fetch that is killed, a full disk and a damaged database leave the last list whole`() async throws {
        let scene = try Self.scene(Self.people(3))
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        // Rows without end.
        try scene.declare("sqlite: ../app.sqlite\nquery: \"\(Self.people(-1))\"")
        // A list of another query is not the last one.
        #expect(try await scene.herald("plan").status == 1)
        try await scene.expectWholeWhenStopped(isPlanned: false)
        try scene.declare("sqlite: ../app.sqlite\nquery: \"\(Self.people(5000))\"")
        let full = try await scene.fetchOnFullDisk()
        #expect(full.status == 4)
        #expect(full.errors.contains("cannot be written"), "\(full.errors)")

        #expect(try await scene.herald("state", "init").status == 0)
        let path = "\(scene.folder.path)/workspace/app.sqlite"
        let whole = try Data(contentsOf: URL(filePath: scene.variables["HERALD_STATE"] ?? ""))
        for (bytes, words) in [
            (whole.prefix(whole.count / 2), "malformed"), (Data(repeating: 7, count: 9000), "not a"),
        ] {
            try bytes.write(to: URL(filePath: path))
            try scene.declare("sqlite: ../app.sqlite\nquery: SELECT sql AS fid FROM sqlite_master")
            let result = try await scene.herald("fetch")
            #expect(result.status == 4)
            #expect(result.errors.contains(words), "\(result.errors)")
        }
        #expect(scene.list == list && scene.note == note)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
    }

    @Test func `a list does not count for an audience whose file moved to another database`() async throws {
        let scene = try FetchScene()
        for folder in ["eu", "us"] { try scene.folder.write("", to: "workspace/\(folder)/app.sqlite") }
        let audience =
            "kind: audience\nname: members\nsource:\n  sqlite: app.sqlite\n  query: \"\(Self.rows(1...1))\"\n"
            + "  columns: {fid: column1}\n"
        try scene.folder.write(audience, to: "workspace/eu/audience.yaml")
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try await scene.herald("plan").status == 0)
        try scene.folder.write(audience, to: "workspace/us/audience.yaml")
        try FileManager.default.removeItem(atPath: "\(scene.folder.path)/workspace/eu/audience.yaml")
        let moved = try await scene.herald("plan")
        #expect(moved.status == 1)
        #expect(moved.errors.contains("was fetched from another source"), "\(moved.errors)")
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try await scene.herald("plan").status == 0)
    }

    @Test func `a database is in the workspace, or in a folder that the machine names`() async throws {
        var scene = try Self.scene(Self.rows(1...1), "columns: {fid: column1}")
        let outside = "\(scene.folder.path)/outside"
        try scene.folder.write("", to: "outside/app.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: "\(scene.folder.path)/workspace/link.sqlite", withDestinationPath: "\(outside)/app.sqlite")
        mkfifo("\(scene.folder.path)/workspace/pipe.sqlite", 0o600)
        let places = ["\(outside)/app.sqlite", "../../outside/app.sqlite", "../link.sqlite", "${SECRET}/app.sqlite"]
        scene.variables["SECRET"] = outside
        for place in places + ["../pipe.sqlite", "../missing.sqlite"] {
            try scene.declare("sqlite: \"\(place)\"\nquery: \"\(Self.rows(1...1))\"\ncolumns: {fid: column1}")
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(place)")
            #expect(result.errors.contains("HERALD_SOURCE_PATHS"), "\(result.errors)")
            #expect(result.errors.contains("there is no database '\(place)', or"), "\(result.errors)")
        }
        #expect(scene.list == nil)
        scene.variables["HERALD_SOURCE_PATHS"] = "/nowhere:\(outside)"
        for place in places {
            try scene.declare("sqlite: \"\(place)\"\nquery: \"\(Self.rows(1...1))\"\ncolumns: {fid: column1}")
            let result = try await scene.herald("fetch")
            #expect(result.status == 0, "\(place): \(result.errors)")
        }
        // Not even the path may hold a variable that the machine does not list.
        try scene.declare("sqlite: \"${OTHER}/app.sqlite\"\nquery: \"\(Self.rows(1...1))\"")
        let foreign = try await scene.herald("fetch")
        #expect(foreign.status == 4)
        #expect(foreign.errors.contains("'OTHER'") && foreign.errors.contains("HERALD_SOURCE_VARS"))
        #expect(!foreign.errors.contains("other/"))
    }
}
