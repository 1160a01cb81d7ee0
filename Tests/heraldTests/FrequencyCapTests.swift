import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Frequency caps through herald's own command lines, with a clock of the test.
struct FrequencyCapTests {
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static func campaign(_ name: String, _ rest: String = "") -> String {
        """
        kind: campaign
        name: \(name)
        tags: [promo]
        target: {audience: members}
        message: {notification: {title: \(name)}}
        \(rest)

        """
    }

    private static func files(_ campaigns: String..., members: ClosedRange<Int> = 1...3) -> [String: String] {
        [
            "herald.yaml": """
            herald: 2
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            frequency_caps:
              - {name: promo, max: 1, per: 24h, tags: [promo]}

            """,
            "members.csv": "fid\n" + members.map { "\(Registration.fid($0).rawValue)\n" }.joined(),
            "audience.yaml": "kind: audience\nname: members\nsource: {file: members.csv}\n",
            "campaigns.yaml": campaigns.joined(separator: "---\n"),
        ]
    }

    private func write(_ files: [String: String], _ town: Town) throws {
        for (name, text) in files { try town.folder.write(text, to: name) }
    }

    @Test func `of two campaigns that are due, people get the one of the higher priority`() async throws {
        let (ebb, flood) = (Self.campaign("ebb"), Self.campaign("flood", "priority: 7"))
        let town = try Town(Self.files(ebb, flood), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("skipped: 3 by cap 'promo'"), "\(plan.output)")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(run.output.contains("skipped: 3 by cap 'promo'"))
        #expect(town.sent("flood").count == 3 && town.sent("ebb").isEmpty)
        let found = try await town.herald("state", "find", Registration.fid(1).rawValue)
        #expect(found.output.contains("ebb@once: skipped (capped:promo)"), "\(found.output)")
        #expect(found.output.contains("counts for caps as sent by 2027-01-04T00:00:00Z: flood@once with promo"))
        let full = "cap 'promo' (1 per 1d of promo): flood@once, full until 2027-01-05T00:00:00Z"
        #expect(found.output.contains(full), "\(found.output)")
        #expect(!found.output.contains("waits for"), "\(found.output)")
        let shown = try await town.herald("state", "show")
        #expect(shown.output.contains("0 accepted, skipped: 3 by cap 'promo', nobody was tried, finished"))
        // It is final: nothing queues behind a cap.
        town.pass(2 * 86_400)
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("ebb").isEmpty)
    }

    /// - Parameter last: up to whom of forty people have had a message.
    @Test(arguments: [("15m", 40), ("manual", 40), ("15m", 1)])
    func `a plan says so if caps leave nobody in a stage`(_ soak: String, _ last: Int) async throws {
        let town = try Town(Self.files(Self.campaign("ebb"), members: 1...last), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        let staged = Self.campaign("flood", "delivery: {stages: [50%, 100%], soak: \(soak)}")
        try write(Self.files(Self.campaign("ebb"), staged, members: 1...40), town)
        let plan = try await town.herald("plan")
        let missing = soak == "manual" ? "a decision" : "a soak"
        let words = "so nobody gets it in stage 50 %; stage 100 % opens without \(missing)"
        #expect(plan.output.contains(words) == (last == 40), "\(plan.output)")
    }

    @Test func `what was sent counts through renames, pruning, a lost file and a new checkout of the list`()
        async throws
    {
        let town = try Town(Self.files(Self.campaign("ebb")), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("ebb").count == 3)
        let renamed = Self.campaign("low-tide", "previous_names: [ebb]").replacing(
            "title: low-tide", with: "title: ebb")
        // A fourth person joins, who has had nothing.
        try write(Self.files(renamed, members: 1...4), town)
        town.pass(3600)
        #expect(try await town.herald("run").failure == nil)
        town.pass(3600)
        #expect(try await town.herald("state", "prune", "--older-than", "30m", "--auto-approve").failure == nil)
        try write(Self.files(Self.campaign("other"), members: 1...4), town)
        town.pass(3600)
        let other = try await town.herald("run")
        #expect(other.failure == nil, "\(other.errors)")
        #expect(town.sent("other") == [.fid(4)])
        // A day after the first message, and half an hour more, all are free again. The fourth is not yet.
        try write(Self.files(Self.campaign("third"), members: 1...4), town)
        town.pass(21 * 3600 + 1800)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("third") == [.fid(1), .fid(2), .fid(3)])
    }

    /// Each answer asks for a longer wait than a run accepts.
    @Test(arguments: [(503, 0), (429, 1)])
    func `what may have arrived counts for a cap when the repeat is refused, and what surely did not does not`(
        _ status: Int, _ others: Int
    ) async throws {
        let town = try Town(Self.files(Self.campaign("ebb"), members: 1...1), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        for status in [status, 429, 429] {
            town.answer([.fid(1)], with: .error(status, "UNAVAILABLE", retryAfter: "9999"))
            _ = try await town.herald("run")
            town.pass(600)
        }
        town.answer([.fid(1)], with: nil)
        #expect(town.messages().count == 3)
        try write(Self.files(Self.campaign("other"), members: 1...1), town)
        let other = try await town.herald("run")
        #expect(town.sent("other").count == others, "\(other.output)\(other.errors)")
        #expect(other.output.contains("skipped: 1 by cap 'promo'") == (others == 0), "\(other.output)")
    }

    @Test func `what caps and windows do not hold for, the plan says`() async throws {
        var files = Self.files(Self.campaign("alarm", "frequency_caps: {ignore: true}\ndelivery: {window: always}"))
        files["herald.yaml"]? += "delivery: {window: {from: \"22:00\", to: \"06:00\"}}\n"
        let town = try Town(files, at: Self.monday + 12 * 3600)
        #expect(try await town.herald("plan").output.contains("3 recipients, at any hour, past frequency caps"))
    }

    @Test func `a cap that nobody approved makes herald forget no message`() async throws {
        let files = { (campaign: String, members: ClosedRange<Int>) in
            var files = Self.files(Self.campaign(campaign), members: members)
            files["herald.yaml"]? += "approval: required\n"
            return files
        }
        let town = try Town(files("ebb", 1...3), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        // A fourth person joins, who has had nothing.
        town.pass(2 * 3600)
        var other = files("other", 1...4)
        try write(other, town)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("ebb").count == 3 && town.sent("other") == [.fid(4)])
        other["herald.yaml"] = other["herald.yaml"]?.replacing("per: 24h", with: "per: 1h")
        try write(other, town)
        _ = try await town.herald("run")
        try write(files("third", 1...4), town)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("third").isEmpty)
    }

    @Test func `a cap is a part of what was approved`() async throws {
        var files = Self.files(Self.campaign("ebb"))
        let town = try Town(files, at: Self.monday)
        let digest = { () async throws -> String in
            let plan = try await town.herald("plan", "--format", "json", "--out", "\(town.folder.path)/plan.json")
            #expect(plan.failure == nil, "\(plan.errors)")
            let json = try JSONValue(parsing: Data(contentsOf: URL(filePath: "\(town.folder.path)/plan.json")))
            return json["digest"]?.string ?? ""
        }
        let before = try await digest()
        files["herald.yaml"] = files["herald.yaml"]?.replacing("max: 1", with: "max: 2")
        try write(files, town)
        #expect(try await digest() != before)
    }
}
