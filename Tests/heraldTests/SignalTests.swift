import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

/// Signals to an apply, through the built program.
@Suite struct SignalTests {
    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143)), (SIGHUP, Int32(129))])
    func `a signal lets what is under way end, starts nothing more, and the next apply goes on`(
        _ signal: Int32, _ status: Int32
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 150, subscribers: 0))
        let (_, host) = try await sandbox.startEmulator()
        let port = try #require(host.split(separator: ":").last.flatMap { Int($0) })
        let process = Later<ChildProcess>()
        // The proxy forwards nothing after it has acted. Requests in flight then end with their connection.
        let proxy = try InterruptingProxy(serverPort: port, trigger: (.afterAnswer, 70)) {
            process.value.signal(signal)
        }
        proxy.start()
        let report = "\(sandbox.folder.path)/report.json"
        process.value = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report],
            environment: sandbox.environment("127.0.0.1:\(proxy.port)"))
        let stopped = await process.value.wait()
        proxy.stop()
        #expect(stopped.status == status, "\(stopped.output)\(stopped.errors)")
        #expect(stopped.errors.contains("a second signal stops at once\n"))
        #expect(Account(try sandbox.report()).addsUp)
        #expect(try sandbox.report()["result"]?.string == "interrupted")
        #expect(Account(try sandbox.report()).pending > 0)
        let unknown = Account(try sandbox.report(), steps: "send:").unknown

        // What a person stopped stays stopped until they resume it. What the machine stopped goes on.
        if signal == SIGINT {
            let before = try sandbox.accepted(in: ["ledger.ndjson"])
            let held = try await sandbox.herald("apply", "--auto-approve", host: host)
            #expect(held.status == 0, "\(held.output)\(held.errors)")
            #expect(held.output.contains("the campaign is paused"))
            #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == before.count)
            #expect(try await sandbox.herald("resume", host: host).status == 0)
        }
        let next = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect(accepted.count >= 151 - unknown)
        await sandbox.end()
    }

    @Test func `a second signal does not wait, and what was under way is unknown`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 150, subscribers: 0))
        try sandbox.folder.write(
            #"[{"match": {"service": "send", "after": 40}, "do": {"delay_ms": 20000}}]"#, to: "faults.json")
        let (_, host) = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/faults.json")
        let control = try Control(host)
        let report = "\(sandbox.folder.path)/report.json"
        let herald = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report],
            environment: sandbox.environment(host))
        // Waits until the window is full of requests, some of which get no answer.
        while try await control.requests().count < 50 {}
        herald.signal(SIGTERM)
        while !(await herald.errorLine()).contains("a second signal stops at once") {}
        // Signals within a tenth of a second count as one.
        let told = ContinuousClock.now
        while ContinuousClock.now < told + .milliseconds(150) { _ = try await control.requests() }
        herald.signal(SIGTERM)
        let stopped = await herald.wait()
        #expect(stopped.status == 143, "\(stopped.output)\(stopped.errors)")
        #expect(ContinuousClock.now - told < .seconds(10), "it did not wait for the answers")
        let account = Account(try sandbox.report(), steps: "send:")
        #expect(account.addsUp)
        #expect(account.accepted == 40)
        #expect(account.unknown > 0)
        #expect(account.pending > 0)
        #expect(try sandbox.report()["result"]?.string == "interrupted")
        await sandbox.end()
    }

    @Test func `under nohup the end of the terminal stops nothing`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 150, subscribers: 0))
        let (_, host) = try await sandbox.startEmulator()
        let process = Later<ChildProcess>()
        let server = try Sandbox.port(of: host)
        let relay = try Relay(serverPort: server)
        let answers = Mutex(0)
        relay.start { piece, forward in
            if piece.isHead, !piece.isRequest,
                answers.withLock({
                    $0 += 1; return $0
                }) == 70
            {
                process.value.signal(SIGHUP)
            }
            return forward()
        }
        // As nohup does: the signal is ignored, and stays so in the program.
        let command = "trap '' HUP; exec \(HeraldProcess.program) -w \(sandbox.workspace) apply --auto-approve"
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
        process.value = try ChildProcess(
            "/bin/sh", ["-c", command],
            environment: inherited.merging(sandbox.environment("127.0.0.1:\(relay.port)")) { _, new in new })
        let ended = await process.value.wait()
        relay.stop()
        #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 151)
        await sandbox.end()
    }

    enum MuteServer: CaseIterable, Sendable {
        case forTokens, forSends
    }

    /// The server takes connections and never shakes hands.
    @Test(arguments: MuteServer.allCases)
    func `a second signal ends the waiting for a server, and nothing that has not left is unknown`(
        _ mute: MuteServer
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 0))
        let (emulator, host) = try await sandbox.startEmulator("--tls")
        let authority = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
        let silent = try Relay(serverPort: 9)
        let relay = try Relay(serverPort: silent.port)
        let (hellos, hello) = AsyncStream<Void>.makeStream()
        relay.start { _, forward in
            hello.yield()
            return forward()
        }
        let muteHost = "https://127.0.0.1:\(relay.port)"
        try sandbox.folder.write(
            """
            herald: 1
            project: demo-project
            fcm:
              endpoint: \(mute == .forSends ? muteHost : host)
              ca: \(authority)
              credentials: ../key.json

            """, to: "workspace/herald.yaml")
        try sandbox.folder.write(
            try ServiceAccountKey.file(tokens: "\(mute == .forTokens ? muteHost : host)/token"), to: "key.json")
        let report = "\(sandbox.folder.path)/report.json"
        let herald = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--campaign", "to-all", "--report", report],
            environment: sandbox.environment(nil))
        for await _ in hellos { break }
        herald.signal(SIGTERM)
        while !(await herald.errorLine()).contains("a second signal stops at once") {}
        // Signals within a tenth of a second count as one.
        let told = ContinuousClock.now
        while ContinuousClock.now < told + .milliseconds(150) { await Task.yield() }
        herald.signal(SIGTERM)
        let stopped = await herald.wait()
        relay.stop()
        silent.stop()
        #expect(stopped.status == 143, "\(stopped.output)\(stopped.errors)")
        // A connection may take ten seconds, a token 45.
        #expect(ContinuousClock.now - told < .seconds(8), "it did not wait for the server")
        let account = Account(try sandbox.report(), steps: "send:")
        #expect(account.addsUp)
        #expect((account.unknown, account.pending) == (0, 20))
        await sandbox.end()
    }
}
