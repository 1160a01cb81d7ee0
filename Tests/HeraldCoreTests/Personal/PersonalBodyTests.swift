import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct PersonalBodyTests {
    private static let address = Address.registration(.fid(1))

    private static func text(
        _ message: [String: JSONValue], _ row: [String?], validateOnly: Bool = false
    ) throws -> String {
        var content = PersonalContent(
            message: message, fields: [Field(name: "a"), Field(name: "n", kind: .integer)], seed: "s")
        content.defaultLocale = "de"
        let body = try PersonalMessages(content).body(of: .init(), validateOnly: validateOnly) { $0 }
        return String(decoding: body.bytes(to: address, FieldValues(row)), as: UTF8.self)
    }

    @Test func `values stand where they belong`() throws {
        let text = try Self.text(
            [
                "notification": ["title": "{{ a }}: {{n}}", "image": "https://example.com/{{ a }}/{{ n }}"],
                "data": ["n": "{{ n }}", "b": "{{'{{'}} a }}", "t": "see https://example.com/ and {{ a }}"],
            ], [" \"Zoë\" {{ n }}\\ ", "1234567"], validateOnly: true)
        #expect(
            text == #"{"message":{"data":{"b":"{{ a }}","n":"1234567","#
                + #""t":"see https://example.com/ and \"Zoë\" {{ n }}\\"},"notification":"#
                + #"{"image":"https://example.com/%22Zo%C3%AB%22%20%7B%7B%20n%20%7D%7D%5C/1234567","#
                + #""title":"\"Zoë\" {{ n }}\\: 1.234.567"},"fid":"cTEST00000000000000001"},"validate_only":true}"#)
    }

    @Test(
        arguments: [
            ([:], #"{"message":{"fid":"cTEST00000000000000001"}}"#),
            (["data": [:]], #"{"message":{"data":{},"fid":"cTEST00000000000000001"}}"#),
            (["data": ["k": "{{ a }}"]], #"{"message":{"data":{"k":"x"},"fid":"cTEST00000000000000001"}}"#),
            (
                ["data": ["k": "{{ n | default: '\"\n' }}"]],
                #"{"message":{"data":{"k":"\"\n"},"fid":"cTEST00000000000000001"}}"#
            ),
        ] as [([String: JSONValue], String)])
    func `every shape ends with the address`(_ message: [String: JSONValue], _ text: String) throws {
        #expect(try Self.text(message, ["x", nil]) == text)
    }

    @Test func `what is filled in before is part of the body`() throws {
        let content = PersonalContent(message: ["data": ["k": "{{ a }}"]], fields: [Field(name: "a")], seed: "s")
        let body = try PersonalMessages(content).body(of: .init(), validateOnly: false) { message in
            message.merging(["android": ["ttl": "60s"]]) { $1 }
        }
        let bytes = body.bytes(to: Self.address, FieldValues(["x"]))
        #expect(try JSONValue(parsing: bytes)["message"]?["android"]?["ttl"] == "60s")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `random bodies are the JSON of the rendered messages, and no larger than their check says`(
        seed: UInt64
    ) throws {
        var random = RandomPersonal(seed: seed)
        let messages = try PersonalMessages(random.content())
        let address = Self.address
        let bodies = try messages.classes.map { recipients in
            recipients.isHoldout ? nil : try messages.body(of: recipients, validateOnly: false) { $0 }
        }
        for number in 0..<30 {
            let row = random.row()
            for (recipients, body) in zip(messages.classes, bodies) {
                guard let body else { continue }
                let message = messages.rendered(row, for: recipients)
                let bytes = body.bytes(to: address, row)
                #expect(bytes == (try MessageBody(message: message).bytes(to: address)), "seed \(seed), row \(number)")
                #expect((try? JSONValue(strictly: bytes, depth: 20)) != nil, "seed \(seed), row \(number)")
            }
            let key = Array("key \(number)".utf8)
            guard case .good(let place, let size) = key.withUnsafeBytes({ messages.judge(row, key: $0) }) else {
                continue
            }
            let message = messages.rendered(row, for: messages.classes[place])
            for platform in Platform.allCases {
                #expect(DevicePayload.size(of: message, on: platform) <= size, "seed \(seed), row \(number)")
            }
            #expect(size <= DevicePayload.maximumSize)
        }
    }

    @Test func `random rows are good and bad, of every kind`() throws {
        var kinds: Set<RowMistake.Kind> = []
        var good = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = RandomPersonal(seed: seed)
            let messages = try PersonalMessages(random.content())
            for _ in 0..<100 {
                switch messages.judge(random.row(), key: .init(start: nil, count: 0)) {
                case .good: good += 1
                case .bad(let mistake): kinds.insert(mistake.kind)
                }
            }
        }
        #expect(kinds == Set(RowMistake.Kind.allCases))
        #expect(good > 200)
    }
}
