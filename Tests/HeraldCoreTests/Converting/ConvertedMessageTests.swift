import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct ConvertedMessageTests {
    @Test(arguments: Conversion.all)
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
        (#"{"message": {"topic": "a"}, "to": "/topics/b"}"#, .severalTargets(["to", "topic"])),
        (#"{"message": {"topic": "a"}, "topic": "b"}"#, .severalTargets(["message.topic", "topic"])),
        (#"{"tokens": ["a", 5]}"#, .noText(path: "tokens[1]")),
        (#"{"registration_ids": [null, "a"]}"#, .noText(path: "registration_ids[0]")),
        (#"{"registration_ids": ["\#(Conversion.token)", "b"]}"#, .noRegistration(path: "registration_ids[1]")),
        (#"{"fids": "\#(Conversion.token)", "data": {"a": "b"}}"#, .noRegistration(path: "fids")),
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
        (.noRegistration(path: "tokens[1]"), "'tokens[1]' is no registration", "correct it, or remove it"),
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
            switch error {
            case .noText, .severalTargets: return
            default: throw error
            }
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
