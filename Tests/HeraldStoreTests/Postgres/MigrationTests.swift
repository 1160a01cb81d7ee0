import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// A state of format 1 in PostgreSQL (`Tests/fixtures/states/postgres-v1`).
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct MigrationTests {
    private static let dump = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "fixtures/states/postgres-v1/state.sql").path

    private let address: String
    private let server: PostgresServer
    private let location: StateDatabase

    init() async throws {
        let (name, address) = try await PostgresTestServer.newDatabase()
        try await PostgresTestServer.load(Self.dump, at: address)
        self.address = address
        let parameters = try PostgresTestServer.running().parameters.merging(["dbname": name]) { $1 }
        server = PostgresServer(name: "test", schema: "herald", parameters: parameters)
        location = StateDatabase(
            server, StateBinding(project: "harbour-example", endpoint: .emulator, workspace: "harbour"),
            folder: "/none/.herald"
        ) { _ in }
    }

    @Test func `before it is migrated nobody uses it, and afterwards all of it is there`() async throws {
        for _ in 0..<2 {
            await #expect(throws: StateError.unmigrated(path: "test")) { try await location.require() }
            await #expect(throws: StateError.unmigrated(path: "test")) { try await location.lock(for: "run") }
        }
        #expect(StateError.unmigrated(path: "test").help.contains("'herald state migrate'"))
        #expect(try await location.migrate())
        #expect(try await !location.migrate())

        let store = try await location.open(for: .changing)
        try await store.check()
        let state = try await store.wholeState()
        #expect(state.serial == 42)
        #expect(state.nextRecipient == 17)
        #expect(state.topics["tides"]?.managed == [1, 4, 5, 6, 7, 8, 9, 10, 12])
        #expect(state.topics["tides"]?.preexisting == [2, 3])
        #expect(state.topics["winds"]?.subscribing == [1])
        #expect(state.groups["family"]?.members == [13, 14])
        #expect(state.groups["family"]?.key != nil)
        #expect(state.dead == [11, 16])
        #expect(state.occurrences["half-done@once#2"]?.accepted.count == 3)
        #expect(state.occurrences["half-done@once#2"]?.intended.count == 4)
        #expect(state.occurrences["welcome@once"]?.codes == ["SENDER_ID_MISMATCH": [12]])
        #expect(state.occurrences.values.allSatisfy { $0.halt == nil })
        #expect(state.pauses.campaigns == ["half-done"])
        #expect(state.watermarks["weekly"] != nil)
        #expect(state.tests.count == 1)
        #expect(state.spentPlans.count == 1)
        #expect(state.commits.isEmpty)
        #expect(try await store.registrations(of: RecipientSet(1...16)) == OldState.registrations)
        try await location.lock(for: "run").hold {
            let store = try await location.open(for: .changing)
            let classes = Partition<MessageClass>(disjoint: [MessageClass(locale: "it", variant: "a"): [3]])
            try await store.commit([.assign("half-done@once#2", classes), .outcome("half-done@once#2", [3], .accepted)])
            #expect(try await store.snapshot().occurrences["half-done@once#2"]?.classes == classes)
        }
    }

    @Test func `a run of an older herald that goes on meanwhile writes nothing more`() async throws {
        let epoch = try await PostgresTestServer.ask("SELECT epoch FROM herald.lease", at: address)
        #expect(try await location.migrate())
        let store = try await PostgresStore.open(server)
        let old = WorkLease(holder: "old", epoch: try #require(Int64(epoch)))
        await #expect(throws: StateError.leaseLost(holder: "old")) { try await store.commit([.pause("x")], under: old) }
    }

    @Test(arguments: [true, false])
    func `requests of a run that died before may still arrive`(_ hasDied: Bool) async throws {
        try await PostgresTestServer.ask(
            "UPDATE herald.lease SET run = \(hasDied ? "'old'" : "NULL"), ends = now() - interval '1 second'",
            at: address)
        #expect(try await location.migrate())
        let lock = try await location.lock(for: "run")
        #expect((lock.resendTime != nil) == hasDied)
        await lock.hold {}
    }

    @Test func `while somebody reads its tables it is not migrated, and nobody waits for that`() async throws {
        let reader = try PostgresConnection(server.parameters, schema: "herald")
        try reader.perform(
            ["BEGIN", "SELECT count(*) FROM @identity"].map { PostgresStatement($0) }, until: .now + .seconds(5))
        let begin = ContinuousClock.now
        let error = await #expect(throws: StateError.self) { try await location.migrate() }
        #expect(ContinuousClock.now - begin < .seconds(15))
        #expect(error?.description.contains("another session of the database holds a lock") == true)
        #expect(error?.help.contains("pg_stat_activity") == true)
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            """
        #expect(try await PostgresTestServer.ask(waiting, at: address) == "0")
        try reader.rollBack(until: .now + .seconds(5))
        #expect(try await location.migrate())
    }

    @Test func `a failover after an upgrade from format 3 halts what is open`() async throws {
        try await makeFormat2()
        try await change(PostgresSchema.steps[1] + ["UPDATE @identity SET format = 3"])
        #expect(try await location.migrate())
        try await change(["UPDATE @server SET timeline = '00000000'"])
        try await location.lock(for: "run").hold {
            let state = try await location.open(for: .changing).snapshot()
            #expect(state.occurrences["half-done@once#2"]?.halt == .failedOver)
        }
    }

    /// Brings the state to format 2, as an earlier herald left it.
    private func makeFormat2(_ changes: String...) async throws {
        try await change(PostgresSchema.steps[0] + ["UPDATE @identity SET format = 2"] + changes)
    }

    private func change(_ statements: [String]) async throws {
        let server = server
        try await PostgresSession(server.parameters, schema: server.schema).perform(for: server.patience) {
            connection, _ in
            for statement in statements { _ = try connection.perform(statement, until: server.readingDeadline) }
        }
    }

    @Test func `a failover before the upgrade is still known after it, also if commits waited for a standby`()
        async throws
    {
        try await makeFormat2(
            "UPDATE @server SET system = (SELECT system_identifier FROM pg_control_system()), timeline = '00000000', synchronous = true"
        )
        #expect(try await location.migrate())
        #expect(try await !location.hasMoved())
        try await location.lock(for: "run").hold {
            let state = try await location.open(for: .changing).snapshot()
            #expect(state.occurrences["half-done@once#2"]?.halt == .failedOver)
        }
    }

    @Test func `what a failover halted is still held after the upgrade, unless it is finished`() async throws {
        try await makeFormat2("UPDATE @occurrence SET doubted = true")
        #expect(try await location.migrate())
        let occurrences = try await location.open(for: .reading).snapshot().occurrences.values
        #expect(Set(occurrences.map { $0.finished == nil }) == [true, false])
        #expect(occurrences.allSatisfy { $0.halt == ($0.finished == nil ? .failedOver : nil) })
    }

    @Test func `what had moved before the upgrade is still known as moved, until a person takes it`() async throws {
        try await makeFormat2("UPDATE @server SET system = '1'")
        #expect(try await location.migrate())
        #expect(try await location.hasMoved())
        try await location.lock(for: "run").hold { try await location.acceptMove() }
        #expect(try await !location.hasMoved())
    }

    @Test func `a copy in the same server is known from the upgrade on`() async throws {
        try await makeFormat2("UPDATE @server SET system = (SELECT system_identifier FROM pg_control_system())")
        #expect(try await location.migrate())
        let (name, copied) = try await PostgresTestServer.newDatabase()
        try await PostgresTestServer.copy("herald", from: address, to: copied)
        let copy = StateDatabase(
            PostgresServer(
                name: "test", schema: "herald", parameters: server.parameters.merging(["dbname": name]) { $1 }),
            StateBinding(project: "harbour-example", endpoint: .emulator, workspace: "harbour"),
            folder: "/none/.herald"
        ) { _ in }
        #expect(try await copy.hasMoved())
        #expect(try await !location.hasMoved())
    }

    @Test func `a set that was damaged before does not get a valid checksum`() async throws {
        try await PostgresTestServer.ask(
            "ALTER TABLE herald.rejection ALTER checksum DROP EXPRESSION; UPDATE herald.rejection SET bits = bits << 1",
            at: address)
        let damage = "rejection has a set that is not as it was written (wrong checksum)"
        await #expect(throws: StateError.damaged(path: "test", detail: damage)) { try await location.migrate() }
        await #expect(throws: StateError.unmigrated(path: "test")) { try await location.require() }
    }

    @Test func `it waits for no run, and only the owner may do it`() async throws {
        try await PostgresTestServer.ask(
            "UPDATE herald.lease SET run = 'old', ends = now() + interval '1 hour'", at: address)
        let locked = await #expect(throws: StateError.self) { try await location.migrate() }
        guard case .locked(_, "run old")? = locked else { return #expect(locked == nil) }
        try await PostgresTestServer.ask("UPDATE herald.lease SET run = NULL", at: address)
        let role = "guest_\(UUID().uuidString.prefix(8).lowercased())"
        try await PostgresTestServer.ask(
            "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA herald TO \(role); GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA herald TO \(role)",
            at: address)
        let guest = PostgresServer(
            name: "test", schema: "herald", parameters: server.parameters.merging(["user": role]) { $1 })
        let refused = await #expect(throws: StateError.self) { try await PostgresStore.migrate(guest) }
        #expect(refused?.description == "the state test cannot be used: only the owner of its schema may migrate it")
        #expect(refused?.help == "run 'herald state migrate' as that owner")
        await #expect(throws: StateError.unmigrated(path: "test")) { try await location.require() }
        #expect(try await location.migrate())
    }
}
