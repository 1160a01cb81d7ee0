import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What an approval covers besides campaigns, topics, groups and audiences, and that it confuses nothing.
@Suite struct CoverageTests {
    private static let welcome = "campaigns/welcome.yaml"

    private func approval(_ changes: [String: String?] = [:], places: [String: ListPlace] = [:]) throws -> Approval {
        Approval(try ReviewedFiles.definitions(changes).with(places), suppress: [])
    }

    private func settings(_ lines: String) -> [String: String?] {
        ["herald.yaml": "herald: 2\nproject: p\ntimezone: Europe/Rome\n\(lines)\n"]
    }

    @Test(arguments: [
        "approval: required", "approval_band: 9999%", "guards: {max_recipients: 5}", "lists: other",
        "guards: {max_unsubscribe_percent: 100}", "fcm: {rate: 5/s}", "fcm: {endpoint: \"http://127.0.0.1:9\"}",
        "fcm: {settle: 0s}", "sender_id: \"123456789012\"", "state: other.sqlite", "workspace: club",
        "suppress: [testers]", "suppress: [{audience: testers, tags: [promo]}]", "require_tags: false",
        "feedback: {postgres: \"${A}\", dead: SELECT $3}",
    ])
    func `settings that decide who gets what are approved, too`(_ line: String) throws {
        let (before, after) = (try approval(settings("")), try approval(settings(line)))
        #expect(before.digest != after.digest)
        #expect(before.digests[.settings] != after.digests[.settings])
    }

    @Test func `another project needs a new approval`() throws {
        let other = try approval(["herald.yaml": "herald: 2\nproject: q\ntimezone: Europe/Rome\n"])
        #expect(try approval(settings("")).digests[.settings] != other.digests[.settings])
    }

    @Test(arguments: ["# a comment", "runner: {every: 1m}", "state: {file: .herald/state.sqlite}\n#"])
    func `settings that decide nothing of it do not`(_ line: String) throws {
        let plain = line.hasPrefix("state") ? "state: {file: .herald/state.sqlite, snapshot: s.json}" : ""
        #expect(try approval(settings(plain)) == approval(settings(line)))
    }

    /// It says what came due while nothing ran.
    @Test(arguments: [("none", true), ("latest", false)])
    func `how often a run comes is approved with a campaign that catches nothing up`(
        _ catchUp: String, _ isCovered: Bool
    ) throws {
        let tides = try ReviewedFiles.replacing(
            "{cron: \"30 7 * * 1\"}", with: "{cron: \"30 7 * * 1\", catch_up: \(catchUp)}", in: "campaigns/tides.yaml")
        let digests = { (line: String) in
            try approval(tides.merging(settings(line)) { $1 }).digests
        }
        let before = try digests("# a comment")
        // What an approval of an older herald covers stays what it was.
        #expect(try digests("runner: {every: 5m}") == before)
        let changed = Set(try digests("runner: {every: 1d}").filter { before[$0.key] != $0.value }.keys.map(\.text))
        #expect(changed == (isCovered ? ["campaign:tides"] : []))
    }

    /// Once a campaign goes to it, who is suppressed leaves it, and gets what it kept from them.
    @Test(arguments: [("suppress: [testers]", true), ("", false)])
    func `whether a topic only takes people out of conditions is approved with it`(
        _ line: String, _ isCovered: Bool
    ) throws {
        let digests = { (target: String) in
            let muted = """
                kind: topic
                name: muted
                subscribers: [testers]
                ---
                kind: campaign
                name: loud
                target: {condition: "'news' in topics && !('muted' in topics)"}
                message: {notification: {title: Loud}}
                ---
                kind: campaign
                name: other
                target: \(target)
                message: {notification: {title: Other}}
                """
            return try approval(settings(line).merging(["muted.yaml": muted]) { $1 }).digests
        }
        let (before, after) = (try digests("{topic: news}"), try digests("{topic: muted}"))
        let changed = Set(after.filter { before[$0.key] != $0.value }.keys.map(\.text))
        #expect(changed == (isCovered ? ["campaign:other", "topic:muted", "campaign:loud"] : ["campaign:other"]))
    }

    @Test func `a key with a dot is another key than two keys`() throws {
        let text = try #require(ReviewedFiles.files[Self.welcome])
        let apns = { (link: String) in
            [Self.welcome: text + "\n  apns: {payload: {aps: {badge: 1}, \(link)}}"].mapValues {
                $0.replacing("message: {notification: {title: Hello, body: Welcome to the club}}", with: "message:")
            } as [String: String?]
        }
        let nested = try approval(apns("link: {url: \"a\"}"))
        let dotted = try approval(apns("\"link.url\": \"a\""))
        let quoted = try approval(apns(#""\"link.url\"": "a""#))
        #expect(Set([nested, dotted, quoted].map(\.digest)).count == 3)
    }

    @Test func `keys of every shape have paths of their own`() {
        let keys = [["a", "b"], ["a.b"], ["a", "\"b"], ["a", ""], ["a"], ["", "a"], ["\"a.b\""], ["a", "b", ""]]
        #expect(Set(keys.map { $0.reduce("") { $0.path(to: $1) } }).count == keys.count)
    }

    @Test func `the place of a list is approved with the audience and with whoever uses it`() throws {
        let (lists, beside) = (
            try approval(places: ["members": .lists]), try approval(places: ["members": .workspace])
        )
        let changed = Set(lists.digests.filter { beside.digests[$0.key] != $0.value }.keys.map(\.text))
        #expect(changed == ["audience:members", "campaign:welcome", "campaign:tides", "topic:news"])
    }

    /// What an approval covers of one resource may be in another: a reviewer is told where it is.
    @Test(
        arguments: [
            ("audiences.yaml", "[gold]", "[silver]", [:]), ("audiences.yaml", "members.csv", "others.csv", [:]),
            ("audiences.yaml", ReviewedFiles.fid("u"), ReviewedFiles.fid("v"), [:]),
            ("audiences.yaml", "gold", "Zu\u{308}rich", ["gold": "Z\u{FC}rich"]),
            ("topics.yaml", "[members]", "[testers]", [:]), (welcome, "title: Hello", "title: Ciao", [:]),
            ("herald.yaml", "project: p", "project: q", [:]), (nil, "", "", [:]),
        ] as [(String?, String, String, [String: String])])
    func `whatever needs another approval is told where it is`(
        _ file: String?, _ old: String, _ new: String, _ before: [String: String]
    ) throws {
        var (earlier, later) = (ReviewedFiles.files, ReviewedFiles.files)
        if let file {
            for (word, other) in before { earlier[file] = earlier[file]?.replacing(word, with: other) }
            later[file] = later[file]?.replacing(old, with: new)
        }
        // Without an edit the list is found in another place.
        let one = try ReviewedFiles.definitions(earlier.mapValues { Optional($0) }).with(["members": .lists])
        let place = file == nil ? ListPlace.workspace : .lists
        let other = try ReviewedFiles.definitions(later.mapValues { Optional($0) }).with(["members": place])
        let told = Set(WorkspaceChange.between(one, other).map { Definition.Key(kind: $0.kind, name: $0.name) })
        let (approved, wanted) = (Approval(one, suppress: []), Approval(other, suppress: []))
        let changed = wanted.digests.filter { approved.digests[$0.key] != $0.value }.keys
        #expect(!changed.isEmpty && !told.isEmpty)
        let uses = Dictionary(uniqueKeysWithValues: other.map { ($0.key, $0.uses) })
        for key in changed {
            var reached: Set<Definition.Key> = [key]
            for _ in uses { reached.formUnion(reached.flatMap { uses[$0] ?? [] }) }
            #expect(!reached.isDisjoint(with: told), "\(key.text) changed, and told is \(told.map(\.text))")
        }
    }

    @Test(
        arguments: [
            ("a.csv", [], ListPlace.lists), ("a.csv", ["lists/a.csv"], .lists), ("a.csv", ["a.csv"], .workspace),
            ("a.csv", ["a.csv", "lists/a.csv"], .workspace), ("lists/a.csv", ["lists/a.csv"], .lists),
            ("lists/a.csv", [], .lists), ("lists/a.csv", ["lists/lists/a.csv"], .nested),
            ("../a.csv", ["a.csv"], .workspace),
        ] as [(String, [String], ListPlace)])
    func `a list beside the file that names it is told apart from one in the folder of lists`(
        _ path: String, _ there: [String], _ place: ListPlace
    ) throws {
        var files = Dictionary(there.map { ($0, "\(ReviewedFiles.fid("a"))\n") }) { first, _ in first }
        files["herald.yaml"] = "herald: 1\nproject: p\n"
        let folder = try TemporaryFolder(files)
        let workspace = try #require(WorkspaceFolder(at: folder.path))
        let file = path.hasPrefix("..") ? "sub/audiences.yaml" : "audiences.yaml"
        let settings = Settings(project: "p")
        let found = workspace.place(
            ofList: Located(path, at: SourceRange(file: file)), of: settings, isFound: workspace.findsList(of: settings)
        )
        #expect(found == place)
    }

    @Test(arguments: [1_000_000_000_000, Int64.max, -1, 4_294_967_296])
    func `a size that no list has is no plan's`(_ size: Int64) throws {
        let digest = JSONValue.string("sha256:" + String(repeating: "0", count: 64))
        let json: JSONValue = [
            "schema": "herald.plan/1", "approval": digest,
            "definitions": ["campaign:a": ["digest": digest, "size": .int(size)]],
        ]
        #expect(throws: SavedPlan.Problem.self) { try ApprovedPlan(reading: Array(json.compactText.utf8)) }
    }
}
