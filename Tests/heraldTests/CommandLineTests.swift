import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// How the built program reads workspaces, arguments and the environment.
@Suite struct CommandLineTests {
    private static let files = Sandbox.small(count: 20, subscribers: 12)

    @Test func `init makes a valid workspace that applies, and never overwrites`() async throws {
        let sandbox = try Sandbox([:])
        let made = try await HeraldProcess.run(["init", sandbox.workspace])
        #expect(made.status == 0, "\(made.errors)")
        let valid = try await sandbox.herald("validate")
        #expect(valid.status == 0)
        #expect(valid.output == "0 errors, 0 warnings\n")
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)

        try sandbox.folder.write("mine", to: "workspace/topics.yaml")
        let again = try await HeraldProcess.run(["init", sandbox.workspace])
        #expect(again.status == 1)
        #expect(try sandbox.folder.read("workspace/topics.yaml") == "mine")
        await sandbox.end()
    }

    @Test(arguments: [
        ("resources.yaml", "kind: topic\nname: a b\nsubscribers: []\n", "topic-name", 2),
        ("resources.yaml", "kind: campaign\nname: x\ntarget: {topic: a, audience: b}\nmessage: {}\n", "one-target", 3),
        ("resources.yaml", "kind: [\n", "yaml-syntax", 2),
        ("all.txt", "not-a-registration\n", "list-row", 1),
        ("herald.yaml", "herald: 3\nproject: p\n", "format-version", 1),
    ])
    func `bad input is a located diagnostic and exit 1, and nothing is done`(
        _ file: String, _ text: String, _ rule: String, _ line: Int
    ) async throws {
        let sandbox = try Sandbox(Self.files)
        try sandbox.folder.write(text, to: "workspace/\(file)")
        let (_, host) = try await sandbox.startEmulator()
        let validate = try await sandbox.herald("validate", "--format", "json")
        #expect(validate.status == 1)
        let found = try JSONValue(parsing: Array(validate.output.utf8))["diagnostics"]?.array ?? []
        #expect(found.contains { $0["rule"]?.string == rule && $0["line"]?.int == Int64(line) }, "\(validate.output)")
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(apply.status == 1)
        #expect(apply.errors.contains("[\(rule)]"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        await sandbox.end()
    }

    @Test(arguments: [
        ("plan --at tomorrow", Int32(64)), ("apply --override nonsense", 64), ("apply --sample 3", 64),
        ("nonsense", 64), ("validate --format yaml", 64), ("state show", 1), ("apply", 1),
        ("apply /nowhere/plan.json", 1), ("plan --campaign nobody", 1),
    ])
    func `wrong arguments and missing things exit as docs/explanation/promises.md says`(
        _ arguments: String, _ status: Int32
    ) async throws {
        let sandbox = try Sandbox(Self.files)
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace] + arguments.split(separator: " ").map(String.init),
            environment: sandbox.environment("127.0.0.1:9"))
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(!result.errors.isEmpty)
    }

    @Test func `the workspace may be named before or behind the command`() async throws {
        let sandbox = try Sandbox(Self.files)
        #expect(try await HeraldProcess.run(["-w", sandbox.workspace, "validate"]).status == 0)
        #expect(try await HeraldProcess.run(["validate", "-w", sandbox.workspace]).status == 0)
        #expect(try await HeraldProcess.run(["validate", "-w", sandbox.folder.path]).status == 1)
    }

    @Test func `another time than now is for this machine only`() async throws {
        let sandbox = try Sandbox(Self.files)
        try sandbox.folder.write("herald: 1\nproject: demo-project\n", to: "workspace/herald.yaml")
        let apply = try await sandbox.herald("apply", "--auto-approve", "--at", "2026-12-01T08:00:00Z", host: nil)
        #expect(apply.status == 64)
        #expect(apply.errors.contains("--at is for a dry run or an endpoint on this machine"))
        #expect(try await sandbox.herald("plan", "--at", "2026-12-01T08:00:00Z", host: nil).status == 0)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [
            ("plan --format json", Int32(1)), ("plan --detailed-exitcode", 2), ("validate --format sarif", 1),
            ("calendar --format ics", 1), ("state show", 1), ("state snapshot", 1),
        ])
    func `output that could not be written is no success`(_ command: String, _ status: Int32) async throws {
        let sandbox = try Sandbox(Self.files)
        #expect(try await sandbox.herald("state init").status == 0)
        let words = ["-w", sandbox.workspace] + command.split(separator: " ").map(String.init)
        let result = try await Self.herald("exec \"$0\" \"$@\" >/dev/full", words, in: sandbox)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains("herald: standard output could not be written: "), "\(result.errors)")
        #expect(result.errors.contains("\n  help: "))
    }

    @Test func `whoever closes the pipe has seen enough`() async throws {
        let sandbox = try Sandbox(Self.files)
        let script = "{ \"$0\" \"$@\"; echo $? >&2; } | :"
        let result = try await Self.herald(script, ["-w", sandbox.workspace, "plan", "--format", "json"], in: sandbox)
        #expect(result.errors.hasSuffix("0\n") && !result.errors.contains("standard output"), "\(result.errors)")
    }

    @Test(arguments: ["plan --format json", "apply --auto-approve"])
    func `whoever closes the streams wants nothing of them`(_ command: String) async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let words = ["-w", sandbox.workspace] + command.split(separator: " ").map(String.init)
        let script = "exec \"$0\" \"$@\" <&- >&-"
        let result = try await Self.herald(script, words, in: sandbox, host: host)
        #expect(result.status == 0 && !result.errors.contains("standard output"), "\(result.errors)")
        await sandbox.end()
    }

    /// Runs herald as a shell does that script.
    private static func herald(
        _ script: String, _ words: [String], in sandbox: Sandbox, host: String = "127.0.0.1:9"
    ) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            "/bin/sh", ["-c", script, HeraldProcess.program] + words, environment: sandbox.environment(host))
    }

    @Test func `a mistyped path does not change the state`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        for command in [
            "plan --out", "apply --auto-approve --report", "run --report", "run --metrics",
            "test to-all --audience some --report", "groups export --all --out", "state snapshot --out",
            "feedback --file", "apply --auto-approve --receipts", "run --events",
        ] {
            let result = try await sandbox.herald("\(command) \(sandbox.statePath)", host: host)
            #expect(result.status == 1, "\(command): \(result.output)")
            #expect(result.errors.contains(" and stays as it is\n  help: name another file"), "\(result.errors)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        #expect(try await sandbox.herald("state show --check", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `an empty HERALD_STATE is none`() async throws {
        let sandbox = try Sandbox(Self.files)
        let environment = ["HERALD_STATE": "", "FCM_EMULATOR_HOST": "127.0.0.1:9"]
        let result = try await HeraldProcess.run(["-w", sandbox.workspace, "state", "show"], environment: environment)
        #expect(result.errors.contains("\(sandbox.workspace)/.herald/state.sqlite"), "\(result.errors)")
    }
}
