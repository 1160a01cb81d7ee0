import Foundation
import HeraldTestSupport
import Testing

/// `herald fetch` from a real PostgreSQL.
@Suite(.enabled(if: PostgresTestServer.isInstalled), .timeLimit(.minutes(5))) struct FetchPostgresTests {
    /// A database with people, and a role that may only read them.
    private struct Database {
        let address: String
        let name: String
        let reader: String

        init(people: Int = 5) async throws {
            (name, address) = try await PostgresTestServer.newDatabase()
            reader = "reader_\(name)"
            try await ask(
                """
                CREATE TABLE people (n int PRIMARY KEY, fid text, seen timestamptz, born date, gone bool DEFAULT false);
                INSERT INTO people SELECT i, 'cTEST' || lpad(i::text, 17, '0'), '2026-03-01 12:00+02'::timestamptz
                    + i * interval '1 day', '2000-01-31' FROM generate_series(1, \(people)) i;
                CREATE TABLE secrets (fid text);
                CREATE ROLE \(reader) LOGIN PASSWORD 'pw'; GRANT SELECT ON people TO \(reader);
                ALTER ROLE \(reader) SET timezone = 'Asia/Kathmandu'; ALTER ROLE \(reader) SET datestyle = 'German';
                """)
        }

        @discardableResult
        func ask(_ sql: String) async throws -> String { try await PostgresTestServer.ask(sql, at: address) }

        func address(as role: String? = nil) -> String {
            address.replacing("herald@", with: "\(role ?? reader)@")
        }

        func scene(_ query: String, _ rest: String = "", and others: String = "") throws -> FetchScene {
            var scene = try FetchScene()
            scene.variables["HERALD_SOURCE_VARS"] = "CITY,APP_DATABASE"
            scene.variables["APP_DATABASE"] = address()
            try declare(query, rest, in: scene, and: others)
            return scene
        }

        func declare(_ query: String, _ rest: String = "", in scene: FetchScene, and others: String = "") throws {
            try scene.folder.write(query, to: "workspace/sub/members.sql")
            try scene.declare("postgres: \"${APP_DATABASE}\"\nquery: members.sql\n\(rest)", and: others)
        }

        func other(_ name: String, _ query: String) -> String {
            "kind: audience\nname: \(name)\nsource: {postgres: \"${APP_DATABASE}\", query: \"\(query)\"}\n"
        }
    }

    private static func fids(_ text: String?) -> Set<Substring> {
        Set((text ?? "").split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first })
    }

    @Test func `times come as RFC 3339 in UTC, whatever the role is used to`() async throws {
        let database = try await Database(people: 2)
        let scene = try database.scene(
            """
            -- Who is there
            SELECT fid, seen, seen::timestamp AS "Wall, Clock", born, n, NULL AS nothing, '' AS empty, 'a, "b" ß' AS text
            FROM people WHERE NOT gone ORDER BY n -- all of them
            """, "columns: {seen: seen}", and: "")
        let result = try await scene.herald("fetch")
        #expect(result.status == 0, "\(result.errors)")
        let times = ["2026-03-02T10:00:00Z", "2026-03-03T10:00:00Z"]
        let rows = (1...2).map { row in
            let time = times[row - 1]
            return "\(FetchScene.fid(row)),\(time),\(time),2000-01-31,\(row),,\"\",\"a, \"\"b\"\" ß\"\n"
        }
        #expect(scene.list == "fid,seen,\"Wall, Clock\",born,n,nothing,empty,text\n" + rows.joined())
        #expect(scene.note?.contains(database.name) == false)
        let plan = try await scene.herald("plan")
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.output.contains("2 recipients"), "\(plan.output)")
    }

    @Test func `the time of the data is asked, and NULL is none`() async throws {
        let database = try await Database()
        let scene = try database.scene(
            "SELECT fid FROM people", "fetch: {loaded_at: \"SELECT max(seen) FROM people WHERE n > 99\"}")
        let empty = try await scene.herald("fetch")
        #expect(empty.status == 4 && empty.errors.contains("'loaded_at'"), "\(empty.errors)")
        #expect(scene.list == nil)
        try database.declare(
            "SELECT fid FROM people", "fetch: {loaded_at: \"SELECT max(seen) FROM people WHERE n < 3\"}", in: scene)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(scene.note?.contains("\"loaded\":\"2026-03-03T10:00:00Z\"") == true, "\(scene.note ?? "")")
    }

    @Test func `lists of one fetch agree while a writer works`() async throws {
        let database = try await Database(people: 300)
        let scene = try database.scene(
            "SELECT fid FROM people WHERE NOT gone",
            and: database.other("left", "SELECT fid FROM people WHERE gone") + "---\n"
                + database.other("all", "SELECT fid FROM people"))
        // In each transaction half of them leave and the others come back.
        let writer = try PostgresTestServer.start(
            """
            DO $$ BEGIN FOR i IN 1..100000 LOOP
                UPDATE people SET gone = (n + i) % 2 = 0; COMMIT;
            END LOOP; END $$
            """, at: database.address)
        defer { writer.signal(SIGKILL) }
        while try await database.ask("SELECT count(*) FROM people WHERE gone") == "0" {}
        for _ in 1...5 {
            let result = try await scene.herald("fetch")
            #expect(result.status == 0, "\(result.errors)")
            let (members, left) = (Self.fids(scene.list), Self.fids(scene.list("left")))
            #expect(members.count == 150 && left.count == 150)
            #expect(members.isDisjoint(with: left))
            #expect(members.union(left) == Self.fids(scene.list("all")))
        }
        // The server would go on with it.
        _ = try await database.ask(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'DO %'")
    }

    @Test func `lists of one database stay due together, also after one of them failed`() async throws {
        let database = try await Database()
        // This one comes first, and takes so long that another second has begun when it is there.
        let scene = try database.scene(
            "SELECT fid FROM people, (SELECT pg_sleep(1.1)) AS wait", "fetch: {every: 6h}",
            and: database.other("other", "SELECT fid FROM people")
                .replacing("}\n", with: ", fetch: {every: 6h}}\n"))
        func time(_ name: String) throws -> String {
            let note = try scene.folder.read("workspace/.herald/lists/\(name).json")
            return String(try #require(note.firstMatch(of: #/"fetched":"([^"]+)"/#)).output.1)
        }
        func age(_ name: String, hours: Double) throws {
            let (path, time) = ("workspace/.herald/lists/\(name).json", try time(name))
            let older = Date(timeIntervalSinceNow: -hours * 3600).formatted(.iso8601)
            try scene.folder.write(try scene.folder.read(path).replacing(time, with: older), to: path)
        }
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try time("members") == time("other"))
        for (hours, isFetched) in [(5.0, true), (2.0, false)] {
            try age("members", hours: 7)
            try age("other", hours: hours)
            let result = try await scene.herald("fetch")
            #expect(result.status == 0 && result.errors.contains("fetched 'members'"), "\(result.errors)")
            #expect(result.errors.contains("fetched 'other'") == isFetched, "\(result.errors)")
            if isFetched { #expect(try time("members") == time("other")) }
        }
    }

    @Test(arguments: [
        ("INSERT INTO people VALUES (9) RETURNING fid", "the query writes"),
        ("DELETE FROM people", "no columns"), ("SELECT fid FROM people FOR UPDATE", "the query writes"),
        ("SELECT fid FROM people; SELECT 1", "multiple commands"),
        ("SELECT 1) TO STDOUT; DROP TABLE people; COPY (SELECT 1", "syntax error"),
        ("SELECT 1) TO PROGRAM 'touch /tmp/x' --", "syntax error"), ("SELECT 1 /*", "unterminated"),
        ("SELECT set_config('transaction_read_only', 'off', false) AS fid", "read-write"),
        ("SELECT fid FROM secrets", "may not read"), ("SELECT fid FROM nobody", "does not exist"),
        ("SELECT fid, fid FROM people", "one name"), ("SELECT fid FROM people WHERE n > 99", "no rows"),
        ("SELECT pg_read_file('/etc/passwd') AS fid", "may not read"), ("COPY people TO STDOUT", "no columns"),
        ("SELECT fid, (1 / (n - 3))::text AS x FROM people ORDER BY n", "22012"),
        ("SELECT fid, pg_sleep(60)::text AS x FROM people", "longer than 5s"),
    ])
    func `what is no list replaces nothing, changes nothing and stops no other list`(
        _ query: String, _ words: String
    ) async throws {
        let database = try await Database()
        let other = database.other("other", "SELECT fid FROM people")
        let scene = try database.scene("SELECT fid FROM people", "fetch: {timeout: 5s}", and: other)
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        #expect(Self.fids(list).count == 5)
        try await database.ask("UPDATE people SET fid = 'cTEST' || lpad((n + 100)::text, 17, '0')")
        let before = try await database.ask("SELECT md5(string_agg(people::text, ',' ORDER BY n)) FROM people")
        try database.declare(query, "fetch: {timeout: 5s}", in: scene, and: other)
        let result = try await scene.herald("fetch")
        #expect(result.status == 4, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(scene.list == list)
        #expect(scene.note == note)
        #expect(scene.files == [".lock", "members.csv", "members.json", "other.csv", "other.json"])
        #expect(Self.fids(scene.list("other")) == Set((101...105).map { FetchScene.fid($0)[...] }))
        #expect(try await database.ask("SELECT md5(string_agg(people::text, ',' ORDER BY n)) FROM people") == before)
    }

    @Test func `a role that could do more than read is refused, or told`() async throws {
        let database = try await Database()
        var scene = try database.scene("SELECT fid FROM people")
        for (number, right) in ["pg_read_server_files", "pg_write_server_files", "pg_execute_server_program"]
            .enumerated()
        {
            let role = "\(database.reader)_\(number)"
            try await database.ask("CREATE ROLE \(role) LOGIN IN ROLE \(database.reader), \(right)")
            scene.variables["APP_DATABASE"] = database.address(as: role)
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(right)")
            #expect(result.errors.contains("at the server") || result.errors.contains("of the server"))
        }
        // A query can take on every role that its own is a member of, and the one that signed in.
        let (member, masked) = ("\(database.reader)_member", "\(database.reader)_masked")
        try await database.ask(
            """
            CREATE ROLE \(member) LOGIN NOINHERIT IN ROLE \(database.reader), herald;
            CREATE ROLE \(masked) SUPERUSER LOGIN; ALTER ROLE \(masked) SET role = \(database.reader);
            """)
        for role in ["herald", member, masked] {
            let address = database.address(as: role)
            scene.variables["APP_DATABASE"] = address
            let master = try await scene.herald("fetch")
            #expect(master.status == 4, "\(role)")
            #expect(master.errors.contains("superuser"), "\(master.errors)")
            let doctor = try await scene.herald("doctor")
            #expect((doctor.output + doctor.errors).contains("superuser"), "\(doctor.output)\(doctor.errors)")
        }
        #expect(scene.list == nil)

        scene.variables["APP_DATABASE"] = database.address()
        let reader = try await scene.herald("fetch")
        #expect(!reader.errors.contains("warning"), "\(reader.errors)")
        try await database.ask("GRANT UPDATE ON secrets TO \(database.reader)")
        let writer = try await scene.herald("fetch")
        #expect(writer.status == 0)
        #expect(writer.errors.contains("may change tables"), "\(writer.errors)")
    }

    @Test func `only listed variables reach the address, and no password stands in a file`() async throws {
        let database = try await Database()
        var scene = try database.scene("SELECT fid FROM people")
        let parts = database.address().replacing("\(database.reader)@", with: "\(database.reader):PASSWORD@")
        let lines = { (address: String) in "postgres: \"\(address)\"\nquery: SELECT fid FROM people" }
        scene.variables["PW"] = "pa ss/wo:rd@"
        for (address, words) in [
            (parts.replacing("PASSWORD", with: "secret"), "written in a file"),
            (parts.replacing("PASSWORD", with: "${PW}"), "HERALD_SOURCE_VARS"),
            ("${OTHER}", "HERALD_SOURCE_VARS"), ("${APP_DATABASE", "begins no ${VARIABLE}"),
            ("postgresql://reader@192.0.2.1/app", "not checked"),
            ("postgresql://reader@192.0.2.1/app?sslmode=require", "sslmode=verify-full"),
        ] {
            try scene.declare(lines(address))
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(address): \(result.errors)")
            #expect(result.errors.contains(words), "\(address): \(result.errors)")
            #expect(!result.errors.contains("secret"))
        }
        scene.variables["HERALD_SOURCE_VARS"] = "PW,APP_DATABASE"
        try scene.declare(lines(parts.replacing("PASSWORD", with: "${PW}")))
        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(scene.note?.contains("pa ss") == false)

        // What the machine has for another server.
        scene.variables["PGPASSWORD"] = "for the state"
        try scene.declare(lines(database.address()))
        let foreign = try await scene.herald("fetch")
        #expect(foreign.status == 4)
        #expect(foreign.errors.contains("PGPASSWORD"), "\(foreign.errors)")
        scene.variables["HERALD_SOURCE_VARS"] = "PGPASSWORD"
        #expect(try await scene.herald("fetch").status == 0)

        scene.variables["HERALD_SOURCE_VARS"] = "CITY"
        try scene.declare(lines("${CITY}"))
        let noAddress = try await scene.herald("fetch")
        #expect(noAddress.status == 4)
        #expect(noAddress.errors.contains("holds no address") && !noAddress.errors.contains("Ostia"))
    }

    /// The server and libpq quote names, and the server cuts long ones.
    @Test func `the value of a variable is not shown, wherever it stands in an address`() async throws {
        let database = try await Database()
        var scene = try database.scene("SELECT fid FROM people")
        scene.variables["HERALD_SOURCE_VARS"] = "SECRET"
        scene.variables["SECRET"] = String(repeating: "s3cr3t", count: 15)
        let address = database.address()
        for (place, source) in [
            ("role", "postgres: \"\(address.replacing("\(database.reader)@", with: "${SECRET}@"))\""),
            ("database", "postgres: \"\(address.replacing("/\(database.name)?", with: "/${SECRET}?"))\""),
            ("parameter", "postgres: \"\(address)&sslmode=${SECRET}\""),
            ("host", "postgres: \"postgresql://reader@${SECRET}/app\""), ("file", "sqlite: \"${SECRET}\""),
        ] {
            try scene.declare("\(source)\nquery: SELECT fid FROM people")
            let fetched = try await scene.herald("fetch")
            #expect(fetched.status == 4, "\(place): \(fetched.errors)")
            #expect(fetched.errors.contains("${SECRET}"), "\(place): \(fetched.errors)")
            let doctor = try await scene.herald("doctor")
            for text in [fetched.errors, doctor.output, doctor.errors] {
                #expect(!text.contains("s3cr3t"), "\(place): \(text)")
            }
        }
    }

    @Test func `a fetch that is killed or cut leaves the last list whole`() async throws {
        let database = try await Database(people: 20_000)
        let proxy = try PostgresProxy()
        var scene = try database.scene("SELECT fid FROM people")
        scene.variables["APP_DATABASE"] = database.address().replacing(
            try PostgresTestServer.running().folder, with: proxy.folder)
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        #expect(Self.fids(list).count == 20_000)
        try await database.ask("UPDATE people SET fid = 'cTEST' || lpad((n + 100000)::text, 17, '0')")

        for fault in [PostgresProxy.Fault.cutBefore, .cutInAnswer, .cutPromptly] {
            proxy.arm(fault, at: .text("COPY ("))
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(fault): \(result.errors)")
            #expect(scene.list == list, "\(fault)")
            #expect(scene.note == note)
        }
        proxy.refuse(true)
        #expect(try await scene.herald("fetch").status == 4)
        proxy.refuse(false)

        let full = try await scene.fetchOnFullDisk()
        #expect(full.status == 4)
        #expect(full.errors.contains("cannot be written"), "\(full.errors)")
        #expect(scene.list == list)

        // Killed while the rows come.
        try database.declare("SELECT fid, pg_sleep(0.01)::text AS x FROM people", in: scene)
        let process = try scene.start("fetch")
        let (draft, begin) = ("\(scene.folder.path)/workspace/.herald/lists/members.csv.new", ContinuousClock.now)
        while !FileManager.default.fileExists(atPath: draft), ContinuousClock.now - begin < .seconds(60) {}
        process.signal(SIGKILL)
        _ = await process.wait()
        #expect(scene.list == list)
        #expect(scene.note == note)

        // The server has yet to notice that nobody reads its rows.
        let copying = "FROM pg_stat_activity WHERE query LIKE 'COPY (%pg_sleep%'"
        _ = try await database.ask("SELECT count(pg_terminate_backend(pid)) \(copying)")
        let left = ContinuousClock.now
        while try await database.ask("SELECT count(*) \(copying)") != "0", ContinuousClock.now - left < .seconds(60) {}

        // A signal ends a fetch without leaving anything.
        let stopped = try scene.start("fetch")
        let again = ContinuousClock.now
        while try await database.ask("SELECT count(*) \(copying)") == "0", ContinuousClock.now - again < .seconds(60) {}
        stopped.signal(SIGTERM)
        let end = await stopped.wait()
        #expect(end.status == 143, "\(end.errors)")
        #expect(scene.list == list)
        #expect(scene.files == [".lock", "members.csv", "members.json"])

        try database.declare("SELECT fid FROM people", in: scene)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(Self.fids(scene.list).contains(FetchScene.fid(100_001)[...]))
        #expect(scene.files == [".lock", "members.csv", "members.json"])
    }
}
