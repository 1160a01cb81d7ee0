import FCM
import Foundation
import HeraldTestSupport
import Testing

/// The server of a state and the machine of a run do not agree about the time.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct SharedClockTests {
    /// Lets a database tell another time than its machine's.
    private func set(_ offset: String, at address: String, _ database: String) async throws {
        for statement in [
            "CREATE SCHEMA shadow",
            """
            CREATE FUNCTION shadow.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
            $$ SELECT pg_catalog.clock_timestamp() + interval '\(offset)' $$
            """,
            // A name without a schema is looked up in this order.
            "ALTER DATABASE \"\(database)\" SET search_path = shadow, pg_catalog, public",
        ] {
            try await PostgresTestServer.ask(statement, at: address)
        }
    }

    @Test(arguments: ["10 seconds", "-10 seconds"])
    func `a clock that is ten seconds off sends nothing, and says so`(_ offset: String) async throws {
        let database = try await PostgresTestServer.newDatabase()
        let (sandbox, address) = try await Sandbox.shared(Sandbox.small(count: 12, subscribers: 5), database: database)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init").status == 0)
        try await set(offset, at: address, database.name)
        for arguments in ["plan", "apply --auto-approve", "run"] {
            let refused = try await sandbox.herald(arguments, host: host)
            #expect(refused.status == 1, "\(arguments)")
            #expect(
                refused.errors.contains(
                    "this machine's clock and the server's are 10 s apart\n  help: set both clocks right")
                    || refused.errors.contains(
                        "this machine's clock and the server's are 9 s apart\n  help: set both clocks right"),
                "\(arguments): \(refused.errors)")
        }
        let worker = try await sandbox.herald("work --project demo-project", host: host)
        #expect(worker.status == 1)
        #expect(worker.errors.contains("clock"), "\(worker.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)

        // Once the clocks agree, everything goes out, and once.
        try await PostgresTestServer.ask("ALTER DATABASE \"\(database.name)\" RESET search_path", at: address)
        let applied = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(applied.status == 0, "\(applied.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 13 && accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    @Test(arguments: ["3 seconds", "-3 seconds"])
    func `clocks that differ by a little do no harm`(_ offset: String) async throws {
        let database = try await PostgresTestServer.newDatabase()
        let (sandbox, address) = try await Sandbox.shared(Sandbox.small(count: 12, subscribers: 5), database: database)
        let (_, host) = try await sandbox.startEmulator()
        try await set(offset, at: address, database.name)
        #expect(try await sandbox.herald("state init").status == 0)
        let applied = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(applied.status == 0, "\(applied.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 13 && accepted.values.allSatisfy { $0 == 1 })
        #expect(try await sandbox.herald("state lock").output == "no run holds the lock\n")
        await sandbox.end()
    }
}
