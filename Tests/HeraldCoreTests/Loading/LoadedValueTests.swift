import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// The values in files arrive as the values of the workspace.
struct LoadedValueTests {
    private func workspace(_ files: [String: String]) throws -> Workspace {
        let loaded = try WorkspaceLoader.load(files: files)
        #expect(loaded.diagnostics.filter { $0.severity == .error } == [])
        return try #require(loaded.workspace)
    }

    private func campaign(_ target: String, _ rest: String = "") throws -> Campaign {
        let others =
            ["a", "b", "c", "d"].map { "kind: topic\nname: \($0)\n---\n" }.joined()
            + "kind: topic\nname: t\nsubscribers: []\n---\nkind: group\nname: g\nmembers: {tokens: [\(token)]}\n"
        return try #require(
            try workspace([
                "herald.yaml": settingsText + "sender_id: '7'\n", "o.yaml": others,
                "c.yaml":
                    "kind: campaign\nname: c\nmessage: {notification: {title: x}, data: {a: b}}\ntarget: {\(target)}\n\(rest)\n",
            ]).campaigns.first)
    }

    @Test(
        arguments: [
            ("topic: t", .topic("t")), ("tokens: [\(token)]", .registrations([.token(1)])),
            ("fids: [\(fid)]", .registrations([.fid(1)])),
        ] as [(String, Campaign.Target)])
    func `targets`(_ text: String, _ expected: Campaign.Target) throws {
        #expect(try campaign(text).target.value == expected)
    }

    @Test(arguments: [
        ("condition: \"'a' in topics && !('b' in topics)\"", "'a' in topics && !('b' in topics)"),
        (
            "topics: {any: [a, b], all: [c], none: [d]}",
            "('a' in topics || 'b' in topics) && 'c' in topics && !('d' in topics)"
        ),
        ("topics: {all: [a]}", "'a' in topics"),
    ])
    func `conditions, however they are written`(_ text: String, _ expected: String) throws {
        #expect(try campaign(text).target.value == .condition(try Condition(parsing: expected)))
    }

    @Test func `what a campaign says besides`() throws {
        let group = try campaign(
            "group: g",
            "previous_names: [b, a]\nacknowledge: [broadcast, {max_recipients: 2500000}]\ndelivery: {members: each}")
        #expect(group.target.value.named.key == "group")
        #expect(group.previousNames.map(\.value) == ["b", "a"])
        #expect(group.acknowledged.broadcast)
        #expect(group.acknowledged.maxRecipients == 2_500_000)
        #expect(group.delivery.members == .each)
        let plain = try campaign("topic: t")
        #expect(!plain.acknowledged.broadcast && plain.acknowledged.maxRecipients == nil)
        #expect(plain.delivery.members == .key)
        #expect(plain.previousNames.isEmpty && plain.exclude.isEmpty)
    }

    @Test func `settings`() throws {
        let settings = try workspace([
            "herald.yaml": settingsText
                + "sender_id: \"123456789012\"\nlists: ../people\nsuppress: [out]\nrunner: {every: 1m}\n"
                + "fcm: {topic_api: iid, credentials: key.json, endpoint: https://127.0.0.1:1, iid_endpoint: https://127.0.0.1:1, rate: unlimited}\n",
            "x.yaml": "kind: audience\nname: out\nfids: []\n",
        ]).settings
        #expect(settings.senderID == "123456789012")
        #expect(settings.lists == "../people")
        #expect(settings.suppress.map(\.value) == ["out"])
        #expect(settings.runEvery == .seconds(60))
        #expect(settings.fcm.topicAPI == .iid)
        #expect(settings.fcm.credentials?.value == "key.json")
        #expect(settings.fcm.iidEndpoint == "https://127.0.0.1:1")
        #expect(settings.fcm.rate == .unlimited)
    }

    @Test func `a topic without subscribers is the app's, and nobody is taken out of it`() throws {
        let topics = try workspace(["x.yaml": "kind: topic\nname: t\n---\nkind: topic\nname: u\nsubscribers: []\n"])
            .topics
        #expect(topics.map(\.prune) == [false, true])
        #expect(topics.map(\.subscribers) == [[], []])
    }

    @Test func `a time that the clocks skip is kept as it was written`() throws {
        let schedule = { (text: String) in
            try campaign("topic: t", "schedule: {\(text), timezone: Europe/Rome}").schedule
        }
        let moved = try schedule("at: 2026-03-29T02:31")
        #expect(moved.at == Date(rfc3339: "2026-03-29T01:00:00Z"))
        #expect(moved.skipped == LocalTime(written: "2026-03-29T02:31"))
        #expect(try schedule("at: 2026-03-29T03:31").skipped == nil)
        #expect(try schedule("at: 2026-03-29T02:31+01:00").skipped == nil)
    }

    @Test func `an audience in 'suppress' with tags belongs to campaigns with any of them`() throws {
        let campaign = { (name: String, tags: String) in
            "---\nkind: campaign\nname: \(name)\ntarget: {audience: a}\n\(tags)\nmessage: {notification: {title: x}}\n"
        }
        let workspace = try workspace([
            "herald.yaml": "herald: 2\nproject: p\nrequire_tags: false\n"
                + "suppress: [a, {audience: b, tags: [promo, sale]}, {audience: c, tags: [sale]}]\n",
            "x.yaml": "kind: audience\nname: a\nfids: []\n---\nkind: audience\nname: b\nfids: []\n---\n"
                + "kind: audience\nname: c\nfids: []\n" + campaign("d", "") + campaign("e", "tags: [news]")
                + campaign("f", "tags: [news, promo]") + campaign("g", "tags: [sale]\nexclude: [a]"),
        ])
        #expect(workspace.settings.suppress.map(\.value) == ["a"])
        #expect(workspace.campaigns.map { $0.suppressed.map(\.value) } == [[], [], ["b"], ["b", "c"]])
        #expect(workspace.campaigns.map { $0.without.map(\.value) } == [[], [], ["b"], ["a", "b", "c"]])
    }

    @Test func `settings that are left out`() throws {
        let settings = try workspace([:]).settings
        #expect(settings.senderID == nil && settings.suppress.isEmpty && settings.fcm.credentials == nil)
        #expect(settings.lists == "lists")
        #expect(settings.runEvery == .seconds(300))
        #expect(settings.fcm.topicAPI == .auto)
        #expect(settings.fcm.iidEndpoint == nil)
    }

    @Test func `groups and topics`() throws {
        let workspace = try workspace([
            "herald.yaml": settingsText + "sender_id: '7'\n",
            "x.yaml":
                "kind: group\nname: Chris@home\nmembers: {audience: a}\n---\nkind: audience\nname: a\nfids: [\(fid)]\n"
                + "---\nkind: group\nname: b\nmembers: {tokens: [\(token)]}\n---\nkind: topic\nname: t\n"
                + "subscribers: [a]\ndrift: keep\nprevious_names: [s]\n---\nkind: topic\nname: u\n"
                + "subscribers: [a]\ndrift: restore\nadopt: true\n",
        ])
        #expect(workspace.groups.map(\.name.value.rawValue) == ["Chris@home", "b"])
        guard case .audience(let name) = workspace.groups[0].members else {
            Issue.record("no audience")
            return
        }
        #expect(name.value == "a")
        #expect(workspace.groups[1].members == .inline([.token(1)]))
        #expect(workspace.topics.map { $0.previousNames.map(\.value) } == [["s"], []])
        #expect(workspace.topics.map(\.drift) == [.keep, .restore])
        #expect(workspace.topics.map(\.adopt) == [false, true])
    }

    @Test(arguments: [
        ("l.csv", "fid,locale,spot,age\n\(fid),it,\"a, b\",7\n\(Registration.fid(2).rawValue),,x,\n"),
        (
            "l.ndjson",
            "{\"fid\":\"\(fid)\",\"locale\":\"it\",\"spot\":\"a, b\",\"age\":7,\"x\":[]}\n"
                + "{\"fid\":\"\(Registration.fid(2).rawValue)\",\"locale\":null,\"spot\":\"x\"}\n"
        ),
    ])
    func `a filter sees the attributes of the list that its audience ends at`(_ name: String, _ text: String) throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: \(name)}\n",
            "b.yaml": "kind: audience\nname: b\nsource: {file: \(name)}\nwhere: {spot: [\"a, b\", z]}\n",
            "c.yaml": "kind: audience\nname: c\nfrom: a\nwhere: {locale: it, age: \"7\"}\n",
            "d.yaml": "kind: audience\nname: d\nfrom: a\nwhere: {age: ''}\n", name: text,
        ])
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1), .fid(2)], [.fid(1)], [.fid(1)], [.fid(2)]])
    }

    @Test(arguments: [("it", [1]), ("true", [2]), ("-3", [3]), ("1.5", [4]), ("", [5, 6, 7]), ("null", [])])
    func `attributes in JSON are text as they are, other values as JSON`(_ text: String, _ expected: [Int]) throws {
        let rows = [#""it""#, "true", "-3", "1.5", "null", #""""#].enumerated().map { number, value in
            #"{"fid":"\#(Registration.fid(number + 1).rawValue)","n":\#(value)}"#
        }
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: l.ndjson}\nwhere: {n: '\(text)'}\n",
            "l.ndjson": rows.joined(separator: "\n") + "\n{\"fid\":\"\(Registration.fid(7).rawValue)\"}\n",
        ])
        #expect(try loaded.registrations() == [expected.map { .fid($0) }])
    }

    @Test func `a mixed condition shows both readings and the way out`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml":
                "kind: campaign\nname: c\nmessage: {notification: {title: x}, data: {a: b}}\n"
                + "target: {condition: \"'a' in topics || 'b' in topics && 'c' in topics\"}\n"
        ])
        let mixed = try #require(loaded.diagnostics.first { $0.rule == .conditionMixed })
        #expect(mixed.notes.count == 2)
        #expect(mixed.notes[0].message.contains("('a' in topics || 'b' in topics) && 'c' in topics"))
        #expect(mixed.notes[1].message.contains("'a' in topics || ('b' in topics && 'c' in topics)"))
        #expect(mixed.help?.contains("('a' in topics || 'b' in topics) && 'c' in topics") == true)
        #expect(mixed.range.text?.end == mixed.range.text.map { .init(line: 4, column: $0.start.column + 2) })
    }

    @Test func `columns that a list has are named to whom they are missed`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv}\nwhere: {local: it}\n",
            "l.csv": "fid,locale,spot\n",
        ])
        #expect(loaded.diagnostics.map(\.rule) == [.whereColumn])
        let help = try #require(loaded.diagnostics.first?.help)
        #expect(help.contains("did you mean 'locale'?") && help.contains("locale, spot") && !help.contains("fid"))
    }
}
