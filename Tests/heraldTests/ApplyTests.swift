import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// `apply` through the built program: what it does, asks, refuses and shows.
@Suite struct ApplyTests {
    private static let files = Sandbox.small(count: 20, subscribers: 12)

    @Test func `apply then plan shows no changes, and apply again does nothing`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 2)
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 21)
        let again = try await sandbox.herald("apply", host: host)
        #expect(again.status == 0)
        #expect(again.output.contains("Nothing to do"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == accepted)
        await sandbox.end()
    }

    @Test func `without a terminal apply wants approval, and without it does nothing`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let result = try await sandbox.herald("apply", host: host)
        #expect(result.status == 1)
        #expect(result.errors.contains("--auto-approve"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        await sandbox.end()
    }

    /// A text is corrected, or a person leaves the list, while a person reads the plan.
    @Test(arguments: [
        ("resources.yaml", "To each of you", "Something else"), ("all.txt", Registration.fid(5).rawValue, ""),
    ])
    func `what changed before the answer is not done, and the next apply does it`(
        _ file: String, _ before: String, _ after: String
    ) async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let apply = { (terminal: TestTerminal) in
            try HeraldProcess.start(
                ["-w", sandbox.workspace, "apply"], environment: sandbox.environment(host), at: terminal)
        }
        let terminal = try TestTerminal()
        let asking = try apply(terminal)
        // The plan is there, so the files have been read.
        _ = await asking.firstLine()
        let text = try sandbox.folder.read("workspace/\(file)")
        try sandbox.folder.write(text.replacing(before, with: after), to: "workspace/\(file)")
        terminal.type("yes")
        let ended = await asking.wait()
        #expect(ended.status == 1, "\(ended.output)\(ended.errors)")
        #expect(ended.errors.contains("changed while this waited for your answer"), "\(ended.errors)")
        #expect(try await Control(host).requests().isEmpty)
        // Nothing changes any more.
        terminal.type("yes")
        let again = try apply(terminal)
        let next = await again.wait()
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == (file == "all.txt" ? 20 : 21))
        await sandbox.end()
    }

    @Test func `a dry run sends nothing and leaves the state as it is`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let report = "\(sandbox.folder.path)/report.json"
        let dry = try await sandbox.herald("apply", "--dry-run", "--sample", "5", "--report", report, host: host)
        #expect(dry.status == 0, "\(dry.output)\(dry.errors)")
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        let account = try sandbox.report()
        // Twelve subscriptions and fifteen of twenty recipients are left out. Five recipients and the topic are
        // checked.
        #expect(account["dry_run"] == true)
        #expect(account["summary"]?["skipped"] == 27)
        #expect(account["summary"]?["accepted"] == 6)

        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let before = try await sandbox.herald("state", "show", "--format", "json", host: host).output
        #expect(try await sandbox.herald("apply", "--dry-run", host: host).status == 0)
        #expect(try await sandbox.herald("state", "show", "--format", "json", host: host).output == before)
        await sandbox.end()
    }

    @Test func `a state serves one project and one kind of endpoint`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        try sandbox.folder.write("herald: 1\nproject: other-project\n", to: "workspace/herald.yaml")
        let other = try await sandbox.herald("plan", host: host)
        #expect(other.status == 1)
        #expect(other.errors.contains("belongs to project 'demo-project'"))
        try sandbox.folder.write("herald: 1\nproject: demo-project\n", to: "workspace/herald.yaml")
        let production = try await sandbox.herald("plan", host: nil)
        #expect(production.status == 1)
        #expect(production.errors.contains("at emulator"))
        await sandbox.end()
    }

    @Test func `a guard refuses everything until it is overridden`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        // Seven of twelve leave: more than 30 %.
        let five = (1...5).map { Registration.fid($0).rawValue }.joined(separator: "\n")
        try sandbox.folder.write(five, to: "workspace/some.txt")
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 3)
        let refused = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(refused.status == 3)
        #expect(refused.errors.contains("--override max_unsubscribe_percent=news"))
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 3)
        let allowed = try await sandbox.herald(
            "apply", "--auto-approve", "--override", "max_unsubscribe_percent=news", host: host)
        #expect(allowed.status == 0, "\(allowed.errors)")
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a state that another run has is left alone`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let lock = try RunLock(for: sandbox.statePath, run: "the-other-one")
        let result = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(result.status == 5)
        #expect(result.errors.contains("the-other-one"))
        withExtendedLifetime(lock) {}
        await sandbox.end()
    }

    @Test func `receipts that cannot be written stop an apply before it begins`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let result = try await sandbox.herald(
            "apply", "--auto-approve", "--receipts", "/nowhere/receipts.ndjson", host: host)
        #expect(result.status == 1)
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        await sandbox.end()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["--receipts", "--events"])
    func `lines that are lost are told once, and change nothing of the run`(_ option: String) async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        let command = option == "--events" ? "run" : "apply --auto-approve"
        let result = try await sandbox.herald("\(command) --quiet \(option) /dev/full", host: host)
        #expect(result.status == 0)
        let told = "herald: not all \(option.dropFirst(2)) could be written to /dev/full\n"
        #expect(result.errors.ranges(of: told).count == 1, "\(result.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        await sandbox.end()
    }

    @Test func `without an answer an apply gives up and says so, and a later one does it`() async throws {
        let sandbox = try Sandbox(Self.files)
        let report = "\(sandbox.folder.path)/report.json"
        let result = try await sandbox.herald("apply", "--auto-approve", "--report", report, host: "127.0.0.1:9")
        #expect(result.status == 4)
        #expect(result.errors.contains("herald: http://127.0.0.1:9: the endpoint cannot be reached"))
        #expect(result.errors.contains("\n  help: is 'herald emulator' running there?\n"))
        #expect(Account(try sandbox.report()).pending == 33)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        await sandbox.end()
    }

    @Test func `a send in the future waits, a late one is missed once`() async throws {
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings,
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
        let (_, host) = try await sandbox.startEmulator()
        let early = try await sandbox.herald("apply", "--auto-approve", "--at", "2026-12-01T07:59:00Z", host: host)
        #expect(early.status == 0, "\(early.errors)")
        #expect(early.output.contains("Tue 2026-12-01 08:00 UTC  timed, to audience all"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        let late = try await sandbox.herald("apply", "--auto-approve", "--at", "2026-12-01T09:00:01Z", host: host)
        #expect(late.status == 4)
        let after = try await sandbox.herald("apply", "--auto-approve", "--at", "2026-12-01T09:10:00Z", host: host)
        #expect(after.status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        await sandbox.end()
    }

    /// Recurring campaigns count from there; whatever else comes is for runs, which make no state.
    @Test(arguments: [
        "schedule: {at: 2199-12-01T09:00:00Z}", "schedule: {cron: \"0 9 1 1 *\"}", "enabled: false",
    ])
    func `the first apply makes the state that runs need, also with nothing to do`(_ rest: String) async throws {
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings,
            "workspace/resources.yaml": """
            kind: campaign
            name: timed
            target: {fids: [\(Registration.fid(1).rawValue)]}
            message: {data: {a: b}}
            \(rest)

            """,
        ])
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--dry-run", host: host).status == 0)
        // There is no terminal to ask on.
        #expect(try await sandbox.herald("apply", host: host).status == 1)
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        let first = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        #expect(first.errors.contains("herald: made the state "), "\(first.errors)")
        let run = try await sandbox.herald("run", host: host)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(try await sandbox.herald("status", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a saved plan with nothing to do makes it, too`() async throws {
        let sandbox = try Sandbox(["workspace/herald.yaml": Sandbox.settings])
        let (_, host) = try await sandbox.startEmulator()
        let path = "\(sandbox.folder.path)/plan.json"
        #expect(try await sandbox.herald("plan", "--out", path, host: host).status == 0)
        let applied = try await sandbox.herald("apply", path, host: host)
        #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `plan and apply agree on the last moment`() async throws {
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings,
            "workspace/resources.yaml": """
            kind: campaign
            name: timed
            target: {fids: [\(Registration.fid(1).rawValue)]}
            message: {data: {a: b}}
            schedule: {at: 2026-12-01T09:00:00+01:00, max_lateness: 1h}

            """,
        ])
        let (_, host) = try await sandbox.startEmulator()
        let plan = try await sandbox.herald("plan", "--at", "2026-12-01T09:00:00Z", host: host)
        #expect(plan.output.contains("> send  timed@2026-12-01T08:00:00Z"), "\(plan.output)\(plan.errors)")
        let apply = try await sandbox.herald("apply", "--auto-approve", "--at", "2026-12-01T09:00:00Z", host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.map { $0 } == [1])
        await sandbox.end()
    }

    @Test func `registrations appear nowhere unless asked for`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let report = "\(sandbox.folder.path)/report.json"
        let receipts = "\(sandbox.folder.path)/receipts.ndjson"
        let apply = try await sandbox.herald(
            "apply", "--auto-approve", "--report", report, "--receipts", receipts, host: host)
        let plan = try await sandbox.herald("plan", "--format", "json", host: host)
        let state = try await sandbox.herald("state", "show", host: host)
        let shown = [apply.output, apply.errors, plan.output, state.output, try sandbox.folder.read("report.json")]
        let registration = Registration.fid(1).rawValue
        #expect(shown.allSatisfy { !$0.contains(registration) })
        let lines = try sandbox.folder.read("receipts.ndjson").split(separator: "\n")
        #expect(lines.count == 21)
        #expect(lines.allSatisfy { !$0.contains(registration) })
        await sandbox.end()
    }
}
