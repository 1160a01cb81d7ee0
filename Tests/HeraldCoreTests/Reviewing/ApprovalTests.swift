import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct ApprovalTests {
    private static let welcome = "campaigns/welcome.yaml"

    @Test(arguments: [
        ("title: Hello", "title: Ciao"), ("audience: members", "audience: testers"),
        ("2026-12-01T09:00", "2026-12-01T09:01"), ("kind: campaign", "kind: campaign\nrevision: 2"),
        ("kind: campaign", "kind: campaign\nenabled: false"), ("kind: campaign", "kind: campaign\nexclude: [testers]"),
        ("kind: campaign", "kind: campaign\ndelivery: {on_unknown: resend}"),
        ("kind: campaign", "kind: campaign\ndelivery: {rate: 5/s}"),
        ("kind: campaign", "kind: campaign\nacknowledge: [{max_recipients: 5000000}]"),
        ("kind: campaign", "kind: campaign\nprevious_names: [winter]"),
        ("T09:00\"", "T09:00\", max_lateness: 1h"),
    ])
    func `whatever decides about a campaign changes its approval`(_ old: String, _ new: String) throws {
        let before = try ReviewedFiles.approval()
        let after = try ReviewedFiles.approval(ReviewedFiles.replacing(old, with: new, in: Self.welcome))
        #expect(before.digest != after.digest)
        let changed = before.digests.filter { after.digests[$0.key] != $0.value }.keys.map(\.text)
        #expect(changed == ["campaign:welcome"])
    }

    @Test(arguments: [
        ("kind: campaign", "kind: campaign\nowner: anna"), ("kind: campaign", "kind: campaign\ndescription: A club"),
        ("kind: campaign\n", "# why\nkind: campaign\n"), ("title: Hello, body", "'title': \"Hello\", body"),
    ])
    func `what decides nothing leaves it as it is`(_ old: String, _ new: String) throws {
        let after = try ReviewedFiles.approval(ReviewedFiles.replacing(old, with: new, in: Self.welcome))
        #expect(try ReviewedFiles.approval() == after)
    }

    @Test func `the earlier name with which the draw of variants begins is part of it`() throws {
        let digests = try ["[winter, spring]", "[spring, winter]"].map { names in
            try ReviewedFiles.approval(
                ReviewedFiles.replacing(
                    "kind: campaign", with: "kind: campaign\nprevious_names: \(names)", in: Self.welcome)
            ).digest
        }
        #expect(digests[0] != digests[1])
    }

    @Test func `an audience is approved with whoever uses it`() throws {
        let before = try ReviewedFiles.approval()
        let after = try ReviewedFiles.approval(
            ReviewedFiles.replacing("[gold]", with: "[silver]", in: "audiences.yaml"))
        let changed = Set(before.digests.filter { after.digests[$0.key] != $0.value }.keys.map(\.text))
        // The topic's subscribers are those members, and the other campaign goes to the topic.
        #expect(changed == ["audience:members", "campaign:welcome", "campaign:tides", "topic:news"])
    }

    @Test func `no approval covers what uses a list that was not fetched`() throws {
        let definitions = try ReviewedFiles.definitions()
        let whole = Approval(definitions, suppress: [])
        let approval = Approval(definitions, suppress: [], unfetched: ["members"])
        let recorded = Dictionary(
            uniqueKeysWithValues: whole.digests.map { key, digest in
                (key.text, RecordedApproval(digest: digest, size: nil, by: "anna", at: PlanScenario.now))
            })
        #expect(whole.digests.keys.allSatisfy { whole.isCovered($0, by: recorded) })
        let others = Set(approval.digests.keys.filter { approval.isCovered($0, by: recorded) }.map(\.text))
        #expect(others == ["settings:", "audience:testers"])
        // An older herald recorded none of the settings.
        let older = recorded.filter { $0.key != "settings:" }
        #expect(!whole.isCovered(.init(kind: .audience, name: "members"), by: older))
    }

    @Test func `listed registrations are part of it`() throws {
        let before = try ReviewedFiles.approval()
        let other = try ReviewedFiles.replacing(
            ReviewedFiles.fid("u"), with: ReviewedFiles.fid("v"), in: "audiences.yaml")
        #expect(try ReviewedFiles.approval(other).digest != before.digest)
    }

    @Test func `who is left out everywhere is part of everything`() throws {
        let (before, after) = (try ReviewedFiles.approval(), try ReviewedFiles.approval(suppress: ["testers"]))
        #expect(before.digest != after.digest)
        #expect(before.digests.allSatisfy { after.digests[$0.key] != $0.value })
        let other = try ReviewedFiles.replacing(
            ReviewedFiles.fid("u"), with: ReviewedFiles.fid("v"), in: "audiences.yaml")
        let later = try ReviewedFiles.approval(other, suppress: ["testers"])
        #expect(after.digests.allSatisfy { later.digests[$0.key] != $0.value })
    }

    @Test func `the folder, the settings' zone and the order of the files do not matter`() throws {
        let text = try #require(ReviewedFiles.files[Self.welcome])
        let zone = "herald: 1\nproject: q\ntimezone: UTC\n"
        let moved: [String: String?] = [
            "herald.yaml": zone, Self.welcome: nil,
            "a/b.yaml": text.replacing("2026-12-01T09:00", with: "2026-12-01T08:00"),
        ]
        let (before, after) = (try ReviewedFiles.approval(), try ReviewedFiles.approval(moved))
        let welcome = Definition.Key(kind: .campaign, name: "welcome")
        #expect(before.digests[welcome] == after.digests[welcome])
    }

    /// Anna approved the same files. `nil` is what was not counted.
    @Test(
        arguments: [
            (20, 20, "anna"), (20, 19, "anna"), (nil, 20, "anna"), (20, 21, "bob"), (20, nil, "bob"),
        ] as [(Int?, Int?, String)])
    func `whoever approves more recipients than before is named`(_ before: Int?, _ now: Int?, _ name: String) throws {
        let key = Definition.Key(kind: .topic, name: "tides")
        let definition = Definition(kind: .topic, name: "tides", previousNames: [], fields: [], uses: [])
        var approval = Approval([definition], suppress: [])
        approval.sizes[key] = now
        let document = #"{"schema": "herald.plan/1", "approval": "", "definitions": {}}"#
        let plan = try ApprovedPlan(reading: Array(document.utf8))
        let digest = try #require(approval.digests[key])
        let known = RecordedApproval(digest: digest, size: before, by: "anna", at: PlanScenario.now)
        let recorded = plan.recorded(approval, by: "bob", at: .after(60), after: [key.text: known])
        #expect(recorded[key.text]?.size == now && recorded[key.text]?.by == name)
    }

    @Test func `audiences that are made of each other are all covered`() throws {
        let chain = """
            kind: audience
            name: members
            from: base
            ---
            kind: audience
            name: base
            source: {file: base.csv}
            ---
            kind: audience
            name: testers
            fids: [\(ReviewedFiles.fid("t")), \(ReviewedFiles.fid("u"))]
            """
        let before = try ReviewedFiles.approval(["audiences.yaml": chain])
        let after = try ReviewedFiles.approval([
            "audiences.yaml": chain.replacing("base.csv", with: "other.csv")
        ])
        let welcome = Definition.Key(kind: .campaign, name: "welcome")
        #expect(before.digests[welcome] != after.digests[welcome])
    }

    /// The same documents in another order, in other files, with other orders of keys and with comments.
    private static func shuffled(
        _ files: [String: String], _ random: inout SeededRandom
    ) -> [String: String?] {
        let documents = files.filter { $0.key != "herald.yaml" }.sorted { $0.key < $1.key }
            .flatMap { $0.value.components(separatedBy: "\n---\n") }.shuffled(using: &random)
        var changed: [String: String?] = files.filter { $0.key != "herald.yaml" }.mapValues { _ in nil }
        for (number, document) in documents.enumerated() {
            let lines = document.split(separator: "\n").shuffled(using: &random).flatMap { line in
                Bool.random(using: &random) ? ["# \(Int.random(in: 0...99, using: &random))", "\(line)"] : ["\(line)"]
            }
            let folder = ["", "a/", "a/b/"].randomElement(using: &random) ?? ""
            // A list's path is relative to its file.
            let up = String(repeating: "../", count: folder.split(separator: "/").count)
            changed["\(folder)\(number).yaml"] = lines.joined(separator: "\n").replacing(
                "{file: ", with: "{file: \(up)")
        }
        return changed
    }

    @Test(arguments: 1...40)
    func `the order of keys, documents, files and comments do not matter`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let before = try ReviewedFiles.approval()
        let after = try ReviewedFiles.approval(Self.shuffled(ReviewedFiles.files, &random))
        #expect(before == after, "seed \(seed)")
    }
}
