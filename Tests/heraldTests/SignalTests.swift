import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Signals to an apply, through the built program.
@Suite struct SignalTests {
    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
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
}
