import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// Every exit code (docs/explanation/promises.md#exit-codes), from the built program, in situations that users meet.
/// Other tests show 2, 7 and 64, and how `apply` refuses and is stopped: `ApplyTests`, `SavedPlanTests`, `SignalTests`
/// and `CrashTests`.
@Suite struct ExitStatusTests {
    /// A workspace whose state knows one apply, and what happens next.
    private struct Scene {
        let sandbox: Sandbox
        let host: String

        init() async throws {
            sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
            host = try await sandbox.startEmulator().host
            let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
            try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        }

        /// Seven of twelve would leave, more than the guard allows.
        func shrinkTopic() throws {
            let five = (1...5).map { Registration.fid($0).rawValue }.joined(separator: "\n")
            try sandbox.folder.write(five, to: "workspace/some.txt")
        }

        /// The message to the twenty is due once more.
        func sendAgain() throws {
            let text = try sandbox.folder.read("workspace/resources.yaml")
            try sandbox.folder.write(
                text.replacing("name: to-all\n", with: "name: to-all\nrevision: 2\ndelivery: {rate: 100/s}\n"),
                to: "workspace/resources.yaml")
        }

        /// FCM rejects two of them, for a reason other than a dead registration.
        func refuseTwo() async throws {
            try await Control(host).put([.fid(3), .fid(4)], state: "other_sender")
        }
    }

    @Test(arguments: ["apply --auto-approve", "run", "test to-all --audience all"])
    func `0 when all went well, 4 when FCM refused somebody`(_ command: String) async throws {
        let scene = try await Scene()
        try scene.sendAgain()
        try await scene.refuseTwo()
        let refused = try await scene.sandbox.herald(command, host: scene.host)
        #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
        #expect(refused.output.contains("2 × SENDER_ID_MISMATCH"))
        #expect(refused.errors.contains(": 2 rejected, "), "\(refused.errors)")
        #expect(refused.errors.contains("\n  help: 'herald explain SENDER_ID_MISMATCH'"), "\(refused.errors)")
        #expect(refused.errors.contains("; 'herald report /"), "\(refused.errors)")
        try await Control(scene.host).put([.fid(3), .fid(4)], state: "active")
        let again = try await scene.sandbox.herald(command, host: scene.host)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        await scene.sandbox.end()
    }

    @Test(arguments: ["apply --auto-approve", "run", "test to-all --audience all"])
    func `6 when an answer was lost, with the command that settles it`(_ command: String) async throws {
        let scene = try await Scene()
        try scene.sendAgain()
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host))
        let result = try await scene.sandbox.herald(command, host: proxy.host)
        proxy.stop()
        #expect(result.status == 6, "\(result.output)\(result.errors)")
        if !command.hasPrefix("test") {
            #expect(result.errors.contains("may or may not have got their message: to-all@once#2;"))
            // They were held before, so the run has nothing new to report.
            #expect(try await scene.sandbox.herald(command, host: scene.host).status == 0)
        }
        await scene.sandbox.end()
    }

    @Test(arguments: ["run", "plan --detailed-exitcode"])
    func `3 when a guard refuses`(_ command: String) async throws {
        let scene = try await Scene()
        try scene.shrinkTopic()
        let result = try await scene.sandbox.herald(command, host: scene.host)
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect((result.output + result.errors).contains("--override max_unsubscribe_percent=news"))
        await scene.sandbox.end()
    }

    @Test(arguments: ["run", "run --if-locked wait=100ms", "state forget \(Registration.fid(1).rawValue)"])
    func `5 when another run has the state, whose name is told`(_ command: String) async throws {
        let scene = try await Scene()
        let lock = try RunLock(for: scene.sandbox.statePath, run: "the-other-one")
        let result = try await scene.sandbox.herald(command, host: scene.host)
        #expect(result.status == 5, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("the-other-one"))
        withExtendedLifetime(lock) {}
        await scene.sandbox.end()
    }

    @Test(arguments: [
        "run --every 0s", "run --if-locked maybe", "test to-all", "test to-all --to nobody",
        "test to-all --to \(Registration.fid(1).rawValue) --audience all", "plan --days -1", "pause a b",
        "state resolve to-all@once", "state resolve to-all@once --accept --resend", "state forget nobody",
        "calendar --days 0", "emulator --port 70000", "plan --lists skip --out plan.json",
        "apply --dry-run --sample 0", "validate now",
    ])
    func `64 when the arguments are wrong`(_ command: String) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let result = try await sandbox.herald(command)
        #expect(result.status == 64, "\(result.output)\(result.errors)")
        #expect(!result.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
    }

    @Test(arguments: [
        "run", "pause", "resume to-all", "state find \(Registration.fid(1).rawValue)", "state export",
        "state rm topic:news",
        "state resolve to-all@once --accept", "state forget \(Registration.fid(1).rawValue)",
        "test nobody --audience all",
        "test to-all --audience nobody", "pause nobody",
    ])
    func `1 where there is no state, or no such thing, and nothing is made`(_ command: String) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let result = try await sandbox.herald(command)
        #expect(result.status == 1, "\(result.output)\(result.errors)")
        #expect(result.errors.hasPrefix("herald: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path) == ["workspace"])
    }

    @Test func `3 before 4: what a guard refuses comes before what FCM refuses`() async throws {
        let scene = try await Scene()
        try scene.shrinkTopic()
        try scene.sendAgain()
        try await scene.refuseTwo()
        let result = try await scene.sandbox.herald("run", host: scene.host)
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect(result.output.contains("2 × SENDER_ID_MISMATCH"))
        await scene.sandbox.end()
    }

    @Test func `6 before 3 and 4: what is unknown comes before what is refused`() async throws {
        let scene = try await Scene()
        try scene.shrinkTopic()
        try scene.sendAgain()
        try await scene.refuseTwo()
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host))
        let result = try await scene.sandbox.herald("run", host: proxy.host)
        proxy.stop()
        #expect(result.status == 6, "\(result.output)\(result.errors)")
        #expect(result.output.contains("guard max_unsubscribe_percent"))
        #expect(result.output.contains("SENDER_ID_MISMATCH"))
        await scene.sandbox.end()
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))], ["run", "test to-all --audience all"])
    func `130 or 143 before all others when a signal stops it, whatever is unknown or refused besides`(
        _ end: (signal: Int32, status: Int32), _ command: String
    ) async throws {
        let scene = try await Scene()
        if command == "run" { try scene.shrinkTopic() }
        let text = try scene.sandbox.folder.read("workspace/resources.yaml")
        let slow = text.replacing("name: to-all\n", with: "name: to-all\nrevision: 2\ndelivery: {rate: 5/s}\n")
        try scene.sandbox.folder.write(slow, to: "workspace/resources.yaml")
        let process = Later<ChildProcess>()
        let proxy = try InterruptingProxy(
            serverPort: try Sandbox.port(of: scene.host), trigger: (.beforeAnswer, 3)
        ) { process.value.signal(end.signal) }
        proxy.start()
        process.value = try HeraldProcess.start(
            ["-w", scene.sandbox.workspace] + command.split(separator: " ").map(String.init),
            environment: scene.sandbox.environment("127.0.0.1:\(proxy.port)"))
        let result = await process.value.wait()
        proxy.stop()
        #expect(result.status == end.status, "\(result.output)\(result.errors)")
        #expect(result.output.contains("unknown"))
        await scene.sandbox.end()
    }
}
