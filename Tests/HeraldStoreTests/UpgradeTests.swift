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

/// The fixture of format 1, as its README says.
enum OldState {
    static let v1 = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures/states/v1/state.sqlite").path

    static let v2 = v1.replacing("states/v1", with: "states/v2")
    static let v3 = v1.replacing("states/v1", with: "states/v3")
    static let v4 = v1.replacing("states/v1", with: "states/v4")
    static let v5 = v1.replacing("states/v1", with: "states/v5")

    static let binding = StateBinding(project: "harbour-example", endpoint: .emulator, workspace: nil)

    static let fingerprintKey: [UInt8] = [
        0xdf, 0x26, 0x58, 0x62, 0xe7, 0x91, 0x5b, 0x1c, 0x9e, 0x36, 0x88, 0x71, 0x55, 0x14, 0xe1, 0xe0,
        0x4e, 0x5f, 0xfd, 0xa6, 0x21, 0xb9, 0x46, 0x39, 0x48, 0x94, 0x54, 0xb0, 0x98, 0xad, 0x28, 0x6f,
    ]

    static var registrations: [RecipientID: Registration] {
        var all: [RecipientID: Registration] = [:]
        func pad(_ number: Int) -> String { String(repeating: "0", count: number < 10 ? 9 : 8) + "\(number)" }
        for number in 1...12 { all[RecipientID(number)] = Registration("cInventedFid" + pad(number)) }
        for (id, number) in zip([13, 14, 15, 16], 21...24) {
            let filler = String(repeating: "x", count: 100)
            all[RecipientID(id)] = Registration("dInventedApp\(pad(number)):INVENTED-TOKEN-\(filler)")
        }
        return all
    }

    static var content: HeraldCore.RecordedState {
        var state = HeraldCore.RecordedState(
            identity: .init(
                lineage: "0b489eba-9620-4fb7-ad0c-017863954ef7", project: "harbour-example", endpoint: .emulator,
                created: Date(timeIntervalSince1970: 1793534400.0011196)))
        state.serial = 42
        state.topics["tides", default: RecordedTopic()].managed = [1, 4, 5, 6, 7, 8, 9, 10, 12]
        state.topics["tides"]?.preexisting = [2, 3]
        state.topics["tides"]?.changed = Date(timeIntervalSince1970: 1793534400.1117775)
        state.topics["winds", default: RecordedTopic()].subscribing = [1]
        state.topics["winds"]?.changed = Date(timeIntervalSince1970: 1793610020.0546203)
        state.groups["family", default: RecordedGroup()].members = [13, 14]
        state.groups["family"]?.key = NotificationKey(
            rawValue: "APA91bw8mykiujJmIS49iUvnj7GiSKj7Usn7NtnxORIdunrhnuZDRCdNtLtTvtr8Q2GcLFJAgJ72fdI_oZIJ6Im5JLbod"
                + "LDKX4JIGb4FRbutGJjEY8CGuR-DdY-rIlPimkNYeAnNqsiP")
        state.groups["crew", default: RecordedGroup()].adding = [15]
        (state.dead, state.migratedDead) = ([11, 16], [11, 16])
        state.spentPlans = ["plan-1dbeba74-d21f-4f22-9fde-8ccf9b9ae9e3"]
        state.audienceSizes = ["anglers": 12, "rome": 5]
        state.watermarks["weekly"] = Watermark(
            at: Date(timeIntervalSince1970: 1793610020.0253718), schedule: "cron 0 9 * * 1 UTC gap=next overlap=first",
            next: Date(timeIntervalSince1970: 1794214800))
        state.pauses.campaigns = ["half-done"]
        state.topicAPI = .init(.registrations, at: .distantPast)
        state.tests = [
            RecordedTest(
                campaign: "welcome", at: Date(timeIntervalSince1970: 1795346347.469266), accepted: 2, rejected: 0,
                unknown: 0)
        ]
        state.nextRecipient = 17
        state.occurrences = occurrences
        return state
    }

    private static var occurrences: [OccurrenceID: RecordedOccurrence] {
        let rome: (RecipientSet) -> RecipientSet = { RecipientSet(1...5).subtracting($0) }
        return [
            "missed@2026-10-01T09:00:00Z": occurrence(
                "missed", "44eb261ba49b28f00260bb206d3fadd3e0c43c83bf00942b7eed64ce1bae567e", due: 1_790_845_200,
                finished: 1793534400.0492911, [:]),
            "weekly@2026-11-02T09:00:00Z": occurrence(
                "weekly", "6201be10c011448068490278ed661a4ba4bfc26df1bd1b3cafb51d30e3d8ee62", to: "topic:tides",
                due: 1_793_610_000, finished: 1793610020.0640297, [.accepted: [0]]),
            "welcome@once": occurrence(
                "welcome", "2063feb1e0fa5303f20ef48791706984dbc29c7739bf2bc6a082140c6bc83926", to: "audience:anglers",
                finished: 1795346347.264875, [.accepted: RecipientSet(1...10)], refused: [12]),
            "unsure@once": occurrence(
                "unsure", "7c72fa7b5872aff95e10133920aba36a5e1678f70966fd76d2aa5b199c7d4684",
                finished: 1793610020.128758, [.accepted: rome([4]), .unknown: [4]]),
            "given-up@once": occurrence(
                "given-up", "47c9a84275cb43e63ac6ac53d42295fc37e647334a780de5346fc271bacbee4e",
                finished: 1793610020.1217356, [.accepted: rome([4]), .abandoned: [4]]),
            "put-off@once": occurrence(
                "put-off", "24e58dc01149936156ea98ec55fd2e987a0f8d0e727d3f50418863691b612676", finished: nil,
                [.accepted: rome([5]), .deferred: [5]]),
            "half-done@once#2": occurrence(
                "half-done", "e847da7e4a8ed819e2fb70951742a31b507ea19e864e2796315d713b4695ced5",
                to: "audience:anglers", revision: 2, finished: nil, [.accepted: [1, 2, 4], .intended: [3, 5, 6, 7]]),
        ]
    }

    private static func occurrence(
        _ campaign: String, _ digest: String, to target: String = "audience:rome", revision: Int = 1,
        due: Double? = nil, finished: Double?, _ entries: [LedgerEntry: RecipientSet], refused: RecipientSet = []
    ) -> RecordedOccurrence {
        var occurrence = RecordedOccurrence(
            campaign: campaign, revision: revision, due: due.map { Date(timeIntervalSince1970: $0) },
            contentDigest: "sha256:\(digest)", target: target)
        occurrence.finished = finished.map { Date(timeIntervalSince1970: $0) }
        var ledger = Ledger()
        for (entry, members) in entries { ledger.move(members, to: entry) }
        if !refused.isEmpty { ledger.reject(refused, code: "SENDER_ID_MISMATCH") }
        occurrence.outcomes = .ledger(ledger)
        return occurrence
    }

    /// Everything in a file, by table.
    static func rows(in path: String) throws -> [String: [String]] {
        try DatabaseQueue(path: path).read { db in
            let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    (table, try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\($0)" })
                })
        }
    }
}

extension OccurrenceID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(rawValue: text) }
}
