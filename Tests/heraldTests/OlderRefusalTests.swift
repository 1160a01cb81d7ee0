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

    /// As an older herald left it.
    ///
    /// - Parameter fill: what its state has.
    private func town(
        members: some Sequence<Int>, out: some Sequence<Int>, refused: String,
        _ fill: (SQLiteStore) async throws -> [StateChange]
    ) async throws -> Town {
        let town = try Town(
            [
                "herald.yaml": Self.settings, "x.yaml": Self.files + Self.promo, "members.csv": Self.list(members),
                "out.csv": Self.list(out),
            ], at: Self.midnight)
        let identity = RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: "demo-project", endpoint: .emulator,
            created: Self.midnight)
        let store = try SQLiteStore.create(at: "\(town.folder.path)/state.sqlite", identity: identity)
        try await store.commit(fill(store))
        try town.folder.write(
            Self.report(of: identity.lineage, serial: try await store.snapshot().serial, refused),
            to: "runs/20270103T000300Z-ab12.json")
        return town
    }

    /// What a person may type before the first run.
    private static let first = [[], ["pause", "resume"]]

    @Test(
        arguments: [
            (2, "shrank from 150 to 2", "audience_collapse"), (1600, "grew from 150 to 1,600", "audience_growth"),
        ], first)
    func `a list that was refused`(_ list: (size: Int, words: String, kind: String), _ first: [String]) async throws {
        let others = list.size > 150 ? Array(1000..<1000 + list.size - 150) : []
        let (size, words, override) = (list.size, list.words, "\(list.kind)=out")
        let town = try await town(
            members: 1...200, out: Array((1...150).prefix(size)) + others,
            refused: "guard \(list.kind): audience 'out' \(words) recipients (--override \(override))"
        ) { _ in [.audienceSizes(["members": 200, "out": size])] }
        try await expectRefusals(town, "guard \(list.kind): audience 'out' \(words)", first)
        #expect(town.messages().isEmpty)
        try await expectEnd(town, override)
        #expect(town.sent().count == (size > 150 ? 50 : 198))
    }

    @Test(arguments: first)
    func `members of whom many were to leave, while others joined`(_ first: [String]) async throws {
        let town = try await town(
            members: 1001...1250, out: [5000],
            refused:
                "guard max_unsubscribe_percent: 90 would leave topic 'news', 100 % of the 90 herald put there; the limit is 30 % (--override max_unsubscribe_percent=news)"
        ) { store in
            let all = (Array(1...90) + Array(1001...1250)).map { Arrival(Registration.fid($0)) }
            let ids = try await store.intern(all, comparedUpTo: 0)
            return [
                .members("news", RecipientSet(ids.sorted()), .managed, at: Self.midnight),
                .audienceSizes(["members": 250, "out": 1]),
            ]
        }
        // 90 of 340 would be let through.
        try await expectRefusals(town, "90 would leave topic 'news', 100 % of the 90 herald put there", first)
        #expect(town.left(topic: "news").isEmpty)
        try await expectEnd(town, "max_unsubscribe_percent=news")
        #expect(town.left(topic: "news") == Set((1...90).map { Registration.fid($0) }))
        // From now on all who are there count: 70 of 250.
        try town.folder.write(Self.list(1071...1250), to: "members.csv")
        let result = try await town.herald("run")
        #expect(result.failure == nil, "\(result.errors)")
        #expect(town.left(topic: "news").count == 160)
    }

    /// The person lets it through, and it is not refused again, wherever the reports are.
    private func expectEnd(_ town: Town, _ override: String) async throws {
        let report = "\(town.folder.path)/elsewhere.json"
        let applied = try await town.herald("apply", "--override", override, "--auto-approve", "--report", report)
        #expect(applied.failure == nil, "\(applied.errors)")
        let result = try await town.herald("run", "--report", report)
        #expect(result.failure == nil, "\(result.output)\(result.errors)")
    }

    private func expectRefusals(_ town: Town, _ words: String, _ first: [String]) async throws {
        for command in first { #expect(try await town.herald(command).failure == nil) }
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
