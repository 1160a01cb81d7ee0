import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What `herald doctor` says of the sources of lists.
@Suite(.enabled(if: PostgresTestServer.isInstalled), .timeLimit(.minutes(5))) struct FetchDoctorTests {
    /// What doctor says of `members`, and whether it fetched anything.
    private static func check(_ scene: FetchScene) async throws -> (result: String?, found: String, fix: String) {
        let files = scene.files
        let doctor = try await scene.herald("doctor", "--format", "json")
        let checks = try JSONValue(parsing: Array(doctor.output.utf8))["checks"]?.array ?? []
        let lists = checks.filter { $0["check"] == "lists" }
        #expect(lists.count == 1)
        #expect(scene.files == files)
        let list = try #require(lists.first)
        return (list["result"]?.string, list["found"]?.string ?? "", list["fix"]?.string ?? "")
    }

    @Test func `each kind of source is looked at, and nothing is fetched`() async throws {
        var scene = try FetchScene()
        try scene.folder.write("", to: "workspace/app.sqlite")
        let sqlite = "sqlite: ../app.sqlite\nquery: \"SELECT '\(FetchScene.fid(1))' AS fid\""
        for (source, result, found, fix) in [
            (sqlite, "error", "members: never fetched; the database can be read", "herald fetch members"),
            ("\(sqlite)\nfetch: {every: 1h}", "warning", "never fetched", "herald fetch members"),
            ("\(sqlite)\ncolumns: {fid: fid, seen: at}", "error", "no column 'at'", "'columns'"),
            ("sqlite: ../no.sqlite\nquery: SELECT 1", "error", "does not allow", "HERALD_SOURCE_PATHS"),
            ("command: [/bin/sh, -c, x]", "error", "/bin/sh may run", "herald fetch members"),
            ("command: [/bin/cat]", "error", "does not allow", "HERALD_ALLOW_COMMANDS"),
            ("https: https://localhost:1/list.csv", "error", "could not be opened", "network"),
            ("postgres: \"${OTHER}\"\nquery: SELECT 1", "error", "'OTHER'", "HERALD_SOURCE_VARS"),
        ] {
            try scene.declare(source)
            let check = try await Self.check(scene)
            #expect(check.result == result, "\(source): \(check)")
            #expect(check.found.contains(found), "\(source): \(check)")
            #expect(check.fix.contains(fix), "\(source): \(check)")
        }
        try scene.declare("\(sqlite)\nfetch: {error_after: 1d, loaded_at: \"SELECT '2020-01-01T00:00:00Z'\"}")
        #expect(try await scene.herald("fetch").status == 0)
        let stale = try await Self.check(scene)
        #expect(stale.result == "error")
        #expect(stale.found.contains("fetched") && stale.found.contains("its data are"), "\(stale)")
        try scene.declare(sqlite)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try await Self.check(scene).result == "ok")

        let database = try await PostgresTestServer.newDatabase()
        let role = "doctor_\(database.name)"
        try await PostgresTestServer.ask(
            "CREATE TABLE t (fid text); CREATE ROLE \(role) LOGIN; GRANT SELECT ON t TO \(role);"
                + "INSERT INTO t VALUES ('\(FetchScene.fid(1))')", at: database.address)
        scene.variables["HERALD_SOURCE_VARS"] = "CITY"
        scene.variables["CITY"] = database.address.replacing("herald@", with: "\(role)@")
        try scene.declare("postgres: \"${CITY}\"\nquery: SELECT fid FROM t")
        #expect(try await scene.herald("fetch").status == 0)
        let reader = try await Self.check(scene)
        #expect(reader.result == "ok" && reader.found.contains("its role only reads"), "\(reader)")
        try await PostgresTestServer.ask("GRANT INSERT ON t TO \(role)", at: database.address)
        let writer = try await Self.check(scene)
        #expect(writer.result == "warning" && writer.fix.contains("SELECT"), "\(writer)")
        scene.variables["CITY"] = database.address
        let master = try await Self.check(scene)
        #expect(master.result == "error" && master.found.contains("superuser"), "\(master)")
        #expect(!master.found.contains(database.name))
    }
}
