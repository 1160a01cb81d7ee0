import FCM
import Synchronization
import Testing

@testable import FCMEmulator

@Suite struct ControlTests {
    @Test func `the ledger has one line for each accepted send`() throws {
        let emulator = ManualEmulator()
        _ = emulator.subscribe(fid(7), to: "tides")
        let first = try emulator.send(
            #"{"message":{"topic":"tides","notification":{"title":"High \"tide\" \n"}}}"#
        ).messageID()
        emulator.advance(by: 3600)
        let second = try emulator.send(#"{"message":{"token":"\#(token(8))"}}"#).messageID()
        _ = emulator.send(#"{"message":{"token":"malformed"}}"#)

        #expect(
            try emulator.ledger() == [
                [
                    "time": "2026-12-01T08:00:00.250Z", "message_id": .string(first), "status": 200, "delivered": true,
                    "target": ["topic": "tides"], "fan_out": 1,
                    "message": ["notification": ["title": "High \"tide\" \n"]],
                ],
                [
                    "time": "2026-12-01T09:00:00.250Z", "message_id": .string(second), "status": 200, "delivered": true,
                    "target": ["token": .string(token(8))], "fan_out": 1, "message": [:],
                ],
            ])
    }

    @Test func `ledger lines are kept before the answer, the same that are read later`() throws {
        let kept = Mutex<[UInt8]>([])
        let backend = Backend(now: { Date(timeIntervalSince1970: 0) }) { lines in kept.withLock { $0 += lines } }
        for _ in 1...3 {
            let call = Call("POST", "/v1/projects/p/messages:send", body: Array(#"{"message":{"topic":"t"}}"#.utf8))
            #expect(backend.answer(call).status == 200)
        }
        let ledger = Array(backend.answer(Call("GET", "/emulator/v1/ledger")).body.joined())
        #expect(kept.withLock(\.self) == ledger)
        #expect(ledger.count { $0 == UInt8(ascii: "\n") } == 3)
    }

    @Test func `a send that the ledger cannot take is not accepted`() throws {
        let backend = Backend(now: { Date(timeIntervalSince1970: 0) }) { _ in
            throw EmulatorError.cannotWriteLedger(reason: "No space left on device")
        }
        let call = Call("POST", "/v1/projects/p/messages:send", body: Array(#"{"message":{"topic":"t"}}"#.utf8))
        #expect(backend.answer(call).status == 500)
    }

    @Test func `every request to FCM is logged, and none to the emulator's own interface`() throws {
        let emulator = ManualEmulator()
        _ = emulator.send(#"{"message":{"topic":"t"}}"#)
        _ = emulator.send("")
        _ = emulator.call("GET", "/emulator/v1/ledger")
        _ = emulator.subscribe(fid(1), to: "100%25")
        _ = emulator.call("DELETE", "/nowhere\"\\\u{1}")
        #expect(
            try emulator.requests() == [
                Self.request("POST", "/v1/projects/p/messages:send", 200),
                Self.request("POST", "/v1/projects/p/messages:send", 400),
                Self.request(
                    "POST", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?topic_name=100%25", 200),
                Self.request("DELETE", "/nowhere\"\\\u{1}", 404),
            ])
    }

    private static func request(_ method: String, _ path: String, _ status: Int64) -> JSONValue {
        ["time": "2026-12-01T08:00:00.250Z", "method": .string(method), "path": .string(path), "status": .int(status)]
    }

    @Test func `registrations read back as they were put, and others stay`() throws {
        let emulator = ManualEmulator()
        let list: JSONValue = [
            [
                "registration": .string(fid(1)), "kind": "fid", "platform": "web", "state": "apns_dead",
                "topics": ["a", "b"],
            ],
            [
                "registration": .string(token(1)), "kind": "token", "platform": "ios", "state": "active",
                "topics": ["a"],
            ],
        ]
        try emulator.enrol(list)
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == list)

        try emulator.enrol([["registration": .string(fid(1)), "topics": ["b", "c"]]])
        try emulator.enrol([["registration": .string(token(1)), "state": "unregistered"]])
        let changed: JSONValue = [
            [
                "registration": .string(fid(1)), "kind": "fid", "platform": "web", "state": "apns_dead",
                "topics": ["b", "c"],
            ],
            [
                "registration": .string(token(1)), "kind": "token", "platform": "ios", "state": "unregistered",
                "topics": ["a"],
            ],
        ]
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == changed)
        #expect(try emulator.call("GET", "/emulator/v1/topics/c").json() == [.string(fid(1))])
        #expect(try emulator.call("GET", "/emulator/v1/topics/a").json() == [])
    }

    @Test(arguments: [
        ("{}", "registrations are a JSON array of objects"),
        ("", "registrations are a JSON array of objects"),
        ("[1]", "[0]: not an object"),
        (#"[{"registration":"short"}]"#, "[0].registration: neither a token nor a fid"),
        (#"[{"registration":"\#(fid(1))","kind":"token"}]"#, "[0].kind: this registration is a fid"),
        (
            #"[{"registration":"\#(fid(1))"},{"registration":"\#(fid(2))","state":"gone"}]"#,
            "[1].state: not one of active, unregistered, other_sender, apns_dead"
        ),
        (#"[{"registration":"\#(fid(1))","platform":7}]"#, "[0].platform: not one of ios, android, web"),
        (#"[{"registration":"\#(fid(1))","topics":["a b"]}]"#, "[0].topics: not an array of topic names"),
        (#"[{"registration":"\#(fid(1))","topic":"a"}]"#, "[0]: unknown key 'topic'"),
    ])
    func `a wrong list of registrations changes nothing`(_ body: String, _ message: String) throws {
        let emulator = ManualEmulator()
        let reply = emulator.call("PUT", "/emulator/v1/registrations", body)
        #expect(reply.status == 400)
        #expect(try reply.json()["error"]?["message"] == .string(message))
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == [])
    }

    @Test func `a reset forgets everything`() throws {
        let emulator = ManualEmulator()
        _ = emulator.subscribe(fid(1), to: "t")
        _ = emulator.send(#"{"message":{"topic":"t"}}"#)
        #expect(emulator.call("POST", "/emulator/v1/reset").status == 200)
        for path in ["ledger", "requests"] { #expect(emulator.call("GET", "/emulator/v1/\(path)").text.isEmpty) }
        for path in ["registrations", "topics/t", "devices/\(fid(1))/inbox"] {
            #expect(try emulator.call("GET", "/emulator/v1/\(path)").json() == [])
        }
    }

    @Test func `a long ledger is read whole`() throws {
        let emulator = ManualEmulator()
        let text = String(repeating: "x", count: 3000)
        for _ in 0..<300 { _ = emulator.send(#"{"message":{"topic":"t","data":{"k":"\#(text)"}}}"#) }
        #expect(try emulator.ledger().count == 300)
    }

    @Test(arguments: [
        ("GET", "/emulator"), ("GET", "/emulator/v2/ledger"), ("POST", "/emulator/v1/faults"),
        ("POST", "/emulator/v1/ledger"), ("GET", "/emulator/v1/topics/a/b"),
    ])
    func `a call that the emulator does not have is named`(_ method: String, _ target: String) throws {
        let reply = ManualEmulator().call(method, target)
        #expect(reply.status == 404)
        #expect(try reply.json()["error"]?["message"] == .string("the emulator has no call \(method) \(target)"))
    }

    @Test(arguments: ["/emulator/v1/topics/a%20b", "/emulator/v1/devices/short/inbox"])
    func `a malformed name is refused`(_ target: String) {
        #expect(ManualEmulator().call("GET", target).status == 400)
    }
}
