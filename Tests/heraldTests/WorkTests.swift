import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `herald work`: processes without a workspace help a run to send.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct WorkTests {
    private static let recipients = 2000
    /// Leases end earlier than in earnest.
    private static let fast = ["HERALD_LEASE_SPEED": "6"]

    private let sandbox: Sandbox
    private let schema: String

    init() throws {
        schema = "t_\(UUID().uuidString.prefix(8).lowercased())"
        let address = "postgresql://herald@/postgres?host=\(try PostgresTestServer.running().folder)"
        var files = Sandbox.small(count: Self.recipients, subscribers: 1)
        files["workspace/herald.yaml"] = """
            herald: 2
            project: demo-project
            workspace: tide
            state: {postgres: "\(address)", schema: \(schema)}
            fcm: {rate: 2000/s, subscription_rate: unlimited, ramp: 0s, max_in_flight: \(Sandbox.inFlight)}

            """
        // Slow enough for others to join.
        files["slow.json"] = #"[{"match":{"service":"send"},"do":{"delay_ms":40}}]"#
        sandbox = try Sandbox(files, database: address)
    }

    private func emulator() async throws -> String {
        let (_, host) = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/slow.json")
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        return host
    }

    /// So slow that `state show` sees the run at work, also where a command takes a second to begin.
    private func slowDown(_ host: String) async throws {
        try await Control(host).put(faults: [["match": ["service": "send"], "do": ["delay_ms": 150]]])
    }

    private func worker(_ options: String..., host: String) throws -> ChildProcess {
        try HeraldProcess.start(
            ["work", "--schema", schema, "--max-in-flight", "\(Sandbox.inFlight)"] + options,
            environment: sandbox.environment(host).merging(Self.fast) { $1 })
    }

    private func run(host: String) throws -> ChildProcess {
        try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json"],
            environment: sandbox.environment(host).merging(Self.fast) { $1 })
    }

    /// What `state show` says of the processes.
    private func processes() async throws -> [JSONValue] { try await sandbox.state()["processes"]?.array ?? [] }

    @Test func `workers help a run, keep to its rates, and stop when they are told to`() async throws {
        let host = try await emulator()
        let metrics = "\(sandbox.folder.path)/worker.prom"
        let workers = [
            try worker("--project", "demo-project", "--metrics", metrics, host: host),
            try worker("--project", "demo-project", host: host),
        ]
        try await eventually { try await processes().count == 2 }
        try await slowDown(host)
        let apply = try run(host: host)
        // Two of three are enough to see: the figures are of one moment.
        try await eventually {
            let sending = try await processes().filter { ($0["done"]?.int ?? 0) > 0 }
            let rates = sending.compactMap { $0["rate"]?.int }
            #expect(rates.reduce(0, +) <= 2000)
            return sending.count >= 2 && rates.contains { $0 > 0 }
        }
        let ended = await apply.wait()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        let account = Account(try sandbox.report())
        #expect(account.addsUp && account.pending == 0 && account.unknown == 0)
        for worker in workers { worker.signal(SIGTERM) }
        var helped = 0
        for worker in workers {
            let result = await worker.wait()
            #expect(result.status == 143, "\(result.errors)")
            if result.errors.contains("to-all@once: ") { helped += 1 }
        }
        #expect(helped >= 1)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == Self.recipients + 1 && accepted.values.allSatisfy { $0 == 1 })
        let figures = try sandbox.folder.read("worker.prom")
        #expect(figures.contains("herald_worker_accepted{project=\"demo-project\"} "))
        #expect(try await processes().isEmpty)
        await sandbox.end()
    }

    @Test func `a worker that is killed is missed for as long as its lease lasts, and the run sends the rest`()
        async throws
    {
        let host = try await emulator()
        let worker = try worker("--project", "demo-project", host: host)
        try await eventually { try await processes().count == 1 }
        try await slowDown(host)
        let apply = try run(host: host)
        try await eventually {
            try await processes().contains { $0["role"] == "worker" && ($0["done"]?.int ?? 0) > 50 }
        }
        worker.signal(SIGKILL)
        _ = await worker.wait()
        try await Control(host).put(faults: [])
        let ended = await apply.wait()
        let account = Account(try sandbox.report(), steps: "send:")
        #expect(account.addsUp && account.pending == 0)
        #expect(account.unknown <= Sandbox.inFlight)
        #expect(ended.status == (account.unknown > 0 ? 6 : 0), "\(ended.output)\(ended.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, "somebody was accepted twice")
        #expect(accepted.count >= Self.recipients + 1 - account.unknown)
        await sandbox.end()
    }

    @Test func `a worker whose credential is refused midway ends, and the run sends to all whom it did not`()
        async throws
    {
        let host = try await emulator()
        let refusal: JSONValue = [
            [
                "match": ["service": "send", "after": 20],
                "do": ["status": 401, "code": "UNAUTHENTICATED", "delay_ms": 150],
            ], ["match": ["service": "send"], "do": ["delay_ms": 40]],
        ]
        let (_, other) = try await sandbox.startEmulator(ledger: "other.ndjson")
        try await Control(other).put(faults: refusal)
        let worker = try worker("--project", "demo-project", host: other)
        try await eventually { try await processes().count == 1 }
        try await slowDown(host)
        let apply = try run(host: host)
        let refused = await worker.wait()
        #expect(refused.status == 4 && refused.errors.contains("UNAUTHENTICATED"), "\(refused.errors)")
        let ended = await apply.wait()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        let account = Account(try sandbox.report())
        #expect(account.addsUp && account.pending == 0 && account.unknown == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson", "other.ndjson"])
        #expect(accepted.count == Self.recipients + 1 && accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    @Test func `when the run is killed its worker stops, and helps the next one`() async throws {
        let host = try await emulator()
        let worker = try worker("--project", "demo-project", host: host)
        try await eventually { try await processes().count == 1 }
        try await slowDown(host)
        let first = try run(host: host)
        try await eventually {
            try await processes().contains { $0["role"] == "worker" && ($0["done"]?.int ?? 0) > 50 }
        }
        first.signal(SIGKILL)
        _ = await first.wait()
        try await Control(host).put(faults: [])
        let holder = try await sandbox.herald("state lock").output
        let name = try #require(holder.split(separator: " ").dropFirst().first)
        #expect(try await sandbox.herald("state unlock \(name) --auto-approve").status == 0)
        let second = try run(host: host)
        let resumed = await second.wait()
        let account = Account(try sandbox.report(), steps: "send:")
        #expect(account.addsUp && account.pending == 0)
        // Both had requests in flight.
        #expect(account.unknown <= 2 * Sandbox.inFlight)
        #expect(resumed.status == (account.unknown > 0 ? 6 : 0), "\(resumed.output)\(resumed.errors)")
        worker.signal(SIGTERM)
        let helped = await worker.wait()
        #expect(helped.status == 143)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, "somebody was accepted twice")
        #expect(accepted.count >= Self.recipients + 1 - account.unknown)
        await sandbox.end()
    }

    @Test(arguments: [
        "''{\"from\": \"tomorrow\"}''", "replace(NEW.body, ''\"ramp\"'', ''\"send_window\":null,\"ramp\"'')",
        "replace(NEW.body, ''\"expiry\":null'', ''\"expiry\":\"soon\"'')",
    ])
    func `a worker that cannot read what runs share says so once, and the runs send alone`(_ body: String)
        async throws
    {
        let host = try await emulator()
        // As a herald would that knows more.
        try await PostgresTestServer.ask(
            """
            CREATE FUNCTION \(schema).garble() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN NEW.body := \(body); RETURN NEW; END';
            CREATE TRIGGER garble BEFORE INSERT ON \(schema).job FOR EACH ROW EXECUTE FUNCTION \(schema).garble();
            """, at: try #require(sandbox.environment(host)["HERALD_STATE"]))
        let worker = try worker("--project", "demo-project", host: host)
        try await eventually { try await processes().count == 1 }
        for revision in 1...2 {
            let campaign = "kind: campaign\nname: to-all\n"
            let resources = try sandbox.folder.read("workspace/resources.yaml")
            try sandbox.folder.write(
                resources.replacing(campaign, with: campaign + (revision == 1 ? "" : "revision: \(revision)\n")),
                to: "workspace/resources.yaml")
            let ended = await (try run(host: host)).wait()
            #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        }
        worker.signal(SIGTERM)
        let result = await worker.wait()
        #expect(result.status == 143)
        #expect(result.errors.components(separatedBy: "this worker cannot read a send").count == 2, "\(result.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"]).filter { $0.key != "news" }
        #expect(accepted.count == Self.recipients && accepted.values.allSatisfy { $0 == 2 })
        await sandbox.end()
    }

    @Test func `a worker that may not join a send says why, and does not try again at once`() async throws {
        let host = try await emulator()
        let text = """
            CREATE FUNCTION \(schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF (SELECT conducts FROM \(schema).worker WHERE id = NEW.worker) THEN RETURN NEW; END IF;
                RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100';
            END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON \(schema).job_part FOR EACH ROW EXECUTE FUNCTION \(schema).refuse();
            """
        try await PostgresTestServer.ask(text, at: try #require(sandbox.environment(host)["HERALD_STATE"]))
        let worker = try worker("--project", "demo-project", host: host)
        try await eventually { try await processes().count == 1 }
        try await slowDown(host)
        let begin = ContinuousClock.now
        let ended = await (try run(host: host)).wait()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        worker.signal(SIGTERM)
        let errors = await worker.wait().errors
        let seconds = Int((ContinuousClock.now - begin).components.seconds)
        let tries = errors.components(separatedBy: "PostgreSQL says: the disk is full; joining again").count - 1
        #expect((1...seconds + 2).contains(tries), "\(errors)")
        await sandbox.end()
    }

    @Test(arguments: [
        ("state copy --to {folder}/copy.sqlite", "was moved to"), ("", "is in another database than"),
    ])
    func `a worker whose state is elsewhere ends and says so`(_ command: String, _ words: String) async throws {
        let host = try await emulator()
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let worker = try worker("--project", "demo-project", host: host)
        try await eventually { try await processes().count == 1 }
        if command.isEmpty {
            // As a dump has it that was restored into another server.
            try await PostgresTestServer.ask(
                "UPDATE \(schema).server SET place = '1'", at: try #require(sandbox.environment(host)["HERALD_STATE"]))
        } else {
            let moved = try await sandbox.herald(command.replacing("{folder}", with: sandbox.folder.path), host: host)
            #expect(moved.status == 0, "\(moved.errors)")
        }
        let ended = await worker.wait()
        #expect(ended.status == 1)
        #expect(ended.errors.contains(words) && ended.errors.contains("help: "), "\(ended.errors)")
        await sandbox.end()
    }

    @Test(arguments: [
        ("--project other", nil, "belongs to"),
        ("--project demo-project", "state.sqlite", "HERALD_STATE names no database"),
        ("--project demo-project --schema none", nil, "state init"),
        ("--project demo-project --max-in-flight 0", nil, "--max-in-flight"),
        ("--project demo-project --token-host https://sts.example.com", nil, "--token-host"),
    ])
    func `what does not fit the state is refused at once`(_ line: String, _ state: String?, _ words: String)
        async throws
    {
        #expect(try await sandbox.herald("state init").status == 0)
        var environment = sandbox.environment("127.0.0.1:9")
        if let state { environment["HERALD_STATE"] = state }
        let schema = line.contains("--schema") ? [] : ["--schema", schema]
        let result = try await HeraldProcess.run(
            ["work"] + schema + line.split(separator: " ").map(String.init), environment: environment)
        #expect(result.status == (words.hasPrefix("--") ? 64 : 1))
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test(
        arguments: [
            ([], "'token_url' is neither a sign-in server"), (["--token-host", "sts.example.com"], "state init"),
        ] as [([String], String)])
    func `a credential goes to other hosts than Google's only if they are named`(
        _ options: [String], _ words: String
    ) async throws {
        let file = """
            {"type": "external_account", "audience": "a", "subject_token_type": "b",
             "token_url": "https://sts.example.com/v1/token", "credential_source": {"file": "/var/run/token"}}
            """
        try sandbox.folder.write(file, to: "credential.json")
        // With a credential that it takes, it looks for the state, which is not there.
        let result = try await HeraldProcess.run(
            [
                "work", "--schema", schema, "--project", "demo-project", "--endpoint", "https://127.0.0.1:9",
                "--credentials", "\(sandbox.folder.path)/credential.json",
            ] + options, environment: sandbox.environment(nil))
        #expect(result.status == 1)
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a worker without an endpoint's emulator is for another endpoint`() async throws {
        #expect(try await sandbox.herald("state init").status == 0)
        let result = try await HeraldProcess.run(
            ["work", "--schema", schema, "--project", "demo-project", "--endpoint", "https://fcm.example.com"],
            environment: sandbox.environment(nil))
        #expect(result.status == 1)
        #expect(result.errors.contains("belongs to"), "\(result.errors)")
    }
}
