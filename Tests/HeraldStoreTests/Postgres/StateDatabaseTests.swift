import Foundation
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// A state in PostgreSQL as commands use it.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct StateDatabaseTests {
    private let server: PostgresServer
    private let location: StateDatabase

    init() throws {
        server = try PostgresTestServer.newSchema()
        location = Self.location(server)
    }

    private static func location(
        _ server: PostgresServer, project: String = "p", _ endpoint: EndpointKind = .emulator,
        workspace: String = "tide", note: @escaping @Sendable (String) -> Void = { _ in }
    ) -> StateDatabase {
        StateDatabase(
            server, .init(project: project, endpoint: endpoint, workspace: workspace), folder: "/none/.herald",
            note: note)
    }

    private func ask(_ text: String) async throws {
        let server = server
        try await PostgresSession(server.parameters, schema: server.schema).perform(for: server.patience) {
            connection, _ in
            _ = try connection.perform(text, until: server.deadline)
        }
    }

    @Test func `only a person makes a state, and once`() async throws {
        let none = StateError.uninitialized(path: location.name)
        await #expect(throws: none) { try await location.require() }
        await #expect(throws: none) { try await location.openIfPresent(for: .changing) }
        await #expect(throws: none) { try await location.lock(for: "run") }
        try await location.initialize(created: Date(timeIntervalSince1970: 0))
        let state = try await location.open(for: .changing).snapshot()
        #expect(state.identity.project == "p")
        #expect(state.identity.endpoint == .emulator)
        await #expect(throws: StateError.exists(path: location.name)) { try await location.initialize(created: Date()) }
        #expect(try await location.open(for: .changing).snapshot() == state)
    }

    @Test(arguments: [
        "TABLE @recipient (other text)", "TABLE @identity (other text)", "TYPE @topic AS ENUM ('other')",
        "FUNCTION @weight(bit) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    ])
    func `a schema where others have a name of herald's is left alone`(_ others: String) async throws {
        try await ask("CREATE SCHEMA \"\(server.schema.replacing("\"", with: "\"\""))\"")
        try await ask("CREATE \(others)")
        await #expect(throws: StateCopy.occupied(location.name)) { try await location.initialize(created: Date()) }
        await #expect(throws: StateError.uninitialized(path: location.name)) { try await location.require() }
    }

    @Test func `a schema that was renamed is refused until it has its name again`() async throws {
        try await location.initialize(created: Date())
        let (name, other) = (server.quotedSchema, try PostgresTestServer.newSchema())
        try await ask("ALTER SCHEMA \(name) RENAME TO \(other.quotedSchema)")
        let renamed = Self.location(other)
        for use in [StateUse.inspecting, .reading, .changing] {
            let error = await #expect(throws: StateError.self) { try await renamed.open(for: use) }
            #expect(error?.description.contains("its functions still use the name \(name)") == true)
            #expect(error?.help.hasSuffix("ALTER SCHEMA \(other.quotedSchema) RENAME TO \(name)") == true)
        }
        await #expect(throws: StateError.self) { try await renamed.lock(for: "run") }
        try await ask("ALTER SCHEMA \(other.quotedSchema) RENAME TO \(name)")
        _ = try await location.open(for: .changing)
    }

    @Test func `a state is opened by what it is bound to, and looked at by anybody`() async throws {
        try await location.initialize(created: Date())
        let notes = Mutex<[String]>([])
        let others = [
            Self.location(server, project: "q") { text in notes.withLock { $0.append(text) } },
            Self.location(server, .fcm) { text in notes.withLock { $0.append(text) } },
            Self.location(server, workspace: "other") { text in notes.withLock { $0.append(text) } },
        ]
        for other in others {
            let error = await #expect(throws: StateError.self) { try await other.openIfPresent(for: .reading) }
            guard case .bound? = error else { return #expect(error == nil) }
            _ = try await other.open(for: .inspecting)
        }
        #expect(notes.withLock(\.count) == 3)
    }

    @Test(arguments: [
        ("format = format + 1", StateError.newer(path: "test")), ("format = 0", .unmigrated(path: "test")),
    ])
    func `another format is refused`(_ change: String, _ error: StateError) async throws {
        try await location.initialize(created: Date())
        try await ask("UPDATE @identity SET \(change)")
        await #expect(throws: error) { try await location.require() }
        await #expect(throws: error) { try await location.lock(for: "run") }
    }

    @Test(arguments: [
        ("UPDATE @identity SET endpoint = 'moon'", "it does not say what it is bound to"),
        ("DELETE FROM @progress", "its serial is missing or out of range"),
        ("UPDATE @progress SET serial = -1", "its serial is missing or out of range"),
        ("UPDATE @recipient SET registration = 'a b'", "a registration has not the form of one"),
        ("UPDATE @occurrence SET finished = 1e300", "a time is out of range"),
        ("UPDATE @topic SET name = 'a b'", "it names no topic"),
        ("UPDATE @ledger SET state = 77 WHERE state = 1", "ledger has a row of no known state"),
        (
            "INSERT INTO @ledger (occurrence, slice, state, bits) SELECT occurrence, slice, 3, bits FROM @ledger WHERE state = 1",
            "ledger has a recipient in two states"
        ),
        (
            "DO $$ BEGIN ALTER TABLE @ledger ALTER checksum DROP EXPRESSION; UPDATE @ledger SET bits = ~bits; END $$",
            "ledger has a set that is not as it was written (wrong checksum)"
        ),
        (
            "DO $$ BEGIN ALTER TABLE @ledger ALTER members DROP EXPRESSION; UPDATE @ledger SET members = 2; END $$",
            "ledger has a set of another size than it says"
        ),
        ("DELETE FROM @message_class", "it has assignments of no known class"),
        (
            "INSERT INTO @assignment (occurrence, slice, state, bits) SELECT occurrence, slice, 77, bits FROM @assignment",
            "assignment has a recipient in two states"
        ),
        (
            "DO $$ BEGIN ALTER TABLE @assignment ALTER checksum DROP EXPRESSION; UPDATE @assignment SET bits = ~bits; END $$",
            "assignment has a set that is not as it was written (wrong checksum)"
        ),
    ])
    func `damage is found and named`(_ damage: String, _ detail: String) async throws {
        try await location.initialize(created: Date())
        let store = try await location.open(for: .changing)
        _ = try await store.intern([Arrival(.fid(1))], comparedUpTo: 0)
        try await store.commit([
            .open(.tide, .sample()), .outcome(.tide, [1], .accepted), .members("tides", [1], .managed, at: .at(0)),
            .assign(.tide, Partition(disjoint: [MessageClass(locale: "it"): [1]])),
        ])
        try await store.check()
        try await ask(damage)
        await #expect(throws: StateError.damaged(path: "test", detail: detail)) {
            try await location.open(for: .reading).check()
        }
    }

    @Test func `a server that could lose a commit is refused`() async throws {
        try await location.initialize(created: Date())
        var parameters = server.parameters
        parameters["options"] = "-c synchronous_commit=off"
        let careless = PostgresServer(name: "test", schema: server.schema, parameters: parameters)
        let error = await #expect(throws: StateError.self) { try await Self.location(careless).require() }
        let text = "\(try #require(error))"
        #expect(text.contains("'synchronous_commit' is off there"))
    }

    @Test func `a clock that is off is told`() async throws {
        try await location.initialize(created: Date())
        var strict = server
        strict.times.clockTolerance = .seconds(-1)
        let error = await #expect(throws: StateError.self) { try await Self.location(strict).require() }
        let text = "\(try #require(error))"
        #expect(text.contains("clock"))
    }

    @Test func `what is written under a lease that was taken is refused`() async throws {
        try await location.initialize(created: Date())
        let lock = try await location.lock(for: "first")
        await lock.hold {
            await #expect(throws: Never.self) {
                let store = try await location.open(for: .changing)
                try await store.commit([.pause("tide")])
                #expect(try await location.holder()?.hasPrefix("run first ") == true)
                try await location.takeLock(from: "first")
                #expect(try await location.holder() == nil)
                await #expect(throws: StateError.leaseLost(holder: "first")) {
                    try await store.commit([.resume("tide")])
                }
                #expect(try await store.pauses().campaigns == ["tide"])
            }
        }
        await #expect(throws: StateError.notLocked(path: "test", by: "first")) {
            try await location.takeLock(from: "first")
        }
        // A person says so without the lock.
        try await location.open(for: .changing).commit([.resume("tide")])
    }

    @Test func `a backup is a matter of the database`() async throws {
        let error = await #expect(throws: StateError.self) { try await location.backUp(to: "/none/file") }
        #expect(error?.help.contains("pg_dump") == true)
    }
}
