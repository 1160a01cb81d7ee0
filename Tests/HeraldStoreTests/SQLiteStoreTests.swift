import FCM
import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/state.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    // MARK: The file

    @Test func `only its owner can read it, its log and its index`() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        try await store.commit([interned(3)])
        for file in ["", "-wal", "-shm"] { #expect(try mode(of: path + file) == 0o600, "\(file)") }
    }

    @Test(arguments: ["created", "opened"])
    func `every commit is synced to a write-ahead log`(_ how: String) async throws {
        var store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        if how == "opened" { store = try SQLiteStore.open(at: path) }
        let (journal, synchronous, isFull) = try await store.database.read { db in
            (
                try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(db, sql: "PRAGMA synchronous"), try Int.fetchOne(db, sql: "PRAGMA fullfsync")
            )
        }
        #expect(isFull == 1, "macOS needs it")
        #expect(journal == "wal")
        #expect(synchronous == 2, "2 is FULL")
    }

    @Test func `while somebody reads it, what was removed leaves its files later`() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        try await store.commit([interned(3)])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM meta")
        }
        try await store.commit([.erase([1])])
        #expect(try await store.compact() == .postponed("another process reads the state"))
        #expect(try await store.registrations(of: [1, 2]).count == 1)
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(try await store.compact() == .done)
    }

    @Test func `makes the folders above it`() throws {
        let path = folder.path + "/a/b/state.sqlite"
        _ = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        #expect(throws: Never.self) { try SQLiteStore.open(at: path) }
    }

    @Test func `never takes a file that is there`() async throws {
        try folder.write("somebody's diary", to: "state.sqlite")
        #expect(throws: StateError.self) { try SQLiteStore.create(at: path, identity: OpenStore.identity) }
        #expect(try folder.read("state.sqlite") == "somebody's diary")
    }

    @Test func `never takes a state that another run made meanwhile`() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        try await store.commit([interned(3), .open(.tide, .sample())])
        let before = try await store.wholeState()
        #expect(throws: StateError.self) { try SQLiteStore.create(at: path, identity: OpenStore.identity) }
        #expect(try await SQLiteStore.open(at: path).wholeState() == before)
    }

    @Test func `never follows a link to where nothing is`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/elsewhere")
        #expect(throws: StateError.self) { try SQLiteStore.create(at: path, identity: OpenStore.identity) }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/elsewhere"))
    }

    @Test func `a folder that cannot be made is an error`() throws {
        try folder.write("a file", to: "a")
        let path = folder.path + "/a/state.sqlite"
        #expect {
            try SQLiteStore.create(at: path, identity: OpenStore.identity)
        } throws: {
            if case StateError.inaccessible(path, _, _) = $0 { true } else { false }
        }
    }

    @Test func `every state has a lineage's key of its own and keeps it`() throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        let other = try SQLiteStore.create(at: folder.path + "/other.sqlite", identity: OpenStore.identity)
        #expect(store.fingerprintKey != other.fingerprintKey)
        #expect(try SQLiteStore.open(at: path).fingerprintKey == store.fingerprintKey)
    }

    // MARK: Commits

    @Test func `a commit that cannot be made whole leaves nothing`() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        try await store.commit([interned(2), .open(.tide, .sample())])
        let before = try await store.wholeState()
        // An occurrence with outcomes cannot be opened again.
        await #expect(throws: StateError.self) {
            try await store.commit([
                .register([3: .fid(3)]), .spendPlan("p"), .members("tides", [1], .managed, at: .at(0)),
                .outcome(.tide, [1], .accepted), .finish(.tide, at: .at(0)), .forget([1], at: .at(0)),
                .open(.tide, .sample()),
            ])
        }
        #expect(try await store.wholeState() == before)
        #expect(try await store.registrations(of: [3]).isEmpty)
    }

    /// What a power cut leaves: the file and its log as they are, without the log's index.
    @Test func `a crash between commits keeps all that was committed`() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        var changes = RandomChanges(seed: 5)
        for crash in 0..<8 {
            try await store.commit(changes.batch())
            let copy = try crashed("crash-\(crash)")
            #expect(try await SQLiteStore.open(at: copy).wholeState() == (try await store.wholeState()))
            #expect(
                try await SQLiteStore.open(at: copy).registrations(of: changes.everybody) == changes.registrations)
        }
    }

    /// The log may end anywhere. The first commits are then complete, and the rest is missing.
    @Test(arguments: 0..<15 as Range<UInt64>)
    func `a crash within a commit keeps those before it and nothing of it`(seed: UInt64) async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        var changes = RandomChanges(seed: 6)
        var expected = RecordedState(identity: OpenStore.identity)
        // The log is written anew from here.
        try await store.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        var stages = [expected]
        for _ in 0..<6 {
            let batch = changes.batch()
            try await store.commit(batch)
            expected.apply(batch)
            stages.append(expected)
        }
        let copy = try crashed("torn")
        var random = SeededRandom(seed: seed)
        let log = try Data(contentsOf: URL(filePath: copy + "-wal"))
        let length = Int.random(in: 0...log.count, using: &random)
        try log.prefix(length).write(to: URL(filePath: copy + "-wal"))
        #expect(stages.contains(try await SQLiteStore.open(at: copy).wholeState()), "seed \(seed)")
    }

    // MARK: -

    private func mode(of file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    }

    private func crashed(_ name: String) throws -> String {
        let copy = folder.path + "/\(name).sqlite"
        for file in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + file, toPath: copy + file) }
        return copy
    }
}

private typealias RecordedState = HeraldCore.RecordedState
