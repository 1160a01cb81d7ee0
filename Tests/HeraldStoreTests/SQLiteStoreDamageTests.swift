import FCM
import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// Files that are not a state, or a damaged one. None may crash herald, and none may be accepted as a state.
struct SQLiteStoreDamageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/state.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    @Test func `a missing state is missing`() {
        #expect(throws: StateError.missing(path: path)) { try SQLiteStore.open(at: path) }
    }

    @Test(arguments: [
        "", "x", "this is not a database, and longer than a header of one: " + String(repeating: "-", count: 999),
    ])
    func `a file that is no database is damaged and stays as it is`(_ text: String) throws {
        try folder.write(text, to: "state.sqlite")
        #expect { try SQLiteStore.open(at: path) } throws: { isDamaged($0) }
        #expect(try folder.read("state.sqlite") == text)
    }

    @Test func `a folder is no state`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(throws: StateError.self) { try SQLiteStore.open(at: path) }
    }

    @Test(arguments: [
        "CREATE TABLE diary (day TEXT)", "CREATE TABLE meta (key TEXT, value ANY)",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('1')",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('1st'), ('2nd'), ('3rd')",
    ])
    func `somebody else's database is damaged as a state and stays as it is`(_ sql: String) throws {
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: sql) }
        try other.close()
        let before = try Data(contentsOf: URL(filePath: path))
        #expect { try SQLiteStore.open(at: path) } throws: { isDamaged($0) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a state of a newer herald is told from a damaged one`() async throws {
        try await makeRecord()
        try tamper("INSERT INTO grdb_migrations (identifier) VALUES ('\(Schema.newest + 1)')")
        #expect(throws: StateError.newer(path: path)) { try SQLiteStore.open(at: path) }
    }

    /// Each value makes no sense, though SQLite finds nothing wrong.
    @Test(arguments: [
        "DELETE FROM meta WHERE key = 'fingerprint_key'", "UPDATE meta SET value = x'00' WHERE key = 'fingerprint_key'",
        "UPDATE meta SET value = 'moon' WHERE key = 'endpoint'", "DELETE FROM meta WHERE key = 'project'",
        "DELETE FROM meta WHERE key = 'lineage'", "UPDATE meta SET value = 'then' WHERE key = 'created'",
        "UPDATE meta SET value = 1e300 WHERE key = 'created'",
        "DELETE FROM meta WHERE key = 'serial'", "UPDATE meta SET value = 'x' WHERE key = 'serial'", "DELETE FROM meta",
        "UPDATE membership SET members = members + 1", "UPDATE ledger SET members = 0",
        "UPDATE membership SET bytes = x'' WHERE state = 1", "UPDATE ledger SET bytes = x'0401000200'",
        "UPDATE membership SET state = 6 WHERE state = 2", "UPDATE ledger SET state = -1 WHERE state = 1",
        "UPDATE membership SET chunk = 65536 WHERE state = 2 AND chunk = 1", "UPDATE ledger SET chunk = -1",
        "INSERT INTO membership SELECT topic, 0, chunk, members, bytes, 0 FROM membership WHERE state = 1",
        "INSERT OR REPLACE INTO ledger SELECT occurrence, 2, chunk, members, bytes, 0 FROM ledger WHERE state = 1",
        "UPDATE membership SET topic = topic + 100", "UPDATE ledger SET occurrence = 100",
        "UPDATE topic SET name = name || ' '", "UPDATE topic SET changed = 1e300", "UPDATE occurrence SET due = -9e999",
        "UPDATE occurrence SET finished = 1e18", "INSERT INTO watermark VALUES ('tide', 9e999, '', 0, 0)",
        "INSERT INTO watermark VALUES ('tide', 0, '', 9e999, 0)",
        "INSERT INTO watermark VALUES ('tide', 0, '', 0, 9e999)",
        "INSERT INTO recipient VALUES (-1, 'k'); INSERT INTO tombstone (recipient, registration, died, migrated) VALUES (-1, 'k', 0, 0)",
        "INSERT INTO former VALUES (1, 1, 'k')", "INSERT INTO former VALUES (4294967296, 1, 'k')",
        "INSERT INTO former VALUES (2147483648, 0, 'k')",
        "INSERT INTO recipient VALUES (4294967296, 'k')", "INSERT INTO recipient VALUES (4294967295, 'k')",
        "INSERT INTO recipient VALUES (9223372036854775807, 'k')",
        "UPDATE device_group SET name = 'two words'", "UPDATE device_group SET name = ''",
        "UPDATE device_group SET notification_key = ''", "UPDATE device_group SET notification_key = 'a b'",
        "DELETE FROM device_group", "UPDATE group_membership SET state = 7 WHERE state = 1",
        "UPDATE group_membership SET state = -1 WHERE state = 1",
        "UPDATE group_membership SET chunk = 65536", "UPDATE group_membership SET members = members + 1",
        "UPDATE group_membership SET bytes = x'00'", "UPDATE group_membership SET device_group = 99",
        "INSERT OR REPLACE INTO group_membership SELECT device_group, 0, chunk, members, bytes, 0 FROM group_membership WHERE state = 1",
        "DELETE FROM code", "UPDATE rejection SET state = 99", "UPDATE rejection SET state = -1",
        "UPDATE rejection SET occurrence = 99", "UPDATE rejection SET members = 0", "UPDATE rejection SET bytes = x''",
        "UPDATE rejection SET chunk = -1", "UPDATE watermark SET at = 9e999", "UPDATE watermark SET next = -1e300",
        "UPDATE test SET at = 9e999", "UPDATE meta SET value = 'smtp' WHERE key = 'topic_api'",
        "INSERT INTO meta (key, value) VALUES ('send_quota', 0), ('send_quota_found', 1)",
        "INSERT INTO meta (key, value) VALUES ('send_quota', 1000000001), ('send_quota_found', 1)",
        "INSERT INTO meta (key, value) VALUES ('send_quota', 600000), ('send_quota_found', 9e999)",
        "DROP TABLE pause", "DROP TABLE test", "DROP TABLE code", "DROP TABLE rejection", "DROP TABLE device_group",
        "DROP TABLE pause; CREATE TABLE pause (campaign); INSERT INTO pause VALUES (NULL)",
        "DROP TABLE test; CREATE TABLE test (id, campaign, at, accepted, rejected, unknown); INSERT INTO test VALUES (1, 'a', 0, NULL, 0, 0)",
        "DROP TABLE code; CREATE TABLE code (id, code); INSERT INTO code VALUES (NULL, NULL)",
        "DROP TABLE rejection; CREATE TABLE rejection (occurrence, state, chunk, members, bytes, checksum); INSERT INTO rejection VALUES (NULL, 1, 1, 1, x'', 1)",
        "DROP TABLE device_group; CREATE TABLE device_group (id, name, notification_key); INSERT INTO device_group VALUES (NULL, 'g', NULL)",
        // Who gets which text.
        "DELETE FROM message_class", "UPDATE message_class SET id = id + 7",
        "UPDATE assignment SET state = 99 WHERE state = 1",
        "UPDATE assignment SET state = -1 WHERE state = 1", "UPDATE assignment SET occurrence = 99",
        "UPDATE occurrence SET finished = 1; UPDATE assignment SET occurrence = 99 WHERE state = 2",
        "UPDATE assignment SET members = 0", "UPDATE assignment SET members = members + 1",
        "UPDATE assignment SET bytes = x''", "UPDATE assignment SET chunk = -1",
        "INSERT OR REPLACE INTO assignment SELECT occurrence, 2, chunk, members, bytes, 0 FROM assignment WHERE state = 1",
        "DROP TABLE assignment", "DROP TABLE message_class",
        "DROP TABLE assignment; CREATE TABLE assignment (occurrence, state, chunk, members, bytes, checksum); INSERT INTO assignment VALUES (NULL, 1, 1, 1, x'', 1)",
        "DROP TABLE assignment; CREATE TABLE assignment (occurrence, state, chunk, members, bytes, checksum); INSERT INTO assignment VALUES (1, NULL, 1, 1, x'', 1)",
        "DROP TABLE message_class; CREATE TABLE message_class (id, locale, variant, holdout); INSERT INTO message_class VALUES (NULL, NULL, NULL, 0)",
        "DROP TABLE message_class; CREATE TABLE message_class (id, locale, variant, holdout); INSERT INTO message_class VALUES (1, x'00ff', NULL, 0)",
        "DROP TABLE message_class; CREATE TABLE message_class (id, locale, variant, holdout); INSERT INTO message_class VALUES (1, NULL, NULL, NULL)",
        // In finished occurrences, which have only counts.
        "UPDATE occurrence SET finished = 1; UPDATE ledger SET members = 0",
        "UPDATE occurrence SET finished = 1; UPDATE ledger SET members = 65537",
        "UPDATE occurrence SET finished = 1; UPDATE ledger SET chunk = 65536 WHERE state = 1",
        "UPDATE occurrence SET finished = 1; UPDATE ledger SET state = 9 WHERE state = 1",
        "UPDATE occurrence SET finished = 1; UPDATE rejection SET state = 99",
        "UPDATE occurrence SET finished = 1; UPDATE rejection SET occurrence = 99",
        "UPDATE occurrence SET finished = 1; UPDATE ledger SET occurrence = 100",
        // In pruned occurrences.
        "UPDATE occurrence SET finished = 1, pruned = 1; INSERT INTO ledger_count SELECT occurrence, state, members FROM ledger",
        "UPDATE occurrence SET finished = 1, pruned = 1; DELETE FROM ledger; INSERT INTO ledger_count VALUES (1, 9, 1)",
        "UPDATE occurrence SET finished = 1, pruned = 1; DELETE FROM ledger; INSERT INTO ledger_count VALUES (1, 1, 0)",
        "UPDATE occurrence SET finished = 1, pruned = 1; DELETE FROM ledger; INSERT INTO ledger_count VALUES (1, 1, 1e18)",
        "INSERT INTO ledger_count VALUES (9, 1, 1)", "INSERT INTO rejection_count VALUES (9, 1, 1)",
        "UPDATE occurrence SET finished = 1; INSERT INTO rejection_count VALUES (1, 9, 1)",
        "DROP TABLE ledger_count", "DROP TABLE rejection_count", "INSERT INTO meta VALUES ('last_erased', 9e9)",
        // A table with these columns, but without types.
        "DROP TABLE audience_size; CREATE TABLE audience_size (name, size); INSERT INTO audience_size VALUES (NULL, 1)",
        "DROP TABLE audience_size; CREATE TABLE audience_size (name, size); INSERT INTO audience_size VALUES ('a', NULL)",
        "DROP TABLE watermark; CREATE TABLE watermark (campaign, at, schedule, next, first); INSERT INTO watermark VALUES ('a', NULL, '', NULL, NULL)",
        "DROP TABLE watermark; CREATE TABLE watermark (campaign, at, schedule, next, first); INSERT INTO watermark VALUES ('a', 0, NULL, NULL, NULL)",
        "DROP TABLE spent_plan; CREATE TABLE spent_plan (id); INSERT INTO spent_plan VALUES (NULL)",
        "DROP TABLE tombstone", "DROP TABLE former", "DROP TABLE former_name",
        "DROP TABLE former; CREATE TABLE former (id, recipient, registration); INSERT INTO former VALUES (NULL, 1, 'k')",
        "DROP TABLE former_name; CREATE TABLE former_name (campaign, name); INSERT INTO former_name VALUES (NULL, NULL)",
        "DROP TABLE membership; CREATE TABLE membership (topic, state, chunk, members, bytes, checksum); INSERT INTO membership VALUES (1, NULL, NULL, NULL, NULL, NULL)",
        "DROP TABLE ledger; CREATE TABLE ledger (occurrence, state, chunk, members, bytes, checksum); INSERT INTO ledger VALUES (NULL, 1, 1, 1, x'', 1)",
        "DROP TABLE topic; CREATE TABLE topic (id, name, changed); INSERT INTO topic VALUES (NULL, NULL, NULL)",
        "DROP TABLE occurrence; CREATE TABLE occurrence (id, name, campaign, revision, due, content_digest, target, finished, pruned); INSERT INTO occurrence VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        "DROP TABLE meta; CREATE TABLE meta (key, value); INSERT INTO meta VALUES ('fingerprint_key', NULL)",
        "DROP TABLE occurrence", "DROP TABLE membership", "DROP TABLE meta",
    ])
    func `tables that make no sense are damage`(_ sql: String) async throws {
        try await makeRecord()
        try tamper(sql, sealing: true)
        await #expect { _ = try await SQLiteStore.open(at: path).wholeState() } throws: { isDamaged($0) }
    }

    /// Each of these is a set that could be in that place.
    @Test(arguments: [
        ("membership", "bytes = x'010500'"), ("membership", "state = 0"), ("membership", "chunk = 7"),
        ("ledger", "bytes = x'010500'"), ("ledger", "checksum = checksum + 1"),
        ("group_membership", "bytes = x'010500'"), ("rejection", "bytes = x'010600'"),
        ("assignment", "bytes = x'010500'"), ("assignment", "chunk = 7"),
    ])
    func `a set that was changed is damage, which names the table`(_ table: String, _ change: String) async throws {
        try await makeRecord()
        try tamper("UPDATE \(table) SET members = 1, \(change) WHERE members = (SELECT min(members) FROM \(table))")
        await #expect { _ = try await SQLiteStore.open(at: path).wholeState() } throws: {
            if case StateError.damaged(path, let detail) = $0 { detail.hasPrefix("\(table) has a set") } else { false }
        }
    }

    @Test func `what is known of one recipient comes from no set that was changed`() async throws {
        try await makeRecord()
        try tamper("UPDATE ledger SET checksum = 0")
        let store = try SQLiteStore.open(at: path)
        await #expect { _ = try await store.trace(of: 1) } throws: { isDamaged($0) }
    }

    @Test func `of a finished occurrence no set is read until somebody asks for it`() async throws {
        try await makeRecord()
        try tamper(
            "UPDATE occurrence SET finished = 1"
                + ["ledger", "rejection", "assignment"].map { "; UPDATE \($0) SET bytes = x''" }.joined())
        let store = try SQLiteStore.open(at: path)
        let counts = try #require(try await store.snapshot().occurrences[.tide]?.counts)
        #expect(counts[.accepted] == 300)
        #expect(counts.rejections == ["INVALID_ARGUMENT": 2])
        await #expect { _ = try await store.occurrence(.tide) } throws: { isDamaged($0) }
        await #expect { _ = try await store.trace(of: 1) } throws: { isDamaged($0) }
    }

    @Test(arguments: [
        "UPDATE recipient SET registration = 'x'", "UPDATE recipient SET registration = registration || ' '",
        "UPDATE recipient SET id = id + 4294967296", "INSERT INTO recipient VALUES (4294967296, 'k')",
        "DROP TABLE recipient; CREATE TABLE recipient (id, registration); INSERT INTO recipient VALUES (2, NULL)",
    ])
    func `recipients that make no sense are damage`(_ sql: String) async throws {
        try await makeRecord()
        try tamper(sql)
        await #expect {
            _ = try await SQLiteStore.open(at: path).recipients(after: 0, limit: 1000)
        } throws: { isDamaged($0) }
    }

    @Test(arguments: [
        "UPDATE recipient SET registration = 'x'", "UPDATE recipient SET registration = ''",
        "DROP TABLE recipient; CREATE TABLE recipient (id, registration); INSERT INTO recipient VALUES (2, NULL)",
    ])
    func `a registration that has not the form of one is damage`(_ sql: String) async throws {
        try await makeRecord()
        try tamper(sql + (sql.contains("UPDATE") ? " WHERE id = 2" : ""))
        await #expect { _ = try await SQLiteStore.open(at: path).registrations(of: [2]) } throws: { isDamaged($0) }
    }

    @Test(arguments: Array(stride(from: 0, to: 1, by: 0.04)))
    func `a state short of a page or more is an error`(share: Double) async throws {
        try await makeRecord()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let length = min(Int(Double(bytes.count) * share), bytes.count - 4096)
        try bytes.prefix(length).write(to: URL(filePath: path))
        await #expect(throws: StateError.self) {
            let store = try SQLiteStore.open(at: path)
            _ = try await store.wholeState()
            _ = try await store.registrations(of: RecipientSet(1...400))
        }
    }

    /// Damage may go unnoticed if form and count stay valid. If it is noticed, it is an error of ours, and never a
    /// crash.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `damaged bytes are read or refused`(seed: UInt64) async throws {
        try await makeRecord()
        let sound = Array(try Data(contentsOf: URL(filePath: path)))
        // Most of a page is empty, so only bytes with content are damaged.
        let places = sound.indices.filter { sound[$0] != 0 }
        var random = SeededRandom(seed: seed)
        for round in 0..<12 {
            var bytes = sound
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let first = places.randomElement(using: &random) ?? 0
                for place in first..<min(first + Int.random(in: 1...3, using: &random), bytes.count) {
                    bytes[place] = Bool.random(using: &random) ? .random(in: 0...255, using: &random) : 0
                }
            }
            let file = "damaged-\(round).sqlite"
            try folder.write(bytes, to: file)
            do {
                let store = try SQLiteStore.open(at: folder.path + "/" + file)
                let state = try await store.wholeState()
                _ = try await store.recipients(after: 0, limit: 1000)
                _ = try await store.recipient(for: Registration.fid(400).recipientKey)
                _ = try await store.registrations(of: RecipientSet(1...400))
                try await store.commit([
                    .register([state.nextRecipient: .fid(1_000_000)]),
                    .members("tides", [5, 70_000], .preexisting, at: .at(0)),
                    .outcome(.tide, [5], .unknown), .forget([1], at: .at(0)),
                ])
            } catch {
                #expect(error is StateError, "seed \(seed), round \(round)")
            }
        }
    }

    // MARK: Backups

    private var location: StateFile {
        StateFile(path: path, StateBinding(project: "tide-app", endpoint: .emulator, workspace: "tide")) { _ in }
    }

    @Test(arguments: [
        "UPDATE membership SET bytes = x'' WHERE state = 1", "UPDATE recipient SET registration = 'x' WHERE id = 2",
        "DROP TABLE pause",
    ])
    func `no backup is made of a damaged state`(_ sql: String) async throws {
        try await makeRecord()
        try await location.backUp(to: "\(folder.path)/sound.sqlite")
        try tamper(sql)
        await #expect { try await location.backUp(to: "\(folder.path)/backup.sqlite") } throws: { isDamaged($0) }
        try hasNothingBut(["sound.sqlite", "state.sqlite"])
    }

    @Test func `no backup is made of a state with torn pages`() async throws {
        try await makeRecord()
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let middle = bytes.count / 2
        bytes.replaceSubrange(middle..<bytes.count, with: [UInt8](repeating: 0xff, count: bytes.count - middle))
        try folder.write(bytes, to: "state.sqlite")
        await #expect { try await location.backUp(to: "\(folder.path)/backup.sqlite") } throws: { isDamaged($0) }
        try hasNothingBut(["state.sqlite"])
    }

    /// Nothing is left of a file that was not finished.
    private func hasNothingBut(_ names: [String]) throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(found.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted() == names)
    }

    // MARK: -

    /// A state with something in every table, closed, and so in one file.
    private func makeRecord() async throws {
        let store = try SQLiteStore.create(at: path, identity: OpenStore.identity)
        var numbers = (1...400).map { (RecipientID($0), Registration.fid($0)) }
        numbers += (401...420).map { (RecipientID($0), Registration.token($0)) }
        try await store.commit([
            .register(Dictionary(uniqueKeysWithValues: numbers)), .spendPlan("p"),
            .members("tides", RecipientSet((1...130).map { $0 * 3 }), .managed, at: .at(0)),
            .members("tides", [1, 2, 70_000], .preexisting, at: .at(0)),
            .members("winds", RecipientSet(1...400), .managed, at: .at(0)),
            .open(.tide, .sample()), .outcome(.tide, RecipientSet(1...300), .accepted),
            .outcome(.tide, [301, 303], .unknown), .audienceSizes(["anglers": 400]), .watermark("cron", .at(0)),
            .groupKey("chris", NotificationKey(rawValue: "APA91b")), .groupMembers("chris", [1, 2], .member),
            .assign(
                .tide,
                Partition(disjoint: [
                    MessageClass(): RecipientSet(1...350), MessageClass(locale: "it", variant: "a"): [351, 360],
                ])),
            .groupMembers("chris", [3], .adding), .reject(.tide, [304, 305], code: "INVALID_ARGUMENT"),
            .pause("tide"), .topicAPI(.iid, at: .at(7)),
            .test(RecordedTest(campaign: "tide", at: .at(0), accepted: 1, rejected: 0, unknown: 0)),
            .forget([420], at: .at(0)),
        ])
        try store.database.close()
    }

    /// - Parameter sealing: whether the sets get the checksums of what they are now.
    private func tamper(_ sql: String, sealing: Bool = false) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { db in
            try db.execute(sql: sql)
            guard sealing else { return }
            // A table may be gone.
            try? ChunkTable.membership.seal(db)
            try? ChunkTable.groupMembership.seal(db)
            try? ChunkTable.ledger.seal(db)
            try? ChunkTable.rejection.seal(db)
            try? ChunkTable.assignment.seal(db)
        }
        try database.close()
    }

    private func isDamaged(_ error: any Error) -> Bool {
        if case StateError.damaged(path, _) = error { true } else { false }
    }
}
