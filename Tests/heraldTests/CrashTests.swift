import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Promises 1 and 2 (docs/explanation/promises.md#promises) when herald is killed. The emulator's ledger shows what was
/// accepted.
@Suite struct CrashTests {
    private static let recipients = 150
    private static let subscribers = 60
    /// One send to each recipient, which waits for nothing; the subscriptions; one send to the topic.
    private static let requests = recipients + subscribers + 1

    /// Twenty moments spread over the run, drawn with a fixed seed.
    static let points: [(moment: InterruptingProxy.Moment, number: Int)] = {
        var random = SeededRandom(seed: 20_261_121)
        return (0..<20).map { index in
            let share = requests / 20
            let number = 1 + index * share + Int.random(in: 0..<share, using: &random)
            return (InterruptingProxy.Moment.allCases[index % 3], number)
        }
    }()

    @Test(arguments: points)
    func `after kill -9 the next apply completes what is missing, and nobody is accepted twice`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: Self.recipients, subscribers: Self.subscribers))
        let (_, host) = try await sandbox.startEmulator()
        try await sandbox.applyAndDie(at: (moment, number), of: host)

        let second = try await sandbox.herald(
            "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/second.json", host: host)
        let report = try sandbox.report("second.json")
        #expect(Account(report).addsUp)
        #expect(Account(report).pending == 0)
        let unknown = Account(report, steps: "send:").unknown
        #expect(unknown <= Sandbox.inFlight)
        #expect(second.status == (unknown > 0 ? 6 : 0), "\(second.output)\(second.errors)")

        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, "somebody was accepted twice")
        // Every recipient that is not in the ledger is unknown: none is missing silently.
        let everybody = Self.recipients + 1
        #expect(accepted.count <= everybody && accepted.count >= everybody - unknown)

        let third = try await sandbox.herald("plan", "--detailed-exitcode", host: host)
        #expect(third.status == 0, "a plan after it shows no changes: \(third.output)")
        await sandbox.end()
    }

    @Test(arguments: [
        (InterruptingProxy.Moment.beforeRequest, 20), (.beforeAnswer, 45), (.beforeRequest, 151), (.beforeAnswer, 170),
        (.afterAnswer, 200), (.beforeRequest, requests), (.beforeAnswer, requests),
    ])
    func `when the emulator dies the report adds up, and the next apply completes what is missing`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: Self.recipients, subscribers: Self.subscribers))
        let (emulator, host) = try await sandbox.startEmulator(ledger: "first.ndjson")
        let proxy = try InterruptingProxy(serverPort: Sandbox.port(of: host), trigger: (moment, number)) {
            emulator.signal(SIGKILL)
        }
        proxy.start()
        let report = "\(sandbox.folder.path)/report.json"
        let first = try await sandbox.herald(
            "apply", "--auto-approve", "--report", report, host: "127.0.0.1:\(proxy.port)")
        proxy.stop()
        let account = Account(try sandbox.report())
        #expect(account.addsUp)
        let unknown = Account(try sandbox.report(), steps: "send:").unknown
        #expect(first.status == (unknown > 0 ? 6 : 4), "\(first.output)\(first.errors)")
        #expect(!first.wasKilled)

        let (_, newHost) = try await sandbox.startEmulator(ledger: "second.ndjson")
        let second = try await sandbox.herald("apply", "--auto-approve", "--report", report, host: newHost)
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        let rest = Account(try sandbox.report())
        #expect(rest.planned == account.pending)
        #expect(rest.addsUp)

        let accepted = try sandbox.accepted(in: ["first.ndjson", "second.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, "somebody was accepted twice")
        let everybody = Self.recipients + 1
        #expect(accepted.count <= everybody && accepted.count >= everybody - unknown)
        await sandbox.end()
    }
}

extension Sandbox {
    /// An apply that is killed at one exact moment.
    func applyAndDie(at point: (moment: InterruptingProxy.Moment, number: Int), of host: String) async throws {
        let herald = Later<ChildProcess>()
        let proxy = try InterruptingProxy(serverPort: Sandbox.port(of: host), trigger: point) {
            herald.value.signal(SIGKILL)
        }
        proxy.start()
        herald.value = try HeraldProcess.start(
            ["-w", workspace, "apply", "--auto-approve", "--report", "\(folder.path)/first.json"],
            environment: environment("127.0.0.1:\(proxy.port)"))
        let result = await herald.value.wait()
        proxy.stop()
        #expect(result.wasKilled, "it was to be killed at \(point): \(result.output)\(result.errors)")
        #expect(Account(try report("first.json")).addsUp)
    }
}
