import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A message from elsewhere, and the campaign that says the same, both as Google and Apple document them.
struct Conversion: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let source: String
    /// As `kind: value`, or the registrations.
    let target: String
    let message: String
    var lifetime: Int64?
    /// The first words of each note.
    var notes: [String] = []
}

@Suite struct ConvertedMessageTests {
    private static let token = "cTEST00000000000000001:" + String(repeating: "A", count: 120)

    static let conversions: [Conversion] = [
        .init(
            testDescription: "legacy, from the guide to HTTP v1",
            source: """
                {"to": "/topics/news", "notification": {"title": "Breaking News", "body": "New news story available.",
                 "click_action": "TOP_STORY_ACTIVITY"}, "data": {"story_id": "story_12345"}}
                """,
            target: "topic: news",
            message: """
                {"notification": {"title": "Breaking News", "body": "New news story available."},
                 "data": {"story_id": "story_12345"},
                 "android": {"notification": {"click_action": "TOP_STORY_ACTIVITY"}},
                 "apns": {"headers": {"apns-push-type": "alert"}, "payload": {"aps": {"category": "TOP_STORY_ACTIVITY"}}}}
                """),
        .init(
            testDescription: "legacy, every key",
            source: """
                {"registration_ids": ["\(token)"], "collapse_key": "tides", "priority": "high", "time_to_live": 3600,
                 "content_available": true, "mutable_content": true, "restricted_package_name": "it.marea",
                 "dry_run": true, "delay_while_idle": true, "direct_boot_ok": true, "data": {"level": 115, "n": null},
                 "fcm_options": {"analytics_label": "tides"}, "odd\\nkey": 1,
                 "notification": {"title": "Tide", "body": "High", "sound": "bell", "badge": "3", "subtitle": "Venice",
                  "android_channel_id": "warnings", "icon": "ic_wave", "tag": "t", "color": "#0B5FA5",
                  "body_loc_key": "B", "body_loc_args": "[\\"Lido\\"]", "title_loc_key": "T",
                  "title_loc_args": ["Lido"], "image": "https://marea.example/a.png"}}
                """,
            target: token,
            message: """
                {"notification": {"title": "Tide", "body": "High", "image": "https://marea.example/a.png"},
                 "data": {"level": "115"}, "fcm_options": {"analytics_label": "tides"},
                 "android": {"collapse_key": "tides", "priority": "HIGH", "restricted_package_name": "it.marea",
                  "direct_boot_ok": true, "notification": {"sound": "bell", "channel_id": "warnings",
                   "icon": "ic_wave", "tag": "t", "color": "#0B5FA5", "body_loc_key": "B", "body_loc_args": ["Lido"],
                   "title_loc_key": "T", "title_loc_args": ["Lido"]}},
                 "apns": {"headers": {"apns-priority": "10", "apns-push-type": "alert"}, "payload": {"aps": {"content-available": 1,
                  "mutable-content": 1, "sound": "bell", "badge": 3, "alert": {"subtitle": "Venice", "loc-key": "B",
                   "loc-args": ["Lido"], "title-loc-key": "T", "title-loc-args": ["Lido"]}}}}}
                """,
            lifetime: 3600,
            notes: [
                "collapse_key holds for Android", "delay_while_idle is left out", "it was only to be validated",
                "odd\u{FFFD}key is left out", "data.level is text now",
            ]),
        .init(
            testDescription: "legacy, now or never, for the web",
            source: """
                {"condition": "'a' in topics || 'b' in topics", "time_to_live": "0", "priority": "normal",
                 "notification": {"title": "T", "icon": "https://marea.example/i.png",
                 "click_action": "https://marea.example/tides"}}
                """,
            target: "condition: 'a' in topics || 'b' in topics",
            message: """
                {"notification": {"title": "T"}, "android": {"ttl": "0s", "priority": "NORMAL"},
                 "apns": {"headers": {"apns-expiration": "0", "apns-priority": "5", "apns-push-type": "alert"}},
                 "webpush": {"headers": {"TTL": "0"}, "notification": {"icon": "https://marea.example/i.png"},
                  "fcm_options": {"link": "https://marea.example/tides"}}}
                """),
        .init(
            testDescription: "legacy, in the background",
            source: #"{"to": "/topics/news", "content_available": true, "data": {"a": "b"}}"#,
            target: "topic: news",
            message: """
                {"data": {"a": "b"}, "apns": {"headers": {"apns-push-type": "background", "apns-priority": "5"},
                 "payload": {"aps": {"content-available": 1}}}}
                """),
        .init(
            testDescription: "XMPP",
            source: """
                <message id="m-1"><gcm xmlns="google:mobile:data">
                {"to":"\(token)","message_id":"m-1366082849205","data":{"hello":"\\&quot;world\\&quot; &amp; sea"},
                 "delivery_receipt_requested":true,"time_to_live":"99999999"}
                </gcm></message>
                """,
            target: token,
            message: #"{"data": {"hello": "world"}}"#.replacing("world", with: #"\"world\" & sea"#),
            lifetime: 2_419_200,
            notes: [
                "delivery_receipt_requested is left out", "message_id is left out", "time_to_live was 99999999 s",
            ]),
        .init(
            testDescription: "v1, in camelCase as proto3 JSON allows",
            source: """
                {"validateOnly": true, "message": {"topic": "/topics/news", "notification": {"title": "T", "body": "B"},
                 "android": {"ttl": "3600s", "restrictedPackageName": "it.marea", "notification": {"channelId": "c",
                  "notificationPriority": "PRIORITY_HIGH", "bodyLocArgs": []}},
                 "apns": {"payload": {"aps": {"content-available": 1}, "ownKey": {"aB": 1}}},
                 "fcmOptions": {"analyticsLabel": "l"}}}
                """,
            target: "topic: news",
            message: """
                {"notification": {"title": "T", "body": "B"}, "fcm_options": {"analytics_label": "l"},
                 "android": {"ttl": "3600s", "restricted_package_name": "it.marea", "notification": {"channel_id": "c",
                  "notification_priority": "PRIORITY_HIGH"}},
                 "apns": {"payload": {"aps": {"content-available": 1}, "ownKey": {"aB": 1}}}}
                """,
            notes: ["it was only to be validated"]),
        .init(
            testDescription: "v1, only to be validated, without the request around it",
            source: #"{"validateOnly": true, "topic": "news", "token": null, "condition": "", "data": {"a": "b"}}"#,
            target: "topic: news", message: #"{"data": {"a": "b"}}"#, notes: ["it was only to be validated"]),
        .init(
            testDescription: "v1, with two spellings of a key",
            source: """
                {"topic": "news", "android": {"collapseKey": "a", "collapse_key": "b", "notification":
                 {"priority": "min", "notificationPriority": "max"}},
                 "apns": {"payload": {"aps": {"threadId": "a", "thread-id": "b", "alert": {"locKey": "a", "loc-key": "b"}}}}}
                """,
            target: "topic: news",
            message: """
                {"android": {"collapse_key": "b", "notification": {"notification_priority": "PRIORITY_MAX"}},
                 "apns": {"payload": {"aps": {"thread-id": "b", "alert": {"loc-key": "b"}}}}}
                """,
            notes: [
                "android.collapseKey is left out: it says the same as android.collapse_key, whose value was taken",
                "android.notification.priority is left out: it says the same as android.notification.notificationPriority",
                "apns.payload.aps.threadId is left out: it says the same as apns.payload.aps.thread-id",
                "apns.payload.aps.alert.locKey is left out: it says the same as apns.payload.aps.alert.loc-key",
            ]),
        .init(
            testDescription: "the Admin SDK for Node.js",
            source: """
                {"tokens": ["\(token)"], "notification": {"title": "T", "imageUrl": "https://marea.example/a.png"},
                 "android": {"ttl": 3600000, "priority": "high", "notification": {"priority": "max",
                  "visibility": "public", "vibrateTimingsMillis": [0, 250], "eventTimestamp": 1798797600000}},
                 "apns": {"payload": {"aps": {"contentAvailable": true, "threadId": "t", "alert": {"locKey": "K"},
                  "sound": {"critical": true, "name": "n", "volume": 0.5}}}, "fcmOptions": {"imageUrl":
                  "https://marea.example/b.png"}},
                 "webpush": {"fcmOptions": {"link": "https://marea.example/"}, "notification": {"requireInteraction": true}}}
                """,
            target: token,
            message: """
                {"notification": {"title": "T", "image": "https://marea.example/a.png"},
                 "android": {"ttl": "3600s", "priority": "HIGH", "notification": {"notification_priority":
                  "PRIORITY_MAX", "visibility": "PUBLIC", "vibrate_timings": ["0s", "0.250000000s"],
                  "event_time": "2027-01-01T10:00:00Z"}},
                 "apns": {"payload": {"aps": {"content-available": 1, "thread-id": "t", "alert": {"loc-key": "K"},
                  "sound": {"critical": 1, "name": "n", "volume": 0.5}}},
                  "fcm_options": {"image": "https://marea.example/b.png"}},
                 "webpush": {"fcm_options": {"link": "https://marea.example/"},
                  "notification": {"requireInteraction": true}}}
                """,
            notes: [
                "android.notification.vibrateTimingsMillis was read as 0",
                "android.notification.vibrateTimingsMillis was read as 250",
                "android.ttl was read as 3600000",
            ]),
        .init(
            testDescription: "Apple's payload",
            source: """
                {"aps": {"alert": {"title": "Game Request", "body": "Bob wants to play poker"}, "category": "GAME",
                 "badge": 9, "sound": "bingbong.aiff"}, "gameID": "12345678", "n": [1, null, 2.25, {"x": null}]}
                """,
            target: "topic: games",
            message: """
                {"apns": {"headers": {"apns-push-type": "alert"}, "payload": {"aps": {"alert": {"title":
                 "Game Request", "body": "Bob wants to play poker"}, "category": "GAME", "badge": 9,
                 "sound": "bingbong.aiff"}, "gameID": "12345678", "n": [1, 2.25, {}]}}}
                """,
            notes: [
                "only Apple devices show it", "apns.payload.n[1] is left out: it is null",
                "apns.payload.n[3].x is left out: it is null",
            ]),
        .init(
            testDescription: "Apple's payload that shows nothing",
            source: #"{"aps": {"content-available": 1}, "a": "\u0085\u2028\u007f # : ' \" - [x] {y} ${Z} 😀"}"#,
            target: "topic: games",
            message: """
                {"apns": {"headers": {"apns-push-type": "background", "apns-priority": "5"}, "payload":
                 {"aps": {"content-available": 1}, "a": "\\u0085\\u2028\\u007f # : ' \\" - [x] {y} ${Z} 😀"}}}
                """,
            notes: ["only Apple devices show it"]),
    ]

    @Test(arguments: conversions)
    func `the campaign file says what the message said`(conversion: Conversion) throws {
        let converted = try ConvertedMessage(reading: Array(conversion.source.utf8), form: nil)
        let given: ConvertedMessage.Target? =
            converted.target == nil ? .named(try #require(WrittenTarget("topic:games"))) : nil
        let draft = try #require(converted.draft(name: "moved", target: given, topics: [], schema: "../s.json"))
        let temporary = try TemporaryFolder(["herald.yaml": "herald: 1\nproject: tide-app\n", "moved.yaml": draft.text])
        let loaded = WorkspaceLoader.load(try #require(WorkspaceFolder(at: temporary.path)), environment: [:])
        #expect(loaded.diagnostics.filter { $0.severity == .error }.map(\.message) == [], "\(draft.text)")
        let campaign = try #require(loaded.workspace?.campaigns.first)
        let expected = try JSONValue(strictly: Array(conversion.message.utf8), depth: 32)
        #expect(JSONValue.object(campaign.message.value).compactText == expected.compactText)
        #expect(campaign.delivery.expiresAfter == conversion.lifetime.map { .seconds($0) })
        #expect(!campaign.enabled)
        if case .registrations(let all) = campaign.target.value {
            #expect(all.map(\.rawValue) == [conversion.target])
        } else {
            let named = campaign.target.value.named
            #expect("\(named.key): \(named.value.string ?? "")" == conversion.target)
        }
        try #require(converted.notes.count == conversion.notes.count, "\(converted.notes)")
        for (note, begin) in zip(converted.notes, conversion.notes) {
            #expect(note.printable.hasPrefix(begin))
            #expect(draft.text.contains("# - \(note.printable)\n"))
        }
        #expect(draft.check(in: nil).errors.isEmpty)
    }

    @Test(arguments: [
        ("", ConversionProblem.notJSON(line: 1)), ("{\n\"a\": 1,\n}", .notJSON(line: 3)), ("[]", .list(0)),
        (#"[{"topic": "a"}, {"topic": "b"}]"#, .list(2)), ("3", .noObject), (#"{"a": 1, "a": 2}"#, .duplicateName("a")),
        (String(repeating: #"{"a":"#, count: 40), .tooDeep), (#"{"hello": 1}"#, .unknownForm),
        ("<message><body>hi</body></message>", .noStanza), ("<", .noStanza),
        (#"{"message": {"topic": "a", "token": "b"}}"#, .severalTargets(["token", "topic"])),
        (#"{"to": "/topics/a", "registration_ids": ["b"]}"#, .severalTargets(["registration_ids", "to"])),
        (#"{"tokens": ["a", 5]}"#, .noText(path: "tokens[1]")),
        (#"{"registration_ids": [null, "a"]}"#, .noText(path: "registration_ids[0]")),
        (#"{"to": {"topic": "a"}}"#, .noText(path: "to")), (#"{"topic": ["a", "b"]}"#, .noText(path: "topic")),
    ])
    func `what is no message is refused`(source: String, problem: ConversionProblem) {
        #expect(throws: problem) { _ = try ConvertedMessage(reading: Array(source.utf8), form: nil) }
    }

    @Test(arguments: [
        (
            ConversionProblem.severalTargets(["token", "topic"]), "'token' and 'topic' each name a target",
            "keep one of them"
        ),
        (.noText(path: "tokens[1]"), "'tokens[1]' is no text", "write it in quotes, or remove it"),
    ])
    func `a problem says what to do`(problem: ConversionProblem, words: String, help: String) {
        #expect(problem.words == words)
        #expect(problem.help == help)
    }

    @Test(arguments: [
        (#"{"notification": {"title": "T"}}"#, MessageForm.v1), (#"{"androidV2": {}}"#, .v1),
        (#"{"notification": {"sound": "s"}}"#, .legacy),
        (#"{"data": {"a": "b"}, "to": "/topics/x"}"#, .legacy), (#"{"aps": {}}"#, .apns), (#"{"message": {}}"#, .v1),
        (#"{"webpush": {}}"#, .v1),
    ])
    func `the keys tell the form`(source: String, form: MessageForm) throws {
        #expect(try ConvertedMessage(reading: Array(source.utf8), form: nil).form == form)
    }

    @Test(arguments: [
        (#"{"to": "APA91bHexampleOfANotificationKey"}"#, "the target may be the key of a device group"),
        (#"{"notification_key": "APA91b", "data": {"a": "b"}}"#, "notification_key names no group"),
    ])
    func `a group's key is not taken for a token without a word`(source: String, note: String) throws {
        let converted = try ConvertedMessage(reading: Array(source.utf8), form: nil)
        #expect(converted.notes.contains { $0.hasPrefix(note) })
    }

    @Test func `topics that no file declares are declared`() throws {
        let source = #"{"condition": "'a' in topics && 'b' in topics", "message_id": "1"}"#
        let converted = try ConvertedMessage(reading: Array(source.utf8), form: nil)
        let one = try #require(converted.draft(name: "x", target: nil, topics: ["a"], schema: "s.json"))
        #expect(one.text.hasSuffix("kind: topic\nname: b\n"))
        #expect(!one.text.contains("name: a\n"))
        #expect(!one.text.contains("s.json"))
        let none = try #require(converted.draft(name: "x", target: nil, topics: ["a", "b"], schema: "s.json"))
        #expect(none.text.hasPrefix("# yaml-language-server: $schema=s.json\n"))
        #expect(!none.text.contains("---"))
    }

    @Test(arguments: 0..<300)
    func `nothing that a stranger writes breaks the file or herald`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let source = try JSONValue.object(Self.randomMembers(&random, depth: 4)).bytes()
        let form = MessageForm.allCases.randomElement(using: &random)
        let converted: ConvertedMessage
        do { converted = try ConvertedMessage(reading: source, form: form) } catch {
            guard case .noText = error else { throw error }
            return
        }
        let target = ConvertedMessage.Target.named(try #require(WrittenTarget("topic:x")))
        let draft = try #require(converted.draft(name: "x", target: target, topics: ["x"], schema: nil))
        var findings = Findings(file: "x.yaml")
        var count = 0
        YAMLComposer.compose(SourceText(file: "x.yaml", bytes: Array(draft.text.utf8)), &findings) { document, _ in
            count += 1
            #expect(document.mapping?.map(\.key).prefix(4) == ["kind", "name", "description", "enabled"])
        }
        #expect(count == 1, "seed \(seed)\n\(draft.text)")
        #expect(findings.diagnostics.filter { $0.rule == .yamlSyntax }.isEmpty, "seed \(seed)\n\(draft.text)")
    }

    /// Objects that look like messages, with hostile values.
    private static func randomMembers(_ random: inout SeededRandom, depth: Int) -> [String: JSONValue] {
        let keys = [
            "message", "notification", "android", "apns", "webpush", "aps", "data", "title", "body", "ttl", "priority",
            "to", "sound", "badge", "alert", "payload", "headers", "time_to_live", "vibrateTimingsMillis",
            "body_loc_args",
            "\n---\nkind: topic", "# x", "a: b", "\u{2028}", "", "- ", "'", "\u{1F600}", "null", "~", "<<", "!!str",
            "&a",
        ]
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let key = keys.randomElement(using: &random) ?? ""
            members[key] = randomValue(&random, depth: depth)
        }
        return members
    }

    private static func randomValue(_ random: inout SeededRandom, depth: Int) -> JSONValue {
        let texts = [
            "plain", "", " ", "\n\n---\n", "yes", "null", "1e3", "0x1F", "\u{85}\u{FEFF}\u{7F}\u{1}", "a: b # c", "*x",
            "\\u0041",
            "\t", "\u{FFFF}", "${HOME}", "[\"a\"]", "9223372036854775808", "-1",
        ]
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int([0, -1, .max, 3600, .min].randomElement(using: &random) ?? 0)
        case 3: return .digits("1.50")
        case 4: return .string(texts.randomElement(using: &random) ?? "")
        case 5:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in randomValue(&random, depth: depth - 1) })
        default: return .object(randomMembers(&random, depth: depth - 1))
        }
    }
}
