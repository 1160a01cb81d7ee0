import FCM
import HeraldTestSupport
import Testing

@testable import FCMEmulator

@Suite struct ConditionTests {
    /// A condition, and whether it matches a device that follows the given topics.
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var means: @Sendable (_ a: Bool, _ b: Bool, _ c: Bool, _ d: Bool, _ e: Bool) -> Bool
        var testDescription: String { text }

        init(_ text: String, means: @escaping @Sendable (Bool, Bool, Bool, Bool, Bool) -> Bool) {
            self.text = text
            self.means = means
        }
    }

    static let cases = [
        Case("'a' in topics") { a, _, _, _, _ in a },
        Case("!('a' in topics)") { a, _, _, _, _ in !a },
        Case("'a' in topics && 'b' in topics") { a, b, _, _, _ in a && b },
        Case("'a' in topics || 'b' in topics") { a, b, _, _, _ in a || b },
        Case("'a' in topics && ('b' in topics || 'c' in topics)") { a, b, c, _, _ in a && (b || c) },
        Case("'a' in topics || 'b' in topics && 'c' in topics") { a, b, c, _, _ in (a || b) && c },
        Case("'a' in topics || ('b' in topics && 'c' in topics)") { a, b, c, _, _ in a || (b && c) },
        Case("'a' in topics && 'b' in topics || 'c' in topics && 'd' in topics || 'e' in topics") { a, b, c, d, e in
            (((a && b) || c) && d) || e
        },
        Case("('a' in topics || 'b' in topics) && !('c' in topics) && ('d' in topics || !('e' in topics))") {
            (a, b, c, d, e) in (a || b) && !c && (d || !e)
        },
        Case("!('a' in topics || 'b' in topics)") { a, b, _, _, _ in !(a || b) },
        Case("!('a' in topics) && !('b' in topics)") { a, b, _, _, _ in !a && !b },
        Case("'a' in topics || !('a' in topics)") { _, _, _, _, _ in true },
        Case("'a' in topics && !('a' in topics)") { _, _, _, _, _ in false },
        Case("'nobody' in topics") { _, _, _, _, _ in false },
        Case("!('nobody' in topics)") { _, _, _, _, _ in true },
    ]

    /// Makes one installation for each subset of five topics. Every second one divides its topics between two
    /// registrations.
    private static func enrolSubsets(in emulator: ManualEmulator) throws {
        for subset in 0..<32 {
            let topics = topics(in: subset)
            if subset.isMultiple(of: 2) {
                try emulator.enrol(fid(subset), topics: topics)
            } else {
                try emulator.enrol(fid(subset), topics: Array(topics.prefix(2)))
                try emulator.enrol(token(subset), topics: Array(topics.dropFirst()))
            }
        }
    }

    private static func topics(in subset: Int) -> [String] {
        zip(0..., ["a", "b", "c", "d", "e"]).filter { subset & 1 << $0.0 != 0 }.map(\.1)
    }

    @Test(arguments: cases)
    func `a condition reaches each installation that it is true of, once`(_ condition: Case) throws {
        let emulator = ManualEmulator()
        try Self.enrolSubsets(in: emulator)
        let expected = (0..<32).filter { subset in
            let follows = (0..<5).map { subset & 1 << $0 != 0 }
            return condition.means(follows[0], follows[1], follows[2], follows[3], follows[4])
        }
        let reply = emulator.send(#"{"message":{"condition":"\#(condition.text)","data":{"k":"v"}}}"#)
        #expect(reply.status == 200)
        #expect(try reply.messageID().utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains))
        let reached = try (0..<32).flatMap { subset in
            try emulator.inbox(fid(subset)).map { _ in subset }
        }
        #expect(reached == expected)
        let line = try #require(try emulator.ledger().first)
        #expect(line["fan_out"] == .int(Int64(expected.count)))
        #expect(line["target"] == ["condition": .string(condition.text)])
        #expect(line["message"] == ["data": ["k": "v"]])
    }

    /// The run prints the seed in the test's name, so a failure can be repeated.
    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func `a condition made at random means what its author's own reading says`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let emulator = ManualEmulator()
        try Self.enrolSubsets(in: emulator)
        var (expected, fanOuts) = (Array(repeating: [String](), count: 32), [JSONValue]())
        // As many as fit into an inbox
        for _ in 0..<100 {
            let oracle = ConditionOracle(terms: Int.random(in: 1...5, using: &random), using: &random)
            let text = oracle.text(using: &random)
            let id = try emulator.send(#"{"message":{"condition":"\#(text)"}}"#).messageID()
            // Subset 0 is the installation without topics.
            let subsets = (0..<32).filter { oracle.isTrue(of: Set(Self.topics(in: $0))) }
            for subset in subsets { expected[subset].append("\(id) \(text)") }
            fanOuts.append(.int(Int64(subsets.count)))
        }
        let ledger = try emulator.ledger()
        #expect(ledger.map { $0["fan_out"] } == fanOuts)
        let texts = Dictionary(
            ledger.map { ($0["message_id"]?.string ?? "", $0["target"]?["condition"]?.string ?? "") }
        ) { first, _ in first }
        for subset in 0..<32 {
            let reached = try emulator.inbox(fid(subset)).map { $0["message_id"]?.string ?? "" }
            #expect(reached.map { "\($0) \(texts[$0] ?? "")" } == expected[subset], "subset \(subset)")
        }
    }

    @Test func `only active registrations count, and an installation is reached while it has one`() throws {
        let emulator = ManualEmulator()
        for (number, state) in zip(1..., ["active", "unregistered", "other_sender", "apns_dead"]) {
            try emulator.enrol(fid(number), state: state, topics: ["a"])
        }
        // The dead token's topic is no longer the installation's, but its fid is still registered.
        try emulator.enrol(token(5), state: "unregistered", topics: ["a"])
        try emulator.enrol(fid(5))
        _ = emulator.send(#"{"message":{"condition":"'a' in topics"}}"#)
        _ = emulator.send(#"{"message":{"condition":"!('a' in topics)"}}"#)
        _ = emulator.send(#"{"message":{"condition":"!('b' in topics)"}}"#)
        #expect(try emulator.ledger().map { $0["fan_out"] } == [1, 1, 2])
        #expect(try (1...5).map { try emulator.inbox(fid($0)).count } == [2, 0, 0, 0, 2])
    }

    @Test func `an installation that was only sent to is known`() throws {
        let emulator = ManualEmulator()
        _ = emulator.send(#"{"message":{"token":"\#(token(1))"}}"#)
        _ = emulator.send(#"{"message":{"condition":"!('a' in topics)"}}"#)
        #expect(try emulator.inbox(fid(1)).count == 2)
    }

    @Test func `a condition that is only validated reaches nobody`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(fid(1), topics: ["a"])
        let reply = emulator.send(#"{"message":{"condition":"'a' in topics"},"validate_only":true}"#)
        #expect(try reply.messageID() == "fake_message_id")
        #expect(try emulator.ledger().isEmpty)
        #expect(try emulator.inbox(fid(1)).isEmpty)
    }

    @Test(arguments: [
        "a", "'a'", "'a' in", "'a' in topic", "in topics", "'a in topics", "'a b' in topics", "'a' in topics &&",
        "'a' in topics & 'b' in topics", "'a' in topics 'b' in topics", "('a' in topics", "'a' in topics)", "()", "!",
        "'a' in topics and 'b' in topics", "\\\"a\\\" in topics", " ",
        "'a' in topics || 'b' in topics || 'c' in topics || 'd' in topics || 'e' in topics || 'f' in topics",
    ])
    func `a malformed condition is refused as FCM refuses messages`(_ text: String) throws {
        let emulator = ManualEmulator()
        let reply = emulator.send(#"{"message":{"condition":"\#(text)"}}"#)
        #expect(reply.status == 400)
        #expect(
            try reply.json() == [
                "error": [
                    "code": 400, "message": "Invalid condition expression provided.", "status": "INVALID_ARGUMENT",
                    "details": [
                        [
                            "@type": "type.googleapis.com/google.rpc.BadRequest",
                            "fieldViolations": [
                                [
                                    "field": "message.condition",
                                    "description": "Invalid condition expression provided.",
                                ]
                            ],
                        ],
                        [
                            "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
                            "errorCode": "INVALID_ARGUMENT",
                        ],
                    ],
                ]
            ])
        #expect(try emulator.ledger().isEmpty)
    }

    @Test(arguments: ["(", "!", "!(", "'a' in topics && (", "'"])
    func `a deep condition is refused like any other`(_ piece: String) {
        let text = String(repeating: piece, count: 900_000 / piece.utf8.count)
        #expect(ManualEmulator().send(#"{"message":{"condition":"\#(text)"}}"#).status == 400)
    }
}
