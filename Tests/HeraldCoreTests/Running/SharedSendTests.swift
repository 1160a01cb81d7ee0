import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct SharedSendTests {
    private static let send = SharedSend(
        campaign: "tide", occurrence: OccurrenceID(rawValue: "tide@once"),
        content: MessageContent([
            "notification": ["title": "Tide \u{1F30A} \"high\""],
            "apns": ["payload": ["n": .digits("12345678901234567890123")]],
        ]),
        delivery: .init(rate: .limited(50), onError: .hold, onUnknown: .resend, stopWhenRejectedPercent: 50),
        limits: TimeLimits(
            expiry: Date(timeIntervalSince1970: 1_800_000_000), closing: Date(timeIntervalSince1970: 1_799_990_000)),
        counting: StartCounting(tags: ["promo"], span: 60), runRate: .unlimited,
        ramp: .seconds(60), ramped: .milliseconds(1500), timeout: .seconds(15), maxForgetPercent: 10,
        forgetsFreely: true)

    @Test func `what travels arrives as it left`() throws {
        let json = Self.send.json.compactText
        #expect(SharedSend(reading: Array(json.utf8)) == Self.send)
        var plain = Self.send
        (plain.limits, plain.delivery.rate, plain.forgetsFreely) = (TimeLimits(), nil, false)
        plain.counting = nil
        #expect(SharedSend(reading: Array(plain.json.compactText.utf8)) == plain)
    }

    /// Changes the JSON of a send.
    private static func changed(_ send: SharedSend, _ body: (inout [String: JSONValue]) -> Void) throws -> [UInt8] {
        var whole = try #require(send.json.object)
        var members = try #require(whole["send"]?.object)
        body(&members)
        whole["send"] = .object(members)
        return Array(JSONValue.object(whole).compactText.utf8)
    }

    @Test(arguments: [
        "campaign", "occurrence", "content", "expiry", "closing", "counting", "rate", "run_rate", "ramp", "ramped",
        "timeout",
        "stop_when_rejected_percent", "on_error", "on_unknown", "max_forget_percent", "forgets_freely",
    ])
    func `anything else in its place is refused, and so is nothing`(_ key: String) throws {
        let others: [JSONValue?] = [nil, .null, .int(-1), .string("no"), .int(.max), .array([]), .object([:])]
        for value in others {
            if ["campaign", "occurrence"].contains(key), value == .string("no") { continue }
            if ["expiry", "closing", "counting", "rate"].contains(key), value == .null { continue }
            let bytes = try Self.changed(Self.send) { $0[key] = value }
            #expect(SharedSend(reading: bytes) == nil, "\(key): \(String(describing: value))")
        }
        #expect(SharedSend(reading: Array("{\"campaign\":".utf8)) == nil)
    }

    @Test func `a send with something that this herald does not know is refused whole`() throws {
        #expect(SharedSend(reading: try Self.changed(Self.send) { _ in }) == Self.send)
        #expect(SharedSend(reading: try Self.changed(Self.send) { $0["seeds"] = .null }) == nil)
        let messages: [JSONValue] = [["message": [:], "more": 1], ["message": [:], "personal": [:]], [:]]
        for content in messages {
            #expect(SharedSend(reading: try Self.changed(Self.send) { $0["content"] = content }) == nil)
        }
        var whole = try #require(Self.send.json.object)
        whole["more"] = 1
        #expect(SharedSend(reading: Array(JSONValue.object(whole).compactText.utf8)) == nil)
    }

    @Test func `a send without a version, or of another one, is refused`() throws {
        let send = try #require(Self.send.json["send"])
        let others: [JSONValue] = [
            send, ["send": send], ["version": 1, "send": send], ["version": "2", "send": send],
            ["version": .null, "send": send],
        ]
        for json in others { #expect(SharedSend(reading: Array(json.compactText.utf8)) == nil) }
        // As heralds wrote it that knew no version.
        let old = #"""
            {"campaign":"tide","expiry":"2027-01-15","forgets_freely":false,"max_forget_percent":10,"message":{},
             "occurrence":"tide@once","on_error":"hold","on_unknown":"hold","ramp":0,"ramped":0,"rate":"fast",
             "run_rate":"unlimited","stop_when_rejected_percent":50,"timeout":15000}
            """#
        #expect(SharedSend(reading: Array(old.utf8)) == nil)
    }

    // MARK: Personal campaigns

    private static func personal(_ content: PersonalContent) throws -> SharedSend {
        var shared = send
        shared.content = MessageContent(try PersonalMessages(content))
        return shared
    }

    private static func everything() throws -> SharedSend {
        var content = PersonalContent(
            message: ["notification": ["title": "Hi {{ name | default: 'you' }}"], "data": ["n": "{{ points }}"]],
            fields: [
                Field(name: "name", maximum: 6, column: "First Name"), Field(name: "points", kind: .integer),
                Field(name: "locale", kind: .locale), Field(name: "account"),
            ], seed: "")
        (content.localeField, content.defaultLocale, content.splitField) = (2, "en", 3)
        content.locales = ["it": ["notification": ["title": "Ciao {{ name | default: 'a te' }}"]]]
        content.variants = [
            .init(name: "a", weight: 1),
            .init(
                name: "b", weight: 1, message: ["data": ["b": "{{ points }}"]], locales: ["it": ["data": ["b": "it"]]]),
            .init(name: "none", weight: 1, isHoldout: true),
        ]
        return try personal(content)
    }

    @Test func `a personal campaign arrives as it left`() throws {
        let shared = try Self.everything()
        #expect(SharedSend(reading: Array(shared.json.compactText.utf8)) == shared)
    }

    @Test func `what a worker writes of it is what the run writes`() throws {
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = RandomPersonal(seed: seed)
            let content = random.content()
            guard let shared = try? Self.personal(content) else { continue }
            let read = try #require(SharedSend(reading: Array(shared.json.compactText.utf8)), "seed \(seed)")
            let (own, other) = (try #require(shared.content.personal), try #require(read.content.personal))
            #expect(other.classes == own.classes)
            for recipients in own.classes where !recipients.isHoldout {
                let row = random.row()
                let bodies = try [own, other].map { messages in
                    try messages.body(of: recipients, validateOnly: false) { $0 }.bytes(to: .registration(.fid(1)), row)
                }
                #expect(bodies[0] == bodies[1], "seed \(seed)")
            }
        }
    }

    /// Changes the JSON of a personal campaign.
    private static func changed(_ key: String, to value: JSONValue?) throws -> [UInt8] {
        try changed(try everything()) { members in
            var personal = members["content"]?["personal"]?.object ?? [:]
            personal[key] = value
            members["content"] = ["personal": .object(personal)]
        }
    }

    @Test(arguments: ["message", "fields", "locales", "locale", "default_locale", "variants", "split_by"])
    func `anything else in a personal campaign is refused`(_ key: String) throws {
        for value in [JSONValue.null, .int(-1), .bool(true), .array([1])] {
            #expect(SharedSend(reading: try Self.changed(key, to: value)) == nil, "\(key): \(value)")
        }
    }

    @Test func `fields and variants that cannot be are refused`() throws {
        let field: JSONValue = ["name": "name", "type": "text", "column": "name"]
        let variant: JSONValue = ["holdout": false, "message": [:], "locales": [:]]
        let hostile: [(String, JSONValue)] = [
            ("fields", []), ("fields", .array(Array(repeating: field, count: 101))),
            ("fields", [["name": "name", "type": "any", "column": "name"]]),
            ("fields", [["name": "name", "type": "text"]]),
            ("fields", [["name": "name", "type": "text", "column": "name", "max": "6"]]),
            ("locale", "other"), ("split_by", "other"), ("message", ["data": ["n": "{{ other }}"]]),
            ("message", ["data": ["n": "{{ points"]]), ("message", ["data": ["{{ points }}": "n"]]),
            ("locales", ["it": "x"]), ("variants", ["a": ["holdout": 1, "message": [:], "locales": [:]]]),
            ("variants", ["a": ["message": [:], "locales": [:]]]),
            ("variants", ["a": ["holdout": false, "message": [:], "locales": ["it": []]]]),
            ("variants", ["a": ["holdout": false, "message": ["data": ["n": "{{ other }}"]], "locales": [:]]]),
            ("variants", ["a": ["holdout": false, "message": [:], "locales": [:], "weight": 2]]),
            ("fields", [["name": "name", "type": "text", "column": "name", "default": "x"]]), ("caps", []),
        ]
        for (key, value) in hostile {
            #expect(SharedSend(reading: try Self.changed(key, to: value)) == nil, "\(key): \(value)")
        }
        #expect(SharedSend(reading: try Self.changed("variants", to: ["a": variant])) != nil)
    }

    @Test func `damaged text never ends the process`() throws {
        let whole = Array(try Self.everything().json.compactText.utf8)
        var random = SeededRandom(seed: 3)
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                }
            }
            guard let read = SharedSend(reading: bytes), let messages = read.content.personal else { continue }
            for recipients in messages.classes where !recipients.isHoldout {
                _ = try? messages.body(of: recipients, validateOnly: false) { $0 }
            }
        }
    }
}
