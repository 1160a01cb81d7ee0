import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What goes back to an app's database, with a real PostgreSQL.
@Suite(.enabled(if: PostgresTestServer.isInstalled), .timeLimit(.minutes(5))) struct FeedbackTests {
    /// An app's database that notes what it is told, and how often.
    private struct App {
        let address: String
        let role: String

        init() async throws {
            let (name, address) = try await PostgresTestServer.newDatabase()
            role = "told_\(name)"
            self.address = address
            try await ask(
                """
                CREATE TABLE gone (run text, number bigint, registration text, at timestamptz, PRIMARY KEY (run, number));
                CREATE TABLE gate (open bool); INSERT INTO gate VALUES (true);
                CREATE SEQUENCE calls;
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    PERFORM nextval('calls');
                    LOOP EXIT WHEN (SELECT open FROM gate); PERFORM pg_sleep(0.02); END LOOP;
                    RETURN NULL; END $$;
                CREATE TRIGGER wait BEFORE INSERT ON gone EXECUTE FUNCTION wait();
                CREATE ROLE \(role) LOGIN; GRANT INSERT, SELECT ON gone TO \(role); GRANT SELECT ON gate TO \(role);
                GRANT USAGE ON SEQUENCE calls TO \(role);
                """)
        }

        @discardableResult
        func ask(_ sql: String) async throws -> String { try await PostgresTestServer.ask(sql, at: address) }

        func told() async throws -> [String] {
            try await ask("SELECT registration FROM gone ORDER BY registration").split(separator: "\n").map(String.init)
        }

        static let statement = """
            -- '@' stays as it is
            INSERT INTO gone SELECT $1, number, registration, at
            FROM unnest($2, $3, $4) AS dead (number, registration, at) WHERE 'a@b' LIKE '%@%'
            ON CONFLICT (run, number) DO NOTHING;
            """

        var variables: [String: String] {
            [
                "APP_DATABASE": address.replacing("herald@", with: "\(role)@"), "HERALD_SOURCE_VARS": "APP_DATABASE",
            ]
        }
    }

    private static func files(_ statement: String = App.statement, count: Int) -> [String: String] {
        var files = Sandbox.small(count: count, subscribers: 2)
        files["workspace/herald.yaml"] =
            Sandbox.settings.replacing("herald: 1\n", with: "herald: 2\n")
            + "guards: {max_forget_percent: 100}\nfeedback: {postgres: \"${APP_DATABASE}\", dead: queries/gone.sql}\n"
        files["workspace/queries/gone.sql"] = statement
        return files
    }

    private func arguments(_ sandbox: Sandbox, _ rest: String...) -> [String] { ["-w", sandbox.workspace] + rest }

    private func herald(
        _ sandbox: Sandbox, _ host: String, _ app: App, _ rest: String...
    ) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", sandbox.workspace] + rest, environment: sandbox.environment(host).merging(app.variables) { $1 })
    }

    /// A workspace whose state is there, with some dead registrations that the next run finds.
    private func scene(
        _ dead: [Int], of count: Int = 6, statement: String = App.statement
    ) async throws -> (Sandbox, String, App) {
        let app = try await App()
        let sandbox = try Sandbox(Self.files(statement, count: count))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        try await Control(host).put(dead.map { .fid($0) }, state: "unregistered")
        return (sandbox, host, app)
    }

    private func fids(_ numbers: Int...) -> [String] { numbers.map { Registration.fid($0).rawValue }.sorted() }

    @Test func `each run tells who died since, once`() async throws {
        let (sandbox, host, app) = try await scene([2, 4])
        let run = try await herald(sandbox, host, app, "run")
        #expect(try await app.told() == fids(2, 4), "\(run.errors)")
        #expect(try await app.ask("SELECT number FROM gone ORDER BY number") == "1\n2")
        #expect(try await app.ask("SELECT count(DISTINCT run) FROM gone WHERE at > now() - interval '1 hour'") == "1")
        #expect(try await herald(sandbox, host, app, "run").status == 0)
        #expect(try await app.ask("SELECT last_value FROM calls") == "1", "nobody is told twice without a reason")
        #expect(
            !run.errors.contains(Registration.fid(2).rawValue) && !run.output.contains(Registration.fid(2).rawValue))
        await sandbox.end()
    }

    @Test func `a database that is away, or refuses, stops no send, and is told later under the same numbers`()
        async throws
    {
        let (sandbox, host, app) = try await scene([3])
        try await app.ask("REVOKE INSERT ON gone FROM \(app.role)")
        let run = try await herald(sandbox, host, app, "run")
        #expect(
            run.errors.contains("warning: dead registrations were not handed over: PostgreSQL says: permission denied"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"])[Registration.fid(1).rawValue] ?? 0 > 0)
        try await app.ask("GRANT INSERT ON gone TO \(app.role)")
        let next = try await herald(sandbox, host, app, "run")
        #expect(next.status == 0, "\(next.errors)")
        #expect(try await app.told() == fids(3))
        await sandbox.end()
    }

    @Test func `a run that is killed while it tells tells again under the same numbers`() async throws {
        let (sandbox, host, app) = try await scene([1, 5])
        try await app.ask("UPDATE gate SET open = false")
        let run = try HeraldProcess.start(
            arguments(sandbox, "run"), environment: sandbox.environment(host).merging(app.variables) { $1 })
        try await eventually { try await app.ask("SELECT is_called FROM calls") == "t" }
        run.signal(SIGKILL)
        _ = await run.wait()
        // The server ends what it was asked, whoever is gone.
        try await app.ask("UPDATE gate SET open = true")
        let next = try await herald(sandbox, host, app, "run", "--if-locked", "wait=60s")
        #expect(next.errors.contains("not handed over") == false, "\(next.errors)")
        #expect(try await app.told() == fids(1, 5))
        #expect(try await app.ask("SELECT count(DISTINCT run) FROM gone") == "1")
        #expect(try await app.ask("SELECT last_value > 1 FROM calls") == "t", "it was told at least twice")
        await sandbox.end()
    }

    @Test func `a database that is slow keeps nobody waiting, and a signal ends the telling`() async throws {
        let (sandbox, host, app) = try await scene([1, 5])
        try await app.ask("UPDATE gate SET open = false")
        let run = try HeraldProcess.start(
            arguments(sandbox, "run"), environment: sandbox.environment(host).merging(app.variables) { $1 })
        try await eventually { try await app.ask("SELECT is_called FROM calls") == "t" }
        let pause = try await sandbox.herald("pause", "to-all", host: host)
        #expect(pause.status == 0, "the lock is free: \(pause.errors)")
        run.signal(SIGINT)
        let end = await run.wait()
        #expect(end.errors.contains("not handed over: a signal stopped it"), "\(end.errors)")
        #expect(try await app.ask("SELECT open FROM gate") == "f", "the database still waits")
        try await app.ask("UPDATE gate SET open = true")
        #expect(try await herald(sandbox, host, app, "run").status == 0)
        #expect(try await app.told() == fids(1, 5))
        #expect(try await app.ask("SELECT count(DISTINCT run) FROM gone") == "1")
        await sandbox.end()
    }

    @Test(arguments: [[3], [1, 5], [1, 2, 3, 4, 5]])
    func `rows that the database refuses keep no other row back`(_ refused: [Int]) async throws {
        let (sandbox, host, app) = try await scene([1, 2, 3, 4, 5])
        let list = refused.map { "'\(Registration.fid($0).rawValue)'" }.joined(separator: ",")
        try await app.ask("ALTER TABLE gone ADD CONSTRAINT known CHECK (registration NOT IN (\(list)))")
        let run = try await herald(sandbox, host, app, "run")
        #expect(run.errors.contains("it took all but \(refused.count)\n"), "\(run.errors)")
        #expect(!run.errors.contains(Registration.fid(refused[0]).rawValue))
        // The warning names the first by run and number, and the file says who that is.
        let path = "\(sandbox.folder.path)/dead.ndjson"
        #expect(try await herald(sandbox, host, app, "feedback", "--file", path).status == 0)
        for line in try sandbox.folder.read("dead.ndjson").split(separator: "\n") {
            let isRefused = refused.contains { line.contains(Registration.fid($0).rawValue) }
            #expect(line.contains("\"number\":") == isRefused && line.contains("\"run\":") == isRefused, "\(line)")
        }
        let others = (1...5).filter { !refused.contains($0) }
        #expect(try await app.told() == others.map { Registration.fid($0).rawValue }.sorted())
        try await app.ask("ALTER TABLE gone DROP CONSTRAINT known")
        let next = try await herald(sandbox, host, app, "run")
        #expect(!next.errors.contains("not handed over"), "\(next.errors)")
        #expect(try await app.told() == fids(1, 2, 3, 4, 5))
        #expect(try await app.ask("SELECT count(DISTINCT run) FROM gone") == "1", "the numbers stay")
        let first = try await app.ask("SELECT min(number) FROM gone WHERE registration IN (\(list))")
        #expect(run.errors.contains("look at number \(first) of run "), "\(run.errors)")
        await sandbox.end()
    }

    /// Each run begins with the oldest.
    @Test func `however many rows the database refuses first, it is told of the others`() async throws {
        let (sandbox, host, app) = try await scene(Array(1...44), of: 47)
        try await app.ask("ALTER TABLE gone ADD CONSTRAINT known CHECK (number > 40)")
        let run = try await herald(sandbox, host, app, "run")
        #expect(try await app.ask("SELECT number FROM gone ORDER BY number") == "41\n42\n43\n44", "\(run.errors)")
        #expect(run.errors.contains("it took all but 40\n"), "\(run.errors)")
        #expect(run.errors.contains("look at number 1 of run "), "\(run.errors)")
        // Who dies later is told of, too.
        let first = try await app.ask("SELECT DISTINCT run FROM gone")
        try await app.ask(
            """
            ALTER TABLE gone DROP CONSTRAINT known;
            ALTER TABLE gone ADD CONSTRAINT known CHECK (number > 40 OR run <> '\(first)');
            """)
        try await Control(host).put([.fid(45), .fid(46)], state: "unregistered")
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(
            text.replacing("name: to-all\n", with: "name: to-all\nrevision: 2\n"), to: "workspace/resources.yaml")
        let next = try await herald(sandbox, host, app, "run")
        #expect(try await app.ask("SELECT count(*) FROM gone") == "6", "\(next.errors)")
        #expect(next.errors.contains("it took all but 40\n"), "\(next.errors)")
        await sandbox.end()
    }

    @Test func `a database that refuses every row is told of none, and the first is named`() async throws {
        let (sandbox, host, app) = try await scene(Array(1...600), of: 601)
        try await app.ask("ALTER TABLE gone ADD CONSTRAINT never CHECK (false)")
        let run = try await herald(sandbox, host, app, "run")
        #expect(run.errors.contains("it took all but 600\n"), "\(run.errors)")
        #expect(run.errors.contains("look at number 1 of run "), "\(run.errors)")
        #expect(try await app.told() == [])
        await sandbox.end()
    }

    @Test(arguments: [
        ("HERALD_SOURCE_VARS", "OTHER", "this machine does not allow the variable 'APP_DATABASE'"),
        ("APP_DATABASE", "host=db", "the variable in 'postgres' holds no address of a database"),
    ])
    func `what the machine does not list is not sent away`(
        _ variable: String, _ value: String, _ problem: String
    ) async throws {
        let (sandbox, host, app) = try await scene([2])
        var variables = sandbox.environment(host).merging(app.variables) { $1 }
        variables[variable] = value
        let run = try await HeraldProcess.run(arguments(sandbox, "run"), environment: variables)
        #expect(run.errors.contains(problem), "\(run.errors)")
        // Other commands need none of it.
        #expect(try await sandbox.herald("plan", host: host).status == 0)
        #expect(try await herald(sandbox, host, app, "run").status == 0)
        #expect(try await app.told() == fids(2))
        await sandbox.end()
    }

    @Test func `a superuser is refused, and so are two statements`() async throws {
        let (sandbox, host, app) = try await scene([2], statement: "\(App.statement) DELETE FROM gone")
        var variables = sandbox.environment(host).merging(app.variables) { $1 }
        let two = try await HeraldProcess.run(arguments(sandbox, "run"), environment: variables)
        #expect(two.errors.contains("cannot insert multiple commands"), "\(two.errors)")
        // A statement can take on every role that its own is a member of, and the one that signed in.
        let (member, masked) = ("\(app.role)_member", "\(app.role)_masked")
        try await app.ask(
            """
            CREATE ROLE \(member) LOGIN NOINHERIT IN ROLE \(app.role), herald;
            CREATE ROLE \(masked) SUPERUSER LOGIN; ALTER ROLE \(masked) SET role = \(app.role);
            """)
        for role in ["herald", member, masked] {
            variables["APP_DATABASE"] = app.address.replacing("herald@", with: "\(role)@")
            let super_ = try await HeraldProcess.run(arguments(sandbox, "run"), environment: variables)
            #expect(super_.errors.contains("its role is a superuser"), "\(role): \(super_.errors)")
        }
        #expect(try await app.told() == [])
        await sandbox.end()
    }

    @Test func `a file has the dead, or every outcome, and only its owner may read it`() async throws {
        let (sandbox, host, app) = try await scene([2])
        _ = try await herald(sandbox, host, app, "run")
        let path = "\(sandbox.folder.path)/out.ndjson"
        let dead = try await herald(sandbox, host, app, "feedback", "--file", path)
        #expect(dead.status == 0, "\(dead.errors)")
        let lines = try sandbox.folder.read("out.ndjson").split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8))
        }
        #expect(lines.map { $0["registration"] } == [.string(Registration.fid(2).rawValue)])
        #expect(lines.first?["died"]?.string != nil && lines.first?["kind"] == "fid")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await herald(sandbox, host, app, "feedback", "--file", path, "--outcomes").status == 0)
        let all = try sandbox.folder.read("out.ndjson").split(separator: "\n").map {
            try JSONValue(parsing: Array($0.utf8))
        }
        let toAll = all.filter { $0["occurrence"] == "to-all@once" }
        #expect(toAll.count == 6 && toAll.allSatisfy { $0["campaign"] == "to-all" && $0["time"]?.string != nil })
        #expect(toAll.filter { $0["outcome"] == "rejected" }.map { $0["code"] } == ["UNREGISTERED"])
        #expect(toAll.filter { $0["outcome"] == "accepted" }.count == 5)
        for path in ["workspace/herald.yaml", "state.sqlite"] {
            let mistaken = try await herald(sandbox, host, app, "feedback", "--file", "\(sandbox.folder.path)/\(path)")
            #expect(mistaken.status == 1 && mistaken.errors.contains("stays as it is"), "\(mistaken.errors)")
        }
        let unwritable = try await herald(sandbox, host, app, "feedback", "--file", "/nowhere/out.ndjson")
        #expect(unwritable.status != 0 && unwritable.errors.contains("cannot be written"))
        await sandbox.end()
    }
}
