import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// States that move between files and databases.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct StateCopyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let binding = StateBinding(project: "tide-app", endpoint: .emulator, workspace: "tide")

    private func file(_ name: String) -> StateFile {
        StateFile(path: "\(folder.path)/\(name).sqlite", Self.binding) { _ in }
    }

    private func database() throws -> StateDatabase {
        let server = try PostgresTestServer.newSchema()
        return StateDatabase(
            PostgresServer(name: server.schema, schema: server.schema, parameters: server.parameters), Self.binding,
            folder: "/none/.herald"
        ) { _ in }
    }

    private func filled(_ location: any StateLocation, seed: UInt64) async throws -> RandomChanges {
        let store = try await location.create(OpenStore.identity)
        var random = RandomChanges(seed: seed)
        for _ in 0..<40 { try await store.commit(random.batch()) }
        return random
    }

    /// All that a state has.
    private struct Content: Equatable {
        var state: RecordedState
        var registrations: [RecipientID: HeraldCore.KnownRecipient]
        var tombstones: [Tombstone]
        var key: [UInt8]

        init(_ store: any StateStore) async throws {
            state = try await store.wholeState()
            let known = try await store.recipients(after: 0, limit: .max)
            registrations = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
            tombstones = try await store.tombstones(after: nil, limit: .max)
            key = store.fingerprintKey
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a move brings everything to any place, and the old place cannot be used any more`(seed: UInt64) async throws {
        let places: [any StateLocation] = [file("first"), try database(), try database(), file("last")]
        var random = try await filled(places[0], seed: seed)
        for (source, destination) in zip(places, places.dropFirst()) {
            let opened = try await source.open(for: .changing)
            let before = try await Content(opened)
            let numbering = try await opened.numbering()
            let moved = try await StateCopy.move(from: source, to: destination)
            #expect(moved == .moved(recipients: before.registrations.count), "seed \(seed)")
            // What was kept about the lists of the old place is not used at the new one, and something new may be kept.
            let own = try #require(try await destination.open(for: .reading).numbering(), "seed \(seed)")
            #expect(own != numbering, "seed \(seed)")
            #expect(try await Content(destination.open(for: .reading)) == before, "seed \(seed)")
            // Also for a command that opened it before.
            let sealed = StateError.moved(path: source.name, to: destination.name)
            await #expect(throws: sealed) { try await opened.commit([.pause("late")]) }
            await #expect(throws: sealed) { try await source.open(for: .reading) }
            await #expect(throws: sealed) { try await source.lock(for: "run") }
            #expect(try await StateCopy.move(from: source, to: destination) == .wasMoved)
            // It takes the same changes as any other.
            let store = try await destination.open(for: .changing)
            var expected = try await store.wholeState()
            for _ in 0..<10 {
                let changes = random.batch()
                try await store.commit(changes)
                expected.apply(changes)
            }
            #expect(try await store.wholeState() == expected, "seed \(seed)")
            try await store.check()
        }
    }

    @Test func `a copy that is not complete cannot be used, and the same command makes it anew`() async throws {
        let (source, destination) = (file("source"), try database())
        _ = try await filled(source, seed: 9)
        // As when the process ended before the source was sealed.
        try source.copyPlace.read { reader in try destination.copyPlace.make { try reader.copy(to: $0) } }
        await #expect(throws: StateError.incomplete(path: destination.name)) {
            try await destination.open(for: .reading)
        }
        let store = try await source.open(for: .changing)
        try await store.commit([.spendPlan("after the copy")])
        let before = try await Content(store)
        _ = try await StateCopy.move(from: source, to: destination)
        #expect(try await Content(destination.open(for: .reading)) == before)
    }

    @Test func `what others have in the schema stays when a copy is made anew`() async throws {
        let (source, server) = (file("source"), try PostgresTestServer.newSchema())
        _ = try await filled(source, seed: 21)
        try await perform(
            [
                "CREATE SCHEMA \(server.quotedSchema)",
                "CREATE FUNCTION @theirs() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
            ], on: server)
        let destination = StateDatabase(server, Self.binding, folder: "/none/.herald") { _ in }
        try source.copyPlace.read { reader in try destination.copyPlace.make { try reader.copy(to: $0) } }
        try await perform(
            ["CREATE TABLE @orders (id bigint)", "CREATE VIEW @seen AS SELECT name FROM @topic"], on: server)
        try await source.open(for: .changing).commit([.spendPlan("after the copy")])
        let before = try await Content(source.open(for: .reading))
        _ = try await StateCopy.move(from: source, to: destination)
        #expect(try await Content(destination.open(for: .reading)) == before)
        try await perform(["SELECT @theirs(), * FROM @orders, @seen"], on: server)
    }

    /// Two places of different kinds, each way.
    private func pairs() throws -> [(any StateLocation, any StateLocation)] {
        [(file("source"), try database()), (try database(), file("target"))]
    }

    @Test func `once the source is sealed, the same command opens the copy`() async throws {
        for (source, destination) in try pairs() {
            _ = try await filled(source, seed: 10)
            let before = try await Content(source.open(for: .reading))
            let content = try source.copyPlace.read { reader in
                try destination.copyPlace.make { try reader.copy(to: $0) }
                return try CopyDigest(reader)
            }
            try source.copyPlace.seal(movedTo: destination.name, content: content)
            _ = try await StateCopy.move(from: source, to: destination)
            #expect(try await Content(destination.open(for: .reading)) == before)
        }
    }

    /// A crash after that leaves a copy that only the same command opens.
    @Test func `a move is noted when its copy is whole, and before the source is sealed`() async throws {
        for (source, destination) in try pairs() {
            _ = try await filled(source, seed: 22)
            let lineage = try await source.open(for: .reading).snapshot().identity.lineage
            let found = Mutex<[CopyStatus?]>([])
            _ = try await StateCopy.move(from: source, to: destination) {
                let statuses = [source, destination].map { try? $0.copyPlace.status() }
                found.withLock { $0 += statuses }
            }
            #expect(found.withLock(\.self) == [.open(lineage: lineage), .closed(lineage: lineage)])
        }
    }

    @Test func `a sealed state does not come back, wherever the one that it became is`() async throws {
        for (source, destination) in try pairs() {
            _ = try await filled(source, seed: 16)
            _ = try await StateCopy.move(from: source, to: destination)
            try await destination.open(for: .changing).commit([.spendPlan("sent since")])
            let next = file(UUID().uuidString)
            _ = try await StateCopy.move(from: destination, to: next)
            await #expect(throws: StateError.moved(path: destination.name, to: next.name)) {
                try await StateCopy.move(from: source, to: destination)
            }
            try await remove(destination)
            await #expect(throws: StateCopy.lost(destination.name, from: source.name)) {
                try await StateCopy.move(from: source, to: destination)
            }
            #expect(try destination.copyPlace.status() == .absent)
        }
    }

    /// As a person does who does not need a sealed state any more.
    private func remove(_ place: any StateLocation) async throws {
        guard let database = place as? StateDatabase else {
            return try FileManager.default.removeItem(atPath: place.name)
        }
        try await perform(["DROP SCHEMA \(database.server.quotedSchema) CASCADE"], on: database.server)
    }

    private func perform(_ statements: [String], on server: PostgresServer) async throws {
        try await PostgresSession(server.parameters, schema: server.schema).perform(for: server.patience) {
            connection, _ in
            for statement in statements { _ = try connection.perform(statement, until: server.deadline) }
        }
    }

    @Test func `a source that changed meanwhile is not sealed`() async throws {
        let (source, destination) = (file("source"), try database())
        _ = try await filled(source, seed: 11)
        let content = try source.copyPlace.read { try CopyDigest($0) }
        try await source.open(for: .changing).commit([.pause("tide")])
        #expect(throws: StateCopy.changed(source.name)) {
            try source.copyPlace.seal(movedTo: destination.name, content: content)
        }
        try await source.open(for: .changing).commit([.pause("wind")])
    }

    @Test func `a state that is there is never replaced, and a sealed one goes to one place only`() async throws {
        let (source, other, third) = (file("source"), try database(), file("third"))
        _ = try await filled(source, seed: 12)
        _ = try await filled(other, seed: 13)
        let before = try await Content(other.open(for: .reading))
        await #expect(throws: StateError.exists(path: other.name)) { try await StateCopy.move(from: source, to: other) }
        #expect(try await Content(other.open(for: .reading)) == before)
        _ = try await source.open(for: .changing)
        _ = try await StateCopy.move(from: source, to: third)
        await #expect(throws: StateError.moved(path: source.name, to: third.name)) {
            try await StateCopy.move(from: source, to: file("fourth"))
        }
        // And nothing is moved to where it was.
        let error = await #expect(throws: StateError.self) { try await StateCopy.move(from: third, to: source) }
        #expect(error?.description.contains("\(source.name) cannot be used: it was moved to \(third.name)") == true)
        #expect(error?.help == "name another place")
    }

    @Test func `a schema in which others have tables is left alone`() async throws {
        let (source, server) = (file("source"), try PostgresTestServer.newSchema())
        _ = try await filled(source, seed: 15)
        try await perform(["CREATE SCHEMA \(server.quotedSchema)", "CREATE TABLE @theirs (id bigint)"], on: server)
        let destination = StateDatabase(server, Self.binding, folder: "/none/.herald") { _ in }
        await #expect(throws: StateCopy.occupied(server.name)) {
            try await StateCopy.move(from: source, to: destination)
        }
        _ = try await source.open(for: .changing)
    }

    @Test(arguments: ["", "fid\n1\n", String(repeating: "herald: 1\n", count: 99)])
    func `a file that is no state is left alone`(_ text: String) async throws {
        let (source, destination) = (file("source"), file("list"))
        _ = try await filled(source, seed: 18)
        try folder.write(text, to: "list.sqlite")
        await #expect(throws: StateCopy.occupied(destination.name)) {
            try await StateCopy.move(from: source, to: destination)
        }
        #expect(try folder.read("list.sqlite") == text)
        _ = try await source.open(for: .changing)
    }

    @Test func `no folder is made`() async throws {
        let source = file("source")
        _ = try await filled(source, seed: 19)
        let error = await #expect(throws: StateError.self) {
            try await StateCopy.move(from: source, to: file("mistyped/target"))
        }
        #expect("\(try #require(error))".contains("mistyped/target.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/mistyped"))
        _ = try await source.open(for: .changing)
    }

    @Test func `what is damaged is named, and that is not the place that it goes to`() async throws {
        let source = file("source")
        _ = try await filled(source, seed: 20)
        let state = try DatabaseQueue(path: source.name)
        try await state.write { try $0.execute(sql: "DROP TABLE pause") }
        try state.close()
        for destination in [file("target"), try database()] as [any StateLocation] {
            let error = await #expect(throws: StateError.self) {
                try await StateCopy.move(from: source, to: destination)
            }
            guard case .damaged(source.name, _)? = error else { return #expect(error == nil) }
            #expect(try destination.copyPlace.status() == .absent)
        }
    }

    @Test func `a server that may lose what it confirmed gets no state, and none is opened there`() async throws {
        let careless = try await PostgresCluster("fsync = off")
        let server = PostgresServer(
            name: "careless", schema: "herald",
            parameters: ["host": careless.folder, "dbname": "postgres", "user": "herald"])
        let (source, destination) = (file("source"), StateDatabase(server, Self.binding, folder: "/none") { _ in })
        _ = try await filled(source, seed: 17)
        func isRefused() async throws {
            let error = await #expect(throws: StateError.self) {
                try await StateCopy.move(from: source, to: destination)
            }
            #expect("\(try #require(error))".contains("'fsync' is off there"))
        }
        try await isRefused()
        _ = try await source.open(for: .changing)
        #expect(try destination.copyPlace.status() == .absent)
        try await careless.restart(with: "fsync = on")
        let content = try source.copyPlace.read { reader in
            try destination.copyPlace.make { try reader.copy(to: $0) }
            return try CopyDigest(reader)
        }
        try source.copyPlace.seal(movedTo: destination.name, content: content)
        try await careless.restart(with: "fsync = off")
        try await isRefused()
        try await careless.restart(with: "fsync = on")
        _ = try await StateCopy.move(from: source, to: destination)
        _ = try await destination.open(for: .changing)
    }

    @Test func `what differs is found`() async throws {
        let source = file("source")
        _ = try await filled(source, seed: 14)
        let store = try await source.open(for: .changing)
        try await store.commit([.open("text@once", .sample("text"))])
        let content = try source.copyPlace.read { try CopyDigest($0) }
        for (change, table) in [
            (.pause("new"), "pause"), (.spendPlan("new"), "spent_plan"),
            (.members("t9", [70_000], .managed, at: .at(1)), "membership"),
            (.topicAPI(.iid, at: .at(1)), "identity"),
            (.assign("text@once", Partition(disjoint: [MessageClass(locale: "de"): [1]])), "assignment"),
            (.assign("text@once", Partition(disjoint: [MessageClass(locale: "nl"): [1]])), "message_class"),
        ] as [(StateChange, String)] {
            try await store.commit([change])
            let now = try source.copyPlace.read { try CopyDigest($0) }
            #expect(now.differences(from: content).contains(table))
        }
    }
}
