import FCM
import Testing

struct MessageBodyTests {
    private static let messages: [[String: JSONValue]] = [
        [:],
        ["notification": ["title": "High tide", "body": "18:42 at \"Ostia\" \\ €🌊\u{1}\n"]],
        ["data": ["}": "{", "]": "\"", "/": "a/b"], "apns": ["payload": ["aps": ["badge": 0, "x": [true, nil]]]]],
        ["z": 1, "a": 2],
    ]

    private func parsed(_ body: MessageBody, _ address: Address) throws -> JSONValue {
        try JSONValue(parsing: body.bytes(to: address))
    }

    @Test(arguments: messages)
    func `the body is the message with its target`(_ message: [String: JSONValue]) throws {
        let body = try MessageBody(message: message)
        let expected: [(Address, String, String)] = [
            (.registration(try .fid), "fid", fidText), (.registration(try .token), "token", tokenText),
            (.topic(try .sample("50%off~")), "topic", "50%off~"),
            (
                .condition(try Condition(parsing: #""a%" in topics && !'b~' in topics"#)), "condition",
                "'a%' in topics && !('b~' in topics)"
            ),
            (.group(try .sample("APA91b{}/:=&,")), "token", "APA91b{}/:=&,"),
        ]
        for (address, field, value) in expected {
            var whole = message
            whole[field] = .string(value)
            #expect(try parsed(body, address) == ["message": .object(whole)])
        }
    }

    @Test(arguments: messages)
    func `a dry run says so beside the message`(_ message: [String: JSONValue]) throws {
        let body = try MessageBody(message: message, validateOnly: true)
        var whole = message
        whole["topic"] = "news"
        #expect(
            try parsed(body, .topic(.sample("news"))) == ["message": .object(whole), "validate_only": true])
    }

    @Test func `a real send does not mention validation`() throws {
        let bytes = try MessageBody(message: ["data": ["a": "b"]]).bytes(to: .topic(.sample("t")))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("validate_only"))
    }

    @Test func `each body has exactly one target`() throws {
        let body = try MessageBody(message: ["data": ["token": "x", "topic": "y"]])
        for address in [Address.registration(try .fid), .registration(try .token), .topic(try .sample("t"))] {
            let message = try #require(try parsed(body, address)["message"]?.object)
            #expect(message.keys.filter(["token", "fid", "topic", "condition"].contains) == [address.field])
        }
    }

    @Test func `a message that is no JSON is refused`() {
        #expect(throws: (any Error).self) { try MessageBody(message: ["apns": ["x": .double(.infinity)]]) }
    }

    @Test func `only a registration is one device`() throws {
        #expect(Address.topic(try .sample("t")).fansOut)
        #expect(Address.condition(try Condition(parsing: "'t' in topics")).fansOut)
        #expect(Address.group(try .sample("k")).fansOut)
        #expect(!Address.registration(try .fid).fansOut)
    }
}
