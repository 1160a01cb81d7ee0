import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// Values of `apns.payload` and `webpush.notification`, which are passed on unchanged.
struct VerbatimValueTests {
    private func load(_ value: String) throws -> WorkspaceLoader.Loaded {
        try WorkspaceLoader.load(files: [
            "c.yaml": """
            kind: campaign
            name: c
            target: {fids: [\(fid)]}
            message:
              notification: {title: x}
              apns: {headers: {apns-push-type: alert}, payload: {aps: {badge: 1}, n: \(value), l: [\(value)]}}
              webpush: {notification: {data: {n: \(value)}}}

            """
        ])
    }

    @Test(arguments: [
        "0", "-7", "1.5", "1e21", "1E+2", "-2.5e-3", "1e5", "9223372036854775808", "-123456789012345678901234567890",
        "1.5e3",
    ])
    func `a JSON number is sent in its digits`(_ number: String) throws {
        let loaded = try load(number)
        #expect(loaded.diagnostics.filter { $0.rule != .integerRounded } == [])
        let message = try #require(loaded.workspace?.campaigns.first?.message.value)
        let text = String(decoding: try JSONValue.object(message).bytes(), as: UTF8.self)
        #expect(text.contains("\"l\":[\(number)],\"n\":\(number)}"))
        #expect(text.contains("\"data\":{\"n\":\(number)}"))
    }

    /// What FCM carries as a 64-bit floating-point number, and what then arrives.
    @Test(
        arguments: [
            ("9007199254740991", nil), ("-9007199254740991", nil), ("9007199254740993", "9007199254740992"),
            ("-9007199254740993", "-9007199254740992"), ("9223372036854775807", "9.223372036854776e+18"),
            ("123456789012345678901", "1.2345678901234568e+20"), ("1e30", nil), ("9007199254740993.5", nil),
            ("\"9007199254740993\"", nil),
        ] as [(String, String?)])
    func `a whole number that is rounded on its way is told with what arrives`(
        _ number: String, _ arriving: String?
    ) throws {
        let found = try load(number).diagnostics.filter { $0.rule == .integerRounded }
        let values = ["'n'", "an entry of 'l'", "'n'"]
        #expect(
            found.map(\.message).sorted()
                == (arriving.map { arriving in values.map { "\($0) is \(number), and devices may get \(arriving)" } }
                ?? [])
                .sorted())
    }

    @Test(
        arguments: [
            (".5", "0.5"), ("-.5", "-0.5"), ("+1", "1"), ("+.5e3", "0.5e3"), ("1.", "1"), ("1.e5", "1e5"),
            ("1_000", "1000"), ("0x1F", "31"), ("-0x1F", "-31"), ("0o17", "15"), ("0b101", "5"), ("017", nil),
            ("007.5", nil), (".inf", nil), (".nan", nil), ("1e999", nil), ("0xFFFFFFFFFFFFFFFFFF", nil),
        ] as [(String, String?)])
    func `another number is refused, and the nearest one named`(_ text: String, _ meant: String?) throws {
        let loaded = try load(text)
        #expect(loaded.found.map(\.rule) == [.ambiguousScalar, .ambiguousScalar, .ambiguousScalar])
        let first = try #require(loaded.diagnostics.first)
        #expect(first.message == "'n' is \(text), which is not a number that JSON can carry")
        #expect(first.help == "write " + (meant.map { "\($0), or " } ?? "") + "\"\(text)\" for text")
        #expect(first.fix == nil)
    }

    @Test(arguments: [
        ("yes", "a boolean", "write true, or \"yes\" for text"),
        ("Off", "a boolean", "write false, or \"Off\" for text"),
        ("12:30", "a time in base 60", "write \"12:30\" for text"),
        ("2026-12-01", "a date", "write \"2026-12-01\" for text"),
    ])
    func `what versions of YAML read otherwise is refused`(_ text: String, _ reading: String, _ help: String) throws {
        let first = try #require(try load(text).diagnostics.first)
        #expect(first.rule == .ambiguousScalar)
        #expect(first.message == "'n' is \(text), which some versions of YAML read as \(reading)")
        #expect(first.help == help)
    }
}
