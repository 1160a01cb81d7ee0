import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Somebody reads the state's tables in a transaction that stays open: nobody waits for that person.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct SharedLockTests {
    private static let note = "may still be in its files: another session of the database reads it"

    /// A state after an apply, and a registration that no list names any more.
    private func made() async throws -> (sandbox: Sandbox, address: String, erased: String, host: String) {
        let (sandbox, address) = try await Sandbox.shared(Sandbox.small(count: 12, subscribers: 5))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init").status == 0)
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let erased = Registration.fid(12).rawValue
        let list = try sandbox.folder.read("workspace/all.txt")
        try sandbox.folder.write(list.replacing("\(erased)\n", with: ""), to: "workspace/all.txt")
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        return (sandbox, address, erased, host)
    }

    /// Reads the tables, and stays in its transaction until `end`.
    private func read(_ address: String) async throws -> (reader: ChildProcess, end: () async throws -> Void) {
        let text = "BEGIN; SELECT count(*) FROM herald.recipient; SELECT pg_sleep(120) AS reader; COMMIT"
        let reader = try PostgresTestServer.start(text, at: address)
        let found = """
            FROM pg_stat_activity
            WHERE query LIKE '%AS reader%' AND datname = current_database() AND pid <> pg_backend_pid()
            """
        try await eventually {
            try await PostgresTestServer.ask("SELECT count(*) \(found) AND wait_event = 'PgSleep'", at: address) == "1"
        }
        return (reader, { try await PostgresTestServer.ask("SELECT pg_terminate_backend(pid) \(found)", at: address) })
    }

    private func waiting(_ address: String) async throws -> Int {
        let text = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            """
        return Int(try await PostgresTestServer.ask(text, at: address)) ?? -1
    }

    @Test func `erase and prune say what is left to do, and runs go on`() async throws {
        let (sandbox, address, erased, host) = try await made()
        let (reader, end) = try await read(address)
        let begin = ContinuousClock.now
        let erase = try await sandbox.herald("state erase \(erased) --auto-approve", host: host)
        #expect(erase.status == 0, "\(erase.errors)")
        #expect(erase.errors.contains(Self.note) && erase.errors.contains("help: run 'herald state prune "))
        #expect(try await waiting(address) == 0)
        for command in ["plan", "apply --auto-approve", "state find \(Registration.fid(1).rawValue)"] {
            #expect(try await sandbox.herald(command, host: host).status == 0, "\(command)")
        }
        #expect(ContinuousClock.now - begin < .seconds(60))
        let early = try await sandbox.herald("state prune --older-than 3650d")
        #expect(early.status == 0 && early.errors.contains(Self.note), "\(early.errors)")
        try await end()
        _ = await reader.wait()
        let later = try await sandbox.herald("state prune --older-than 3650d")
        #expect(later.status == 0 && !later.errors.contains(Self.note), "\(later.errors)")
        await sandbox.end()
    }

    @Test func `an erase that is killed while it waits leaves nobody waiting`() async throws {
        let (sandbox, address, erased, host) = try await made()
        let (reader, end) = try await read(address)
        let erase = try HeraldProcess.start(
            ["-w", sandbox.workspace, "state", "erase", erased, "--auto-approve"],
            environment: sandbox.environment(host))
        try await eventually { try await waiting(address) > 0 }
        erase.signal(SIGKILL)
        _ = await erase.wait()
        let begin = ContinuousClock.now
        #expect(try await sandbox.herald("plan", host: host).status == 0)
        #expect(ContinuousClock.now - begin < .seconds(60))
        try await eventually { try await waiting(address) == 0 }
        // The reader is still there.
        #expect(ContinuousClock.now - begin < .seconds(90))
        try await end()
        _ = await reader.wait()
        await sandbox.end()
    }
}
