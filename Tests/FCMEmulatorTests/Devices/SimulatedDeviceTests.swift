import FCM
import Testing

@testable import FCMEmulator

@Suite struct HandsetTests {
    @Test(arguments: [
        (#"{"app":"foreground"}"#, "ios", "willPresent"), (#"{"app":"terminated"}"#, "ios", nil),
        (#"{"app":"foreground"}"#, "android", "onMessageReceived"), (#"{}"#, "android", nil),
        (#"{}"#, "web", "onBackgroundMessage"),
    ])
    func `the callback is that of the app's place when the message came`(
        _ change: String, _ platform: String, _ callback: String?
    ) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: platform)
        try emulator.device(token(1), change)
        _ = emulator.send(#"{"message":{"token":"\#(token(1))","notification":{"title":"T"}}}"#)
        try emulator.device(token(1), #"{"app":"background"}"#)
        let entry = try #require(try emulator.inbox(token(1)).first)
        #expect(entry["callback"] == callback.map { .string($0) } ?? .null)
        #expect(entry["shown"] == ["title": "T"])
    }

    @Test func `an inbox tells all that could be called`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: "ios")
        _ = emulator.send(
            #"{"message":{"token":"\#(token(1))","apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"content-available":1}}}}}"#
        )
        let entry = try #require(try emulator.inbox(token(1)).first)
        #expect(entry["app"] == "background")
        #expect(entry["shown"] == .null)
        #expect(
            entry["callbacks"] == [
                "foreground": "didReceiveRemoteNotification", "background": "didReceiveRemoteNotification",
                "terminated": nil, "tap": nil,
            ])
    }

    @Test(arguments: [
        ("ios", #""apns":{"headers":{"apns-collapse-id":"K"}}"#),
        ("android", #""android":{"notification":{"tag":"K"}}"#),
        ("web", #""webpush":{"notification":{"tag":"K"}}"#),
    ])
    func `what is shown is replaced by its tag, and the app shows for itself in front`(
        _ platform: String, _ tag: String
    ) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: platform)
        func send(_ title: String, _ tag: String) {
            let message = #""token":"\#(token(1))","notification":{"title":"\#(title)"},\#(tag)"#
            #expect(emulator.send("{\"message\":{\(message)}}").status == 200)
        }
        send("1", tag)
        send("2", #""data":{}"#)
        send("3", tag)
        try emulator.device(token(1), #"{"app":"foreground"}"#)
        send("4", tag)
        let device = try emulator.call("GET", "/emulator/v1/devices/\(token(1))").json()
        #expect(device["shown"]?.array?.map { $0["title"] } == ["2", "3"])
        #expect(try emulator.inbox(token(1)).count == 4)
    }

    @Test func `a device tells how it is`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: "android")
        try emulator.device(token(1), #"{"online":false,"app":"terminated"}"#)
        let id = try emulator.send(
            #"{"message":{"token":"\#(token(1))","data":{"a":"1"},"android":{"ttl":"60s","collapse_key":"k"}}}"#
        ).messageID()
        #expect(
            try emulator.call("GET", "/emulator/v1/devices/\(token(1))").json() == [
                "registration": .string(token(1)), "platform": "android", "state": "active", "online": false,
                "app": "terminated", "topics": [], "dropped": [:], "shown": [],
                "waiting": [
                    [
                        "message_id": .string(id), "sent": "2026-12-01T08:00:00.250Z",
                        "expires": "2026-12-01T08:01:00.000Z", "collapse_key": "k",
                    ]
                ],
            ])
    }

    @Test(arguments: [
        ("[]", "this is no JSON object"), (#"{"online":"yes"}"#, "online: not a boolean"),
        (#"{"app":"asleep"}"#, "app: not one of foreground, background, terminated"),
        (#"{"state":"active"}"#, "unknown key 'state'"),
        (#"{"subscribe":"t"}"#, "subscribe: not an array of topic names"),
        (#"{"unsubscribe":["a b"]}"#, "unsubscribe: not an array of topic names"),
        (#"{"subscribe":["t"],"unsubscribe":["s","t"]}"#, "'t' is in subscribe and in unsubscribe"),
    ])
    func `a wrong change of a device changes nothing`(_ body: String, _ message: String) throws {
        let emulator = ManualEmulator()
        let reply = emulator.call("PUT", "/emulator/v1/devices/\(fid(1))", body)
        #expect(reply.status == 400)
        #expect(try reply.json()["error"]?["message"] == .string(message))
        #expect(try emulator.call("GET", "/emulator/v1/registrations").json() == [])
    }

    @Test func `an app joins and leaves topics by itself`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(fid(1), topics: ["tides", "surf"])
        try emulator.device(fid(1), #"{"subscribe":["news","surf"],"unsubscribe":["tides","storms"]}"#)
        let device = try emulator.call("GET", "/emulator/v1/devices/\(fid(1))").json()
        #expect(device["topics"] == ["news", "surf"])
        #expect(try emulator.call("GET", "/emulator/v1/topics/news").json() == [.string(fid(1))])
        #expect(try emulator.call("GET", "/emulator/v1/topics/tides").json() == [])
    }

    @Test(arguments: ["unregistered", "other_sender"])
    func `an app that FCM does not know has no topics`(_ state: String) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(fid(1), state: state)
        let body = #"{"online":false,"subscribe":["t"]}"#
        #expect(emulator.call("PUT", "/emulator/v1/devices/\(fid(1))", body).status == 400)
        #expect(try emulator.call("GET", "/emulator/v1/devices/\(fid(1))").json()["online"] == true)
    }

    @Test func `an app cannot follow more topics than FCM lets it`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(fid(1), topics: (1...2000).map { "t\($0)" })
        #expect(emulator.call("PUT", "/emulator/v1/devices/\(fid(1))", #"{"subscribe":["t"]}"#).status == 429)
        try emulator.device(fid(1), #"{"subscribe":["t"],"unsubscribe":["t1"]}"#)
    }

    @Test func `with --strict a device that was not enrolled does not exist`() {
        let emulator = ManualEmulator(strict: true)
        #expect(emulator.call("PUT", "/emulator/v1/devices/\(fid(1))", "{}").status == 404)
        #expect(emulator.call("GET", "/emulator/v1/devices/\(fid(1))").status == 404)
    }

    /// FCM tells the sender of a message to one device what APNs answered. It does not tell the sender to a topic.
    @Test func `what APNs refuses reaches no Apple device, and FCM passes its reason on`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: "ios", topics: ["t"])
        try emulator.enrol(token(2), platform: "android", topics: ["t"])
        let message =
            #""data":{"a":"1"},"apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"content-available":1}}}"#
        let refused = emulator.send(#"{"message":{"token":"\#(token(1))",\#(message)}}"#)
        #expect(refused.status == 400)
        let details = try #require(try refused.json()["error"]?["details"]?.array)
        #expect(details.contains { $0["reason"] == "BadPriority" && $0["statusCode"] == 400 })
        #expect(
            emulator.send(#"{"validate_only":true,"message":{"token":"\#(token(1))",\#(message)}}"#).status == 200)
        #expect(emulator.send(#"{"message":{"topic":"t",\#(message)}}"#).status == 200)
        #expect(try emulator.inbox(token(1)).isEmpty)
        #expect(try emulator.inbox(token(2)).count == 1)
        let device = try emulator.call("GET", "/emulator/v1/devices/\(token(1))").json()
        #expect(device["dropped"] == ["refused": 1])
    }

    // MARK: The clock

    @Test func `the clock goes ahead for everything`() throws {
        let emulator = ManualEmulator()
        #expect(
            try emulator.call("GET", "/emulator/v1/clock").json()
                == ["time": "2026-12-01T08:00:00.250Z", "ahead_seconds": 0])
        try emulator.advanceWorld("4h")
        try emulator.advanceWorld("500ms")
        _ = emulator.send(#"{"message":{"token":"\#(token(1))"}}"#)
        #expect(try emulator.ledger().map { $0["time"] } == ["2026-12-01T12:00:00.750Z"])
        #expect(try emulator.requests().map { $0["time"] } == ["2026-12-01T12:00:00.750Z"])
        _ = emulator.call("POST", "/emulator/v1/reset")
        #expect(try emulator.call("GET", "/emulator/v1/clock").json()["time"] == "2026-12-01T08:00:00.250Z")
    }

    @Test(arguments: [
        "{}", #"{"advance":"4"}"#, #"{"advance":"-4h"}"#, #"{"advance":"h"}"#, #"{"advance":4}"#,
        #"{"advance":"367d"}"#,
        #"{"advance":"99999999999999999999d"}"#, #"{"advance":"1.5h"}"#,
    ])
    func `a wrong time to leap over is refused`(_ body: String) throws {
        let emulator = ManualEmulator()
        #expect(emulator.call("POST", "/emulator/v1/clock", body).status == 400)
        #expect(try emulator.call("GET", "/emulator/v1/clock").json()["ahead_seconds"] == 0)
    }

    @Test func `the clock cannot be put ahead for ever`() {
        let emulator = ManualEmulator()
        let statuses = (1...11).map { _ in emulator.call("POST", "/emulator/v1/clock", #"{"advance":"366d"}"#).status
        }
        #expect(statuses == Array(repeating: 200, count: 10) + [400])
    }
}
