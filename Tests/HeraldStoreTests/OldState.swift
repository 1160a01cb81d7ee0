import FCM
import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport

@testable import HeraldStore

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
