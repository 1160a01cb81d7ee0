import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct CampaignTemplateTests {
    /// A workspace with one target of every kind.
    private static let files = [
        "herald.yaml": "herald: 1\nproject: tide-app\nsender_id: \"123456789012\"\n",
        "resources.yaml": """
        kind: audience
        name: anglers
        fids: [cTEST00000000000000001]
        ---
        kind: topic
        name: tide-alerts
        subscribers: [anglers]
        ---
        kind: topic
        name: "2026"
        subscribers: [anglers]
        ---
        kind: group
        name: appUser-Chris
        members: {audience: anglers}
        ---
        kind: campaign
        name: taken
        target: {topic: tide-alerts}
        message: {data: {a: b}}

        """,
    ]

    private func load(_ files: [String: String]) throws -> WorkspaceLoader.Loaded {
        let temporary = try TemporaryFolder(files)
        let folder = try #require(WorkspaceFolder(at: temporary.path))
        return WorkspaceLoader.load(folder, environment: [:])
    }

    @Test(arguments: [
        "topic:tide-alerts", "topic:2026", "audience:anglers", "group:appUser-Chris",
        "condition:'tide-alerts' in topics && !('2026' in topics)",
    ])
    func `what it writes loads as it is`(target: String) throws {
        let template = CampaignTemplate(name: "tide-rome", target: try #require(WrittenTarget(target)))
        let text = template.draft(schema: "../schemas/campaign.schema.json").text
        let loaded = try load(Self.files.merging(["campaigns/tide-rome.yaml": text]) { $1 })
        #expect(loaded.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        let campaign = try #require(loaded.workspace?.campaigns.first { $0.name.value == "tide-rome" })
        let named = campaign.target.value.named
        #expect("\(named.key):\(named.value.string ?? "")" == target)
        #expect(!campaign.enabled)
        #expect(text.hasPrefix("# yaml-language-server: $schema=../schemas/campaign.schema.json\n"))
        let found = template.draft().check(in: try load(Self.files).workspace)
        #expect(found.errors.map(\.message) == [])
        #expect(found.warnings.filter { $0.rule == .unknownReference }.isEmpty)
    }

    @Test func `what stands in comments loads too`() throws {
        let template = CampaignTemplate(name: "tide-rome", target: try #require(WrittenTarget("topic:tide-alerts")))
        let lines = template.draft().text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("# 'herald")
                ? ""
                : line.replacing("# data", with: "data").replacing("# schedule", with: "schedule")
                    .replacing("# delivery", with: "delivery")
        }
        let loaded = try load(Self.files.merging(["tide-rome.yaml": lines.joined(separator: "\n")]) { $1 })
        #expect(loaded.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
        #expect(
            loaded.workspace?.campaigns.first { $0.name.value == "tide-rome" }?.delivery.expiresAfter
                == .seconds(4 * 3600))
    }

    @Test(arguments: [
        ("Tide", "topic:tide-alerts", Rule.resourceName), ("a/../b", "topic:tide-alerts", .resourceName),
        ("", "topic:tide-alerts", .resourceName), ("a\nkind: topic", "topic:tide-alerts", .resourceName),
        ("a", "topic:/topics/tides", .topicName), ("a", "condition:'a' in topics &&", .conditionSyntax),
        ("a", "condition:!('tide-alerts' in topics)", .broadcast), ("a", "group:a b", .groupName),
        ("taken", "topic:tide-alerts", .duplicateResource),
    ])
    func `what the loader would refuse is not written`(name: String, target: String, rule: Rule) throws {
        let template = CampaignTemplate(name: name, target: try #require(WrittenTarget(target)))
        let found = template.draft().check(in: try load(Self.files).workspace)
        #expect(found.errors.map(\.rule) == [rule])
    }

    @Test(
        arguments: [
            (
                "topic:tide-alert", "no file declares topic 'tide-alert'",
                "did you mean 'tide-alerts'? Otherwise two lines in a file declare it: kind: topic, and name: tide-alert"
            ),
            (
                "condition:'gales' in topics", "no file declares topic 'gales'",
                "two lines in a file declare it: kind: topic, and name: gales"
            ),
            ("audience:everybody", "no file declares audience 'everybody'", nil),
            ("group:appUser-Kris", "no file declares group 'appUser-Kris'", "did you mean 'appUser-Chris'?"),
        ] as [(String, String, String?)])
    func `what it refers to must be there`(target: String, message: String, help: String?) throws {
        let template = CampaignTemplate(name: "a", target: try #require(WrittenTarget(target)))
        let found = template.draft().check(in: try load(Self.files).workspace)
        #expect(found.errors.map(\.message) == [message])
        #expect(found.errors.map(\.help) == [help])
    }

    @Test(arguments: ["tide-alerts", "tokens:a", "topic:", ":", "", "topics:a"])
    func `a target says its kind`(target: String) {
        #expect(WrittenTarget(target) == nil)
    }

    @Test func `without a workspace the form alone is checked`() throws {
        let template = CampaignTemplate(name: "a", target: try #require(WrittenTarget("topic:nobody")))
        let found = template.draft().check(in: nil)
        #expect(found.errors.isEmpty)
        #expect(found.warnings.isEmpty)
    }
}
