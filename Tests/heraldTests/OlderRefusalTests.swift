import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What a herald of format 2 refused stays refused after the upgrade, although that herald went on from there: it noted the
/// size of the refused list, and let others join a topic that many were to leave. Its last report says so.
struct OlderRefusalTests {
    /// 2027-01-04T00:00:00Z
    private static let midnight = Date(timeIntervalSince1970: 1_799_020_800)

    private static let settings = """
        herald: 2
        project: demo-project
        fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
        suppress: [out]

        """

    private static let files = """
        kind: audience
        name: members
        source: {file: members.csv}
        ---
        kind: audience
        name: out
        source: {file: out.csv}
        ---
        kind: topic
        name: news
        subscribers: [members]

        """

    private static let promo = """
        ---
        kind: campaign
        name: promo
        target: {audience: members}
        message: {notification: {title: Promo}}

        """

    private static func list(_ numbers: some Sequence<Int>) -> String {
        "fid\n" + numbers.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    private func town(members: some Sequence<Int>, out: some Sequence<Int>) async throws -> Town {
        let town = try Town(
            [
                "herald.yaml": Self.settings, "x.yaml": Self.files, "members.csv": Self.list(members),
                "out.csv": Self.list(out),
            ], at: Self.midnight)
        for command in [["state", "init"], ["run"]] {
            let result = try await town.herald(command)
            #expect(result.failure == nil, "\(result.errors)")
        }
        return town
    }

    /// As the older herald left the state and its reports.
    private func age(_ town: Town, _ refused: String, _ changes: [StateChange] = []) async throws {
        let store = try SQLiteStore.open(at: "\(town.folder.path)/state.sqlite")
        if !changes.isEmpty { try await store.commit(changes) }
        let reports = "\(town.folder.path)/runs"
        for name in try FileManager.default.contentsOfDirectory(atPath: reports) {
            try FileManager.default.removeItem(atPath: "\(reports)/\(name)")
        }
        let state = try await store.snapshot()
        try town.folder.write(
            Self.report(of: state.identity.lineage, serial: state.serial, refused),
            to: "runs/20270104T000300Z-ab12.json")
    }

    @Test(arguments: [
        (2, "shrank from 150 to 2", "audience_collapse"), (1600, "grew from 150 to 1,600", "audience_growth"),
    ])
    func `a list that was refused`(_ size: Int, _ words: String, _ kind: String) async throws {
        let town = try await town(members: 1...200, out: 1...150)
        try await age(
            town, "guard \(kind): audience 'out' \(words) recipients (--override \(kind)=out)",
            [.audienceSizes(["members": 200, "out": size])])
        let others = size > 150 ? Array(1000..<1000 + size - 150) : []
        try town.folder.write(Self.list(Array((1...150).prefix(size)) + others), to: "out.csv")
        try town.folder.write(Self.files + Self.promo, to: "x.yaml")
        try await expectRefusals(town, "guard \(kind): audience 'out' \(words)")
        #expect(town.messages().isEmpty)
        let applied = try await town.herald("apply", "--override", "\(kind)=out", "--auto-approve")
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(town.sent().count == (size > 150 ? 50 : 198))
    }

    @Test func `members of whom many were to leave, while others joined`() async throws {
        let town = try await town(members: Array(1...90) + Array(1001...1250), out: [5000])
        try await age(
            town,
            "guard max_unsubscribe_percent: 90 would leave topic 'news', 100 % of the 90 herald put there; the limit is 30 % (--override max_unsubscribe_percent=news)"
        )
        // 90 of 340 would be let through.
        try town.folder.write(Self.list(1001...1250), to: "members.csv")
        try await expectRefusals(town, "90 would leave topic 'news', 100 % of the 90 herald put there")
        #expect(town.members(of: "news").count == 340)
        let applied = try await town.herald(
            "apply", "--override", "max_unsubscribe_percent=news", "--auto-approve")
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(town.members(of: "news").count == 250)
    }

    private func expectRefusals(_ town: Town, _ words: String) async throws {
        for number in 1...3 {
            town.pass(600)
            let result = try await town.herald("run")
            #expect(result.failure?.status == .refused, "run \(number): \(result.output)\(result.errors)")
            #expect(result.errors.contains(words), "run \(number): \(result.output)\(result.errors)")
        }
    }

    /// A report of herald 0.1.0.
    private static func report(of lineage: String, serial: Int64, _ refused: String) -> String {
        let none = "\"accepted\": 0, \"rejected\": 0, \"unknown\": 0, \"skipped\": 0, \"pending\": 0"
        return """
            {"schema": "herald.report/1", "run": "20270104T000300Z-ab12", "herald_version": "0.1.0", "dry_run": false,
             "project": "demo-project", "endpoint": "emulator", "git_commit": null, "result": "refused",
             "plan_digest": "sha256:\(String(repeating: "0", count: 64))", "overrides": [], "notes": [], "missed": [],
             "superseded": [], "started": "2027-01-04T00:03:00Z", "finished": "2027-01-04T00:03:00Z",
             "state": {"lineage": "\(lineage)", "serial": \(serial)},
             "summary": {"planned": 50, "held": 50, \(none), "forgotten": 0, "missed": 0, "possible_duplicates": 0,
                         "retries": 0, "subscribed": 0, "superseded": 0, "unsubscribed": 0,
                         "messages": {"planned": 0, "held": 0, \(none)},
                         "memberships": {"planned": 50, "held": 50, \(none)}},
             "steps": [{"id": "subscribe:news", "action": "subscribe", "topic": "news", "planned": 50, "held": 50,
                        \(none), "duration_ms": 0, "failures": [], "message_ids": [], "stopped": "\(refused)"}]}
            """
    }
}
