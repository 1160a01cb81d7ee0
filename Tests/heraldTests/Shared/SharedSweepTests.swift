import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// Promises 1 and 2 (docs/promises.md#promises) on PostgreSQL: herald is killed before and after each piece that it
/// sends to the server. Every commit is one piece. Later runs go on until nothing is left to do. Then what the emulator
/// accepted is compared with the state and all reports.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct SharedSweepTests {
    private static let drawn = SweepWorkspace(seed: 20_261_121, isPlain: true)

    private struct Scene {
        let sandbox: Sandbox
        let proxy: PostgresProxy
        /// Of the server itself.
        let address: String
        let host: String

        /// - Parameter cluster: a server of its own instead of the one that all tests share.
        init(_ cluster: PostgresCluster? = nil) async throws {
            let database: (name: String, address: String)
            if let cluster {
                database = ("postgres", "postgresql://herald@/postgres?host=\(cluster.folder)")
            } else {
                database = try await PostgresTestServer.newDatabase()
            }
            proxy = try PostgresProxy(to: cluster?.folder)
            (sandbox, address) = try await Sandbox.shared(
                SharedSweepTests.drawn.files, database: database, through: proxy)
            host = try await sandbox.startEmulator().host
            let made = try await sandbox.herald("state init")
            try #require(made.status == 0, "\(made.errors)")
        }

        func apply(_ arguments: String...) throws -> ChildProcess {
            try HeraldProcess.start(
                ["-w", sandbox.workspace] + (arguments.isEmpty ? ["apply", "--auto-approve"] : arguments),
                environment: sandbox.environment(host))
        }

        func store() async throws -> any StateStore {
            let address = try PostgresAddress(
                PostgresSettings(address: address), isFromFile: false, environment: [:])
            return try await StateDatabase(
                address.server, StateBinding(project: "demo-project", endpoint: .emulator, workspace: "tide"),
                folder: "/none"
            ) { _ in }.open(for: .inspecting)
        }

        /// Runs until nothing is left to do, and what broke a promise then.
        func problems(isAccountWhole: Bool) async throws -> [String] {
            for _ in 0..<5 {
                let result = try await sandbox.herald("apply --auto-approve", host: host)
                guard !result.wasKilled, [0, 4, 6].contains(result.status) else {
                    return ["a run after it ended with \(result.status): \(result.errors)"]
                }
                if try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0 {
                    let witness = try await Witness(
                        sandbox, host, of: try await store(), reports: "workspace/.herald/runs")
                    return try await witness.problems(
                        with: SharedSweepTests.drawn, repeats: [:], isAccountWhole: isAccountWhole)
                }
            }
            return ["after 5 runs there is still something to do"]
        }
    }

    private static func inScene<Value>(
        _ cluster: PostgresCluster? = nil, _ body: (Scene) async throws -> Value
    ) async throws -> Value {
        let scene = try await Scene(cluster)
        let result: Result<Value, any Error>
        do { result = .success(try await body(scene)) } catch { result = .failure(error) }
        await scene.sandbox.end()
        return try result.get()
    }

    @Test func `wherever a run is killed, whatever is sent is sent once and accounted for`() async throws {
        let (first, last) = try await Self.inScene { scene in
            let first = scene.proxy.pieces
            _ = await (try scene.apply()).wait()
            return (first, scene.proxy.pieces)
        }
        #expect(last - first > 30, "a run that talks so little meets no commit points")
        // The renewals of the lease come between, so that a number is no certain commit point. Half are met before.
        let step = max(1, (last - first) / 24)
        for piece in stride(from: first + 1, through: last, by: step) {
            let problems = try await Self.inScene { scene in
                let herald = Later<ChildProcess>()
                let before = scene.proxy.pieces
                scene.proxy.act(at: before + piece - first, before: piece % 2 == 0) { herald.value.signal(SIGKILL) }
                herald.value = try scene.apply()
                let result = await herald.value.wait()
                guard result.wasKilled || [0, 4, 6].contains(result.status) else { return ["exit \(result.status)"] }
                if try await !scene.sandbox.herald("state lock").output.hasPrefix("no run") {
                    let run = try await scene.sandbox.holder()
                    let unlocked = try await scene.sandbox.herald("state unlock \(run) --auto-approve")
                    guard unlocked.status == 0 else { return ["unlock: \(unlocked.errors)"] }
                }
                return try await scene.problems(isAccountWhole: !result.wasKilled)
            }
            #expect(problems.isEmpty, "killed \(piece % 2 == 0 ? "before" : "after") piece \(piece - first)")
        }
    }

    /// Silence is met where it ends sooner, in `PostgresFaultTests`.
    @Test(arguments: [PostgresProxy.Fault.cutBefore, .cutPromptly, .cutAfter, .cutInAnswer, .delay])
    func `a connection that fails at any moment changes nothing of that`(_ fault: PostgresProxy.Fault) async throws {
        for piece in [6, 14, 25] {
            let problems = try await Self.inScene { scene in
                scene.proxy.arm(fault, after: piece)
                let result = await (try scene.apply()).wait()
                guard !result.wasKilled, [0, 1, 4, 6].contains(result.status) else {
                    return ["exit \(result.status): \(result.errors)"]
                }
                // A lease that could not be given back.
                if try await !scene.sandbox.herald("state lock").output.hasPrefix("no run") {
                    let run = try await scene.sandbox.holder()
                    _ = try await scene.sandbox.herald("state unlock \(run) --auto-approve")
                }
                return try await scene.problems(isAccountWhole: true)
            }
            #expect(problems.isEmpty, "\(fault) at piece \(piece)")
        }
    }

    @Test func `a run that is stopped beyond its lease sends nothing more when it goes on`() async throws {
        let problems = try await Self.inScene { scene in
            let (stopped, pieces) = (Later<ChildProcess>(), scene.proxy.pieces)
            // In the middle of its sends.
            scene.proxy.act(at: pieces + 45, before: false) { stopped.value.signal(SIGSTOP) }
            stopped.value = try scene.apply()
            try await scene.sandbox.eventually { scene.proxy.pieces >= pieces + 45 }
            // The other one waits until the lease has ended, and does the rest.
            let next = await (try scene.apply("run", "--if-locked", "wait=60s")).wait()
            guard [0, 6].contains(next.status) else { return ["the next run: \(next.status) \(next.errors)"] }
            let accepted = try scene.sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +)
            stopped.value.signal(SIGCONT)
            let ended = await stopped.value.wait()
            guard [4, 6].contains(ended.status), ended.errors.contains("lost the lock") else {
                return ["the stopped one: \(ended.status) \(ended.errors)"]
            }
            // Only what was on its way may still have come.
            let late = try scene.sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) - accepted
            guard late <= Sandbox.inFlight else { return ["\(late) came after the lease was lost"] }
            return try await scene.problems(isAccountWhole: false)
        }
        #expect(problems.isEmpty)
    }

    @Test func `a database that crashes and comes back costs nobody anything`() async throws {
        for piece in [8, 20, 30] {
            let cluster = try await PostgresCluster()
            let problems = try await Self.inScene(cluster) { scene in
                let before = scene.proxy.pieces
                let run = try scene.apply()
                try await scene.sandbox.eventually { scene.proxy.pieces >= before + piece }
                try await cluster.stop()
                try await cluster.start()
                let ended = await run.wait()
                guard ended.status == 0 else { return ["exit \(ended.status): \(ended.output)\(ended.errors)"] }
                return try await scene.problems(isAccountWhole: true)
            }
            #expect(problems.isEmpty, "at piece \(piece)")
        }
    }

    @Test func `two that run at an interval take turns, and a campaign that comes due is sent once`() async throws {
        let problems = try await Self.inScene { scene in
            let both = [
                try scene.apply("run", "--every", "1s", "--if-locked", "skip"),
                try scene.apply("run", "--every", "1s", "--if-locked", "wait=30s"),
            ]
            try await scene.sandbox.eventually {
                (try scene.sandbox.folder.read("ledger.ndjson")).split(separator: "\n").count
                    >= Self.drawn.sendings.reduce(0) { $0 + $1.recipients.count }
            }
            for run in both { run.signal(SIGTERM) }
            for run in both {
                let ended = await run.wait()
                guard ended.status == 143 else { return ["exit \(ended.status): \(ended.errors)"] }
            }
            return try await scene.problems(isAccountWhole: true)
        }
        #expect(problems.isEmpty)
    }
}
