import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// The built program from outside: what it prints, what it leaves, how it exits.
@Suite struct CommandTests {
    private static let files = World.small(count: 20, subscribers: 12)

    @Test func `init makes a valid workspace that applies, and never overwrites`() async throws {
        let world = try World([:])
        let made = try await HeraldProcess.run(["init", world.workspace])
        #expect(made.status == 0, "\(made.errors)")
        let valid = try await world.herald("validate")
        #expect(valid.status == 0)
        #expect(valid.output == "0 errors, 0 warnings\n")
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)

        try world.folder.write("mine", to: "workspace/topics.yaml")
        let again = try await HeraldProcess.run(["init", world.workspace])
        #expect(again.status == 1)
        #expect(try world.folder.read("workspace/topics.yaml") == "mine")
        await world.end()
    }

    @Test func `apply then plan shows no changes, and apply again does nothing`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("plan", "--detailed-exitcode", host: host).status == 2)
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try await world.herald("plan", "--detailed-exitcode", host: host).status == 0)
        let accepted = try world.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 21)
        let again = try await world.herald("apply", host: host)
        #expect(again.status == 0)
        #expect(again.output.contains("Nothing to do"))
        #expect(try world.accepted(in: ["ledger.ndjson"]) == accepted)
        await world.end()
    }

    @Test func `a second plan has the same bytes, id and created aside`() async throws {
        let world = try World(Self.files)
        var documents: [JSONValue] = []
        for _ in 0..<2 {
            let plan = try await world.herald("plan", "--format", "json", "--at", "2026-12-01T09:00:00+01:00")
            #expect(plan.status == 0, "\(plan.errors)")
            var members = try #require(try JSONValue(parsing: Array(plan.output.utf8)).object)
            #expect(members.removeValue(forKey: "id") != nil)
            #expect(members.removeValue(forKey: "created") != nil)
            documents.append(.object(members))
        }
        #expect(try documents[0].bytes() == documents[1].bytes())
    }

    @Test(arguments: [
        ("resources.yaml", "kind: topic\nname: a b\nsubscribers: []\n", "topic-name", 2),
        ("resources.yaml", "kind: campaign\nname: x\ntarget: {topic: a, audience: b}\nmessage: {}\n", "one-target", 3),
        ("resources.yaml", "kind: [\n", "yaml-syntax", 2),
        ("all.txt", "not-a-registration\n", "list-row", 1),
        ("herald.yaml", "herald: 2\nproject: p\n", "format-version", 1),
    ])
    func `bad input is a located diagnostic and exit 1, and nothing is done`(
        _ file: String, _ text: String, _ rule: String, _ line: Int
    ) async throws {
        let world = try World(Self.files)
        try world.folder.write(text, to: "workspace/\(file)")
        let (_, host) = try await world.startEmulator()
        let validate = try await world.herald("validate", "--format", "json")
        #expect(validate.status == 1)
        let found = try JSONValue(parsing: Array(validate.output.utf8))["diagnostics"]?.array ?? []
        #expect(found.contains { $0["rule"]?.string == rule && $0["line"]?.int == Int64(line) }, "\(validate.output)")
        let apply = try await world.herald("apply", "--auto-approve", host: host)
        #expect(apply.status == 1)
        #expect(apply.errors.contains("[\(rule)]"))
        #expect(!FileManager.default.fileExists(atPath: world.statePath))
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        await world.end()
    }

    @Test(arguments: [
        ("plan --at tomorrow", Int32(64)), ("apply --override nonsense", 64), ("apply --sample 3", 64),
        ("nonsense", 64), ("validate --format yaml", 64), ("state show", 1), ("apply", 1),
        ("apply /nowhere/plan.json", 1), ("plan --campaign nobody", 1),
    ])
    func `wrong arguments and missing things exit as the contract says`(
        _ arguments: String, _ status: Int32
    ) async throws {
        let world = try World(Self.files)
        let result = try await HeraldProcess.run(
            ["-w", world.workspace] + arguments.split(separator: " ").map(String.init),
            environment: world.environment("127.0.0.1:9"))
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(!result.errors.isEmpty)
    }

    @Test func `the workspace may be named before or behind the command`() async throws {
        let world = try World(Self.files)
        #expect(try await HeraldProcess.run(["-w", world.workspace, "validate"]).status == 0)
        #expect(try await HeraldProcess.run(["validate", "-w", world.workspace]).status == 0)
        #expect(try await HeraldProcess.run(["validate", "-w", world.folder.path]).status == 1)
    }

    @Test func `without a terminal apply wants approval, and without it does nothing`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let result = try await world.herald("apply", host: host)
        #expect(result.status == 1)
        #expect(result.errors.contains("--auto-approve"))
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        await world.end()
    }

    @Test func `a dry run sends nothing and leaves the state as it is`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let report = "\(world.folder.path)/report.json"
        let dry = try await world.herald("apply", "--dry-run", "--sample", "5", "--report", report, host: host)
        #expect(dry.status == 0, "\(dry.output)\(dry.errors)")
        #expect(!FileManager.default.fileExists(atPath: world.statePath))
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        let account = try world.report()
        // Twelve subscriptions and fifteen of twenty recipients are left out; five and the topic are checked.
        #expect(account["dry_run"] == true)
        #expect(account["summary"]?["skipped"] == 27)
        #expect(account["summary"]?["accepted"] == 6)

        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        let before = try await world.herald("state", "show", "--format", "json", host: host).output
        #expect(try await world.herald("apply", "--dry-run", host: host).status == 0)
        #expect(try await world.herald("state", "show", "--format", "json", host: host).output == before)
        await world.end()
    }

    @Test func `a state serves one project and one kind of endpoint`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        try world.folder.write("herald: 1\nproject: other-project\n", to: "workspace/herald.yaml")
        let other = try await world.herald("plan", host: host)
        #expect(other.status == 1)
        #expect(other.errors.contains("belongs to project 'demo-project'"))
        try world.folder.write("herald: 1\nproject: demo-project\n", to: "workspace/herald.yaml")
        let production = try await world.herald("plan", host: nil)
        #expect(production.status == 1)
        #expect(production.errors.contains("at emulator"))
        await world.end()
    }

    @Test func `a guard refuses everything until it is overridden`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        // Seven of twelve leave: more than 30 %.
        let five = (1...5).map { Registration.fid($0).rawValue }.joined(separator: "\n")
        try world.folder.write(five, to: "workspace/some.txt")
        #expect(try await world.herald("plan", "--detailed-exitcode", host: host).status == 3)
        let refused = try await world.herald("apply", "--auto-approve", host: host)
        #expect(refused.status == 3)
        #expect(refused.errors.contains("--override max_unsubscribe_percent=news"))
        #expect(try await world.herald("plan", "--detailed-exitcode", host: host).status == 3)
        let allowed = try await world.herald(
            "apply", "--auto-approve", "--override", "max_unsubscribe_percent=news", host: host)
        #expect(allowed.status == 0, "\(allowed.errors)")
        #expect(try await world.herald("plan", "--detailed-exitcode", host: host).status == 0)
        await world.end()
    }

    @Test func `a state that another run has is left alone`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        let lock = try RunLock(for: world.statePath, run: "the-other-one")
        let result = try await world.herald("apply", "--auto-approve", host: host)
        #expect(result.status == 5)
        #expect(result.errors.contains("the-other-one"))
        withExtendedLifetime(lock) {}
        await world.end()
    }

    @Test func `a saved plan is applied once, unaltered, and only while it is true`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let path = "\(world.folder.path)/plan.json"
        #expect(try await world.herald("plan", "--out", path, host: host).status == 0)
        let plan = try world.folder.read("plan.json")
        try world.folder.write(plan.replacing("\"planned\" : 12", with: "\"planned\" : 13"), to: "altered.json")
        let altered = try await world.herald("apply", "\(world.folder.path)/altered.json", host: host)
        #expect(altered.status == 7)
        #expect(altered.errors.contains("altered"))
        #expect(!FileManager.default.fileExists(atPath: world.statePath))
        // It was made without a state, which this apply makes; to save it was to approve it.
        let applied = try await world.herald("apply", path, host: host)
        #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
        let used = try await world.herald("apply", path, host: host)
        #expect(used.status == 7)
        #expect(used.errors.contains("applied before"))

        // Now there is something new to do, and before it is done a file changes.
        try world.folder.write(Registration.fid(1).rawValue, to: "workspace/some.txt")
        #expect(try await world.herald("plan", "--out", path, host: host).status == 0)
        try world.folder.write("# nothing\n", to: "workspace/more.yaml")
        let stale = try await world.herald("apply", path, host: host)
        #expect(stale.status == 7)
        #expect(stale.errors.contains("changed since"))
        await world.end()
    }

    @Test func `a saved plan keeps to the campaigns it was made for`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let path = "\(world.folder.path)/plan.json"
        #expect(try await world.herald("plan", "--campaign", "to-all", "--out", path, host: host).status == 0)
        #expect(try await world.herald("apply", path, host: host).status == 0)
        #expect(try world.accepted(in: ["ledger.ndjson"]).count == 20)
        await world.end()
    }

    @Test func `receipts that cannot be written stop an apply before it begins`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let result = try await world.herald(
            "apply", "--auto-approve", "--receipts", "/nowhere/receipts.ndjson", host: host)
        #expect(result.status == 1)
        #expect(!FileManager.default.fileExists(atPath: world.statePath))
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        await world.end()
    }

    @Test func `where nobody answers an apply gives up, says so, and can be done later`() async throws {
        let world = try World(Self.files)
        let report = "\(world.folder.path)/report.json"
        let result = try await world.herald("apply", "--auto-approve", "--report", report, host: "127.0.0.1:9")
        #expect(result.status == 4)
        #expect(result.errors.contains("herald: http://127.0.0.1:9: the endpoint cannot be reached"))
        #expect(result.errors.contains("; is 'herald emulator' running there?"))
        #expect(Account(try world.report()).pending == 33)
        let (_, host) = try await world.startEmulator()
        #expect(try await world.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try world.accepted(in: ["ledger.ndjson"]).count == 21)
        await world.end()
    }

    @Test func `an emulator that speaks TLS is talked to when its certificate is named, and only then`() async throws {
        let world = try World(Self.files)
        let (emulator, host) = try await world.startEmulator("--tls")
        let authority = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
        var environment = world.environment(host)
        let stranger = try await HeraldProcess.run(
            ["-w", world.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(stranger.status == 4)
        environment["FCM_EMULATOR_CA"] = "\(world.folder.path)/nowhere.pem"
        let missing = try await HeraldProcess.run(
            ["-w", world.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(missing.status == 1)
        environment["FCM_EMULATOR_CA"] = authority
        let apply = try await HeraldProcess.run(
            ["-w", world.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try world.accepted(in: ["ledger.ndjson"]).count == 21)
        #expect(try world.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 == 1 })
        await world.end()
    }

    @Test func `an emulator ends when told so, and tells why it cannot begin`() async throws {
        let world = try World(Self.files)
        let (emulator, host) = try await world.startEmulator()
        let taken = try await HeraldProcess.run(["emulator", "--port", "\(try World.port(of: host))"])
        #expect(taken.status == 1)
        #expect(taken.errors.contains("cannot listen on 127.0.0.1"))
        let unwritable = try await HeraldProcess.run(["emulator", "--ledger", "/nowhere/ledger.ndjson"])
        #expect(unwritable.status == 1)
        #expect(unwritable.errors.contains("cannot open the ledger"))
        emulator.signal(SIGTERM)
        #expect(await emulator.wait().status == 0)
    }

    @Test func `another time than now is for this machine only`() async throws {
        let world = try World(Self.files)
        try world.folder.write("herald: 1\nproject: demo-project\n", to: "workspace/herald.yaml")
        let apply = try await world.herald("apply", "--auto-approve", "--at", "2026-12-01T08:00:00Z", host: nil)
        #expect(apply.status == 64)
        #expect(apply.errors.contains("--at is for a dry run or an endpoint on this machine"))
        #expect(try await world.herald("plan", "--at", "2026-12-01T08:00:00Z", host: nil).status == 0)
    }

    @Test func `an empty HERALD_STATE is none`() async throws {
        let world = try World(Self.files)
        let environment = ["HERALD_STATE": "", "FCM_EMULATOR_HOST": "127.0.0.1:9"]
        let result = try await HeraldProcess.run(["-w", world.workspace, "state", "show"], environment: environment)
        #expect(result.errors.contains("\(world.workspace)/.herald/state.sqlite"), "\(result.errors)")
    }

    @Test func `a send in the future waits, a late one is missed once`() async throws {
        let world = try World([
            "workspace/herald.yaml": World.settings,
            "workspace/resources.yaml": """
            kind: audience
            name: all
            fids: [\(Registration.fid(1).rawValue)]
            ---
            kind: campaign
            name: timed
            target: {audience: all}
            message: {data: {a: b}}
            schedule: {at: 2026-12-01T09:00:00+01:00, max_lateness: 1h}

            """,
        ])
        let (_, host) = try await world.startEmulator()
        let early = try await world.herald("apply", "--auto-approve", "--at", "2026-12-01T07:59:00Z", host: host)
        #expect(early.status == 0, "\(early.errors)")
        #expect(early.output.contains("timed@2026-12-01T08:00:00Z"))
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        let late = try await world.herald("apply", "--auto-approve", "--at", "2026-12-01T09:00:01Z", host: host)
        #expect(late.status == 4)
        let after = try await world.herald("apply", "--auto-approve", "--at", "2026-12-01T09:10:00Z", host: host)
        #expect(after.status == 0)
        #expect(try world.accepted(in: ["ledger.ndjson"]).isEmpty)
        await world.end()
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func `a signal lets what is under way end, starts nothing more, and the next apply goes on`(
        _ signal: Int32, _ status: Int32
    ) async throws {
        let world = try World(World.small(count: 150, subscribers: 0))
        let (_, host) = try await world.startEmulator()
        let port = try #require(host.split(separator: ":").last.flatMap { Int($0) })
        let process = Later<ChildProcess>()
        // The proxy passes nothing on after it has acted; what was under way then ends with its connection.
        let proxy = try InterruptingProxy(serverPort: port, trigger: (.afterAnswer, 70)) {
            process.value.signal(signal)
        }
        proxy.start()
        let report = "\(world.folder.path)/report.json"
        process.value = try HeraldProcess.start(
            ["-w", world.workspace, "apply", "--auto-approve", "--report", report],
            environment: world.environment("127.0.0.1:\(proxy.port)"))
        let stopped = await process.value.wait()
        proxy.stop()
        #expect(stopped.status == status, "\(stopped.output)\(stopped.errors)")
        #expect(stopped.errors.contains("a second signal stops at once\n"))
        #expect(Account(try world.report()).addsUp)
        #expect(try world.report()["result"]?.string == "interrupted")
        #expect(Account(try world.report()).pending > 0)
        let unknown = Account(try world.report(), steps: "send:").unknown

        // What a person stopped stays so until that person says otherwise; what the machine stopped goes on.
        if signal == SIGINT {
            let before = try world.accepted(in: ["ledger.ndjson"])
            let held = try await world.herald("apply", "--auto-approve", host: host)
            #expect(held.status == 0, "\(held.output)\(held.errors)")
            #expect(held.output.contains("the campaign is paused"))
            #expect(try world.accepted(in: ["ledger.ndjson"]).count == before.count)
            #expect(try await world.herald("resume", host: host).status == 0)
        }
        let next = try await world.herald("apply", "--auto-approve", host: host)
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        let accepted = try world.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect(accepted.count >= 151 - unknown)
        await world.end()
    }

    @Test func `a second signal does not wait, and what was under way is unknown`() async throws {
        let world = try World(World.small(count: 150, subscribers: 0))
        try world.folder.write(
            #"[{"match": {"service": "send", "after": 40}, "do": {"delay_ms": 20000}}]"#, to: "faults.json")
        let (_, host) = try await world.startEmulator("--faults", "\(world.folder.path)/faults.json")
        let control = try Control(host)
        let report = "\(world.folder.path)/report.json"
        let herald = try HeraldProcess.start(
            ["-w", world.workspace, "apply", "--auto-approve", "--report", report],
            environment: world.environment(host))
        // Until all have left that can be under way at once, some of which nobody answers.
        while try await control.requests().count < 50 {}
        herald.signal(SIGTERM)
        while !(await herald.errorLine()).contains("a second signal stops at once") {}
        // What comes within a tenth of a second counts as one.
        let told = ContinuousClock.now
        while ContinuousClock.now < told + .milliseconds(150) { _ = try await control.requests() }
        herald.signal(SIGTERM)
        let stopped = await herald.wait()
        #expect(stopped.status == 143, "\(stopped.output)\(stopped.errors)")
        #expect(ContinuousClock.now - told < .seconds(10), "it did not wait for the answers")
        let account = Account(try world.report(), steps: "send:")
        #expect(account.addsUp)
        #expect(account.accepted == 40)
        #expect(account.unknown > 0)
        #expect(account.pending > 0)
        #expect(try world.report()["result"]?.string == "interrupted")
        await world.end()
    }

    @Test func `registrations appear nowhere unless asked for`() async throws {
        let world = try World(Self.files)
        let (_, host) = try await world.startEmulator()
        let report = "\(world.folder.path)/report.json"
        let receipts = "\(world.folder.path)/receipts.ndjson"
        let apply = try await world.herald(
            "apply", "--auto-approve", "--report", report, "--receipts", receipts, host: host)
        let plan = try await world.herald("plan", "--format", "json", host: host)
        let state = try await world.herald("state", "show", host: host)
        let shown = [apply.output, apply.errors, plan.output, state.output, try world.folder.read("report.json")]
        let registration = Registration.fid(1).rawValue
        #expect(shown.allSatisfy { !$0.contains(registration) })
        let lines = try world.folder.read("receipts.ndjson").split(separator: "\n")
        #expect(lines.count == 21)
        #expect(lines.allSatisfy { !$0.contains(registration) })
        await world.end()
    }
}
