import FCM
import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// States of older formats (`Tests/fixtures/states`): whatever is in them is there after the upgrade.
struct UpgradeTests {
    private let folder: TemporaryFolder
    private let notes = Notes()
    private var path: String { folder.path + "/state.sqlite" }
    private var copy: String { "\(path).before-v\(Schema.newest)" }

    private final class Notes: Sendable {
        private let all = Mutex<[String]>([])

        var texts: [String] { all.withLock(\.self) }

        func add(_ text: String) { all.withLock { $0.append(text) } }
    }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: OldState.v1, toPath: path)
    }

    private func location(project: String = "harbour-example") -> StateFile {
        StateFile(path: path, StateBinding(project: project, endpoint: .emulator, workspace: nil)) { [notes] in
            notes.add($0)
        }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    // MARK: What is kept

    @Test func `whoever locks it upgrades it, and all that it holds is there`() async throws {
        try await location().lock(for: "run").hold {
            let store = try await location().open(for: .changing)
            #expect(try await store.wholeState() == OldState.content)
            #expect(try await store.registrations(of: RecipientSet(1...16)) == OldState.registrations)
            #expect(store.fingerprintKey == OldState.fingerprintKey)
            #expect(try await store.numbering()?.next == 17)
            let classes = Partition<MessageClass>(disjoint: [MessageClass(locale: "it", variant: "a"): [5]])
            try await store.commit([.assign("put-off@once", classes), .outcome("put-off@once", [5], .accepted)])
            #expect(try await store.snapshot().occurrences["put-off@once"]?.classes == classes)
        }
        #expect(notes.texts.count == 1)
        #expect(notes.texts.first?.contains(copy) == true)
        // The next one finds nothing to do.
        _ = try await location().lock(for: "run")
        #expect(notes.texts.count == 1)
    }

    @Test func `one of format 2 keeps what it holds, and goes on with what is half done`() async throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: OldState.v2, toPath: path)
        try await location().lock(for: "run").hold {
            let state = try await location().open(for: .changing).snapshot()
            let old = OldState.content
            #expect(state.topics["tides"]?.recipients == old.topics["tides"]?.recipients)
            #expect(state.groups["family"]?.members == old.groups["family"]?.members)
            #expect((state.dead, state.audienceSizes) == (old.dead, old.audienceSizes))
            let halfDone = try #require(state.occurrences["half-done@once#2"])
            #expect((halfDone.accepted, halfDone.uncertain) == ([1, 2, 3], [4, 5, 6, 7]))
            // Nothing says when it began, and whom it is for.
            #expect(halfDone.begun == nil && halfDone.classes.isEmpty && !halfDone.isReopened)
        }
    }

    @Test(arguments: [OldState.v3, OldState.v4, OldState.v5])
    func `one of format 3 to 5 knows when a send began, whom it is for, and who was here`(old: String) async throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: old, toPath: path)
        try await location().lock(for: "run").hold {
            let state = try await location().open(for: .changing).snapshot()
            let halfDone = try #require(state.occurrences["half-done@once#2"])
            #expect((halfDone.accepted, halfDone.uncertain) == ([1, 2, 3], [4, 5, 6, 7]))
            #expect(halfDone.begun != nil && halfDone.classes.all == RecipientSet(1...12).subtracting([11]))
            #expect(state.stamps.last != nil)
        }
    }

    @Test func `what herald stopped is still held after the upgrade of format 4`() async throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: OldState.v4, toPath: path)
        try await DatabaseQueue(path: path).write {
            try $0.execute(sql: "UPDATE occurrence SET halted = 'rejected' WHERE finished IS NULL")
        }
        try await location().lock(for: "run").hold {
            let closed = Date(timeIntervalSince1970: 1_800_000_000)
            let store = try await location().open(for: .changing)
            let open = try await store.snapshot().occurrences.filter { $0.value.finished == nil }
            #expect(!open.isEmpty && open.allSatisfy { $0.value.halt == .rejected && $0.value.suspended == nil })
            try await store.commit([
                .skip("put-off@once", [5], .outsideWindow), .suspend("put-off@once", at: closed),
            ])
            let putOff = try #require(try await store.snapshot().occurrences["put-off@once"])
            #expect(putOff.ledger?[.skipped] == [5] && putOff.suspended == closed)
        }
    }

    @Test func `one of format 5 takes occurrences in local time after its upgrade`() async throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: OldState.v5, toPath: path)
        try await location().lock(for: "run").hold {
            let store = try await location().open(for: .changing)
            let before = try await store.snapshot()
            #expect(before.occurrences.values.allSatisfy { $0.local == nil && $0.waves.isEmpty })
            #expect(before.watermarks["weekly"]?.at != nil && before.watermarks["weekly"]?.first == nil)
            let local = LocalTime(year: 2026, month: 12, day: 1, hour: 9)
            let wave = Partition<Date>(disjoint: [local.firstInstant: [1, 2]])
            var occurrence = RecordedOccurrence(
                campaign: "dawn", revision: 1, due: local.firstInstant, local: local, contentDigest: "sha256:1",
                target: "audience:anglers")
            try await store.commit([
                .open("dawn@2026-12-01T09:00", occurrence),
                .assign("dawn@2026-12-01T09:00", Partition(disjoint: [MessageClass(): [1, 2]])),
                .waves("dawn@2026-12-01T09:00", wave),
            ])
            (occurrence.classes, occurrence.waves) = (Partition(disjoint: [MessageClass(): [1, 2]]), wave)
            #expect(try await store.snapshot().occurrences["dawn@2026-12-01T09:00"] == occurrence)
            #expect(before.observed.isEmpty && before.topics.values.allSatisfy { !$0.awaitsFile })
            try await store.commit([
                .observed([1, 2], at: local.firstInstant), .reclassify("t", [1], .importedAsManaged),
                .reclassify("t", [1], .left), .awaitFile("t", true),
            ])
            let after = try await store.snapshot()
            #expect(after.observed == wave && after.topics["t"]?.left == [1] && after.topics["t"]?.awaitsFile == true)
        }
    }

    @Test(arguments: [OldState.v2, OldState.v3])
    func `what a failover halted is still held after the upgrade, unless it is finished`(old: String) async throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: old, toPath: path)
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE occurrence SET doubted = TRUE") }
        try await location().lock(for: "run").hold {
            let occurrences = try await location().open(for: .changing).snapshot().occurrences.values
            #expect(Set(occurrences.map { $0.finished == nil }) == [true, false])
            #expect(occurrences.allSatisfy { $0.halt == ($0.finished == nil ? .failedOver : nil) })
        }
    }

    @Test func `the copy beside it is the old state, for its owner's eyes`() async throws {
        _ = try await location().lock(for: "run")
        #expect(try OldState.rows(in: copy) == OldState.rows(in: OldState.v1))
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        #expect(try names() == ["state.sqlite", "state.sqlite.before-v\(Schema.newest)"])
    }

    @Test(arguments: [OldState.v1, OldState.v2, OldState.v3, OldState.v4, OldState.v5])
    func `a backup of an old state is the old state`(_ old: String) async throws {
        let (state, backup) = ("\(folder.path)/old.sqlite", "\(folder.path)/backup.sqlite")
        try FileManager.default.copyItem(atPath: old, toPath: state)
        try await StateFile(path: state, OldState.binding) { _ in }.backUp(to: backup)
        #expect(try OldState.rows(in: backup) == OldState.rows(in: old))
    }

    @Test func `a copy that is there is never replaced`() async throws {
        try folder.write("mine", to: "state.sqlite.before-v\(Schema.newest)")
        _ = try await location().lock(for: "run")
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
        #expect(try OldState.rows(in: "\(copy)-2") == OldState.rows(in: OldState.v1))
    }

    @Test func `what only reads sees the same, and leaves the file alone`() async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let store = try await location().open(for: .reading)
        #expect(try await store.wholeState() == OldState.content)
        #expect(try await store.registrations(of: RecipientSet(1...16)) == OldState.registrations)
        await #expect(throws: StateError.self) { try await store.commit([.pause(nil)]) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try names() == ["state.sqlite"])
        #expect(notes.texts.isEmpty)
    }

    @Test func `a command that changes it without the lock takes the lock to upgrade it`() async throws {
        let lock = try location(project: "harbour-example").lockedBefore(path)
        await #expect {
            _ = try await location().open(for: .changing)
        } throws: {
            if case StateError.locked = $0 { true } else { false }
        }
        #expect(try OldState.rows(in: path) == OldState.rows(in: OldState.v1))
        withExtendedLifetime(lock) {}
    }

    @Test func `what was last written is still in the log, and is upgraded too`() async throws {
        let writer = try DatabaseQueue(path: path)
        try await writer.write { try $0.execute(sql: "INSERT INTO pause VALUES ('weekly')") }
        let crashed = folder.path + "/crashed.sqlite"
        for file in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + file, toPath: crashed + file) }
        let location = StateFile(path: crashed, OldState.binding) { _ in }
        _ = try await location.lock(for: "run")
        #expect(try await location.open(for: .changing).pauses().campaigns == ["half-done", "weekly"])
        #expect(try OldState.rows(in: "\(crashed).before-v\(Schema.newest)")["pause"]?.count == 2)
    }

    // MARK: What stays as it is

    @Test func `a state of another project is not touched`() async throws {
        await #expect {
            _ = try await location(project: "other-app").lock(for: "run")
        } throws: {
            if case StateError.bound = $0 { true } else { false }
        }
        #expect(try OldState.rows(in: path) == OldState.rows(in: OldState.v1))
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test(arguments: [
        "DELETE FROM meta WHERE key = 'lineage'", "DROP TABLE ledger",
        "DROP TABLE occurrence", "UPDATE ledger SET occurrence = 99 WHERE state = 5", "DELETE FROM grdb_migrations",
    ])
    func `a damaged one is refused as such, and neither changed nor copied`(_ sql: String) async throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try await database.write { try $0.execute(sql: sql) }
        let before = try OldState.rows(in: path)
        for use in [StateUse.reading, .changing] {
            await #expect {
                _ = try await location().open(for: use).snapshot()
            } throws: {
                if case StateError.damaged = $0 { true } else { false }
            }
        }
        #expect(try OldState.rows(in: path) == before)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test(arguments: [0, 1, 100, 16_384, 32_768, 200_000])
    func `a truncated one is refused and stays`(length: Int) async throws {
        let bytes = try Data(contentsOf: URL(filePath: path)).prefix(length)
        try bytes.write(to: URL(filePath: path))
        for use in [StateUse.reading, .changing] {
            await #expect(throws: StateError.self) { _ = try await location().open(for: use).wholeState() }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}

extension StateFile {
    /// The lock as an older herald holds it, which upgrades nothing.
    fileprivate func lockedBefore(_ path: String) throws -> RunLock { try RunLock(for: path, run: "older") }
}
