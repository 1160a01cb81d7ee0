import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

/// herald with its state in PostgreSQL, as people use it.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct SharedStateTests {
    private static let recipients = 60
    private static let subscribers = 20

    private let sandbox: Sandbox

    init() throws {
        let schema = "t_\(UUID().uuidString.prefix(8).lowercased())"
        let address = "postgresql://herald@/postgres?host=\(try PostgresTestServer.running().folder)"
        var files = Sandbox.small(count: Self.recipients, subscribers: Self.subscribers)
        files["workspace/herald.yaml"] = """
            herald: 2
            project: demo-project
            workspace: tide
            state: {postgres: "\(address)", schema: \(schema)}
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, max_in_flight: \(Sandbox.inFlight)}

            """
        sandbox = try Sandbox(files, database: address)
    }

    private func herald(_ arguments: String, host: String = "127.0.0.1:9") async throws -> ChildProcess.Result {
        try await sandbox.herald(arguments, host: host)
    }

    @Test func `a state is made once, by a person`() async throws {
        let missing = try await herald("apply --auto-approve")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("'herald state init' makes one; if there was one"))
        #expect(try await herald("plan").status == 1)
        #expect(try await herald("state init").status == 0)
        let again = try await herald("state init")
        #expect(again.status == 1)
        #expect(again.errors.contains("there is a state already at postgresql://"))
        await sandbox.end()
    }

    @Test func `everything that people do with a state works`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await herald("state init").status == 0)
        #expect(try await herald("plan --detailed-exitcode", host: host).status == 2)
        let first = try await herald("apply --auto-approve", host: host)
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == Self.recipients + 1)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect(try await herald("plan --detailed-exitcode", host: host).status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(sandbox.workspace)/.herald/runs"))

        #expect(try await herald("state show --check").status == 0)
        let fid = Registration.fid(1).rawValue
        let found = try await herald("state find \(fid)")
        #expect(found.status == 0)
        #expect(found.output.contains("to-all@once") && found.output.contains("news"))
        let exported = try await herald("state export --reveal-registrations")
        #expect(exported.status == 0)
        #expect(exported.output.split(separator: "\n").count == Self.recipients, "\(exported.output)\(exported.errors)")
        #expect(try await herald("pause to-all").status == 0)
        #expect(try await herald("resume to-all").status == 0)
        #expect(try await herald("state prune --older-than 1s --auto-approve").status == 0)
        #expect(try await herald("state lock").output == "no run holds the lock\n")
        let backup = try await herald("state backup \(sandbox.folder.path)/copy")
        #expect(backup.status == 1)
        #expect(backup.errors.contains("pg_dump"))
        #expect(try await herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == accepted)
        await sandbox.end()
    }

    @Test func `a registration is erased once nothing names it`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await herald("state init").status == 0)
        #expect(try await herald("apply --auto-approve", host: host).status == 0)
        let fid = Registration.fid(Self.recipients).rawValue
        #expect(try await herald("state erase \(fid) --auto-approve").status == 1)
        let rest = (1..<Self.recipients).map { Registration.fid($0).rawValue }
        try sandbox.folder.write(rest.joined(separator: "\n") + "\n", to: "workspace/all.txt")
        let erased = try await herald("state erase \(fid) --auto-approve", host: host)
        #expect(erased.status == 0, "\(erased.errors)")
        #expect(try await herald("state find \(fid)").status == 1)
        #expect(try await herald("plan --detailed-exitcode", host: host).status == 0)
        await sandbox.end()
    }

    @Test(arguments: [(InterruptingProxy.Moment.beforeRequest, 30), (.beforeAnswer, 50), (.afterAnswer, 80)])
    func `a run that was killed keeps the lock until a person or the time takes it, and nobody gets anything twice`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await herald("state init").status == 0)
        try await sandbox.applyAndDie(at: (moment, number), of: host)
        let locked = try await herald("run", host: host)
        #expect(locked.status == 5)
        // A plan needs no lock.
        #expect(try await herald("plan", host: host).status == 0)
        let holder = try await herald("state lock").output
        let run = try #require(holder.split(separator: " ").dropFirst().first)
        #expect(try await herald("state unlock nobody --auto-approve").status == 1)
        #expect(try await herald("state unlock \(run) --auto-approve").status == 0)

        let report = "\(sandbox.folder.path)/second.json"
        let second = try await herald("apply --auto-approve --report \(report)", host: host)
        let account = Account(try sandbox.report("second.json"))
        #expect(account.addsUp && account.pending == 0)
        let unknown = Account(try sandbox.report("second.json"), steps: "send:").unknown
        #expect(unknown <= Sandbox.inFlight)
        #expect(second.status == (unknown > 0 ? 6 : 0), "\(second.output)\(second.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, "somebody was accepted twice")
        #expect(accepted.count >= Self.recipients + 1 - unknown)
        await sandbox.end()
    }

    @Test func `a run whose lock is taken writes nothing more, and says so`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await herald("state init").status == 0)
        let (relay, door, held) = (try Relay(serverPort: Sandbox.port(of: host)), DispatchSemaphore(value: 0), Held())
        relay.start { piece, forward in
            // From the fortieth answer on, answers wait at the door.
            if !piece.isRequest, piece.isHead, held.count() > 40 {
                door.wait()
                door.signal()
            }
            return forward()
        }
        let run = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve"],
            environment: sandbox.environment("127.0.0.1:\(relay.port)"))
        try await eventually { held.answers > 40 }
        let holder = try await herald("state lock").output
        let name = try #require(holder.split(separator: " ").dropFirst().first)
        #expect(try await herald("state unlock \(name) --auto-approve").status == 0)
        door.signal()
        let ended = await run.wait()
        relay.stop()
        #expect([4, 6].contains(ended.status), "\(ended.output)\(ended.errors)")
        #expect(ended.errors.contains("this run lost the lock"), "\(ended.errors)")
        let after = try await herald("apply --auto-approve", host: host)
        #expect([0, 6].contains(after.status), "\(after.output)\(after.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }
}

/// Counts answers.
private final class Held: Sendable {
    private let number = Mutex(0)

    var answers: Int { number.withLock(\.self) }

    func count() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
