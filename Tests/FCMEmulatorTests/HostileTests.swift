import FCM
import Testing

@testable import FCMEmulator

@Suite struct HostileTests {
    static let bodies: [[UInt8]] = [
        [0xff, 0xfe, 0x00], [0x00], Array(repeating: 0x20, count: 10_000),
        Array(#"{"message":{"topic":"t","data":{"k":""#.utf8) + [0xc3, 0x28] + Array(#""}}}"#.utf8),
        Array(#"{"message":{"topic":"t","data":{"k":"\ud800"}}}"#.utf8),
        Array(#"{"message":{"topic":"t","android":{"notification":{"notification_count":1e400}}}}"#.utf8),
        Array(
            #"{"message":{"topic":"t","android":{"notification":{"notification_count":99999999999999999999}}}}"#.utf8),
        Array(#"{"message":{"topic":"t","android":{"ttl":"99999999999999999999s"}}}"#.utf8),
        Array(#"{"message":{"topic":"t","android":{"ttl":"s"}}}"#.utf8),
        Array(#"{"message":{"topic":"t","android":{"notification":{"event_time":"today"}}}}"#.utf8),
        Array(#"{"message":{"token":{"a":1}}}"#.utf8), Array(#"{"message":"text"}"#.utf8),
        Array(#"{"message":[{}]}"#.utf8), Array(#"{"message":{"topic":true}}"#.utf8),
        Array(#"{"message":{"topic":"t"},"validate_only":"yes"}"#.utf8),
        Array(#"{"message":{"topic":"\#(String(repeating: "t", count: 901))"}}"#.utf8),
        Array((String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)).utf8),
        Array((String(repeating: #"{"message":"#, count: 50_000)).utf8),
        Array((#"{"message":{"topic":"t","apns":{"payload":"# + String(repeating: #"{"a":"#, count: 100_000)).utf8),
        Array(#"{"message":{"topic":"t",\#((0..<20_000).map { #""x\#($0)":1"# }.joined(separator: ","))}}"#.utf8),
    ]

    @Test(arguments: bodies)
    func `a hostile body is refused like any other`(_ body: [UInt8]) throws {
        let emulator = ManualEmulator()
        let reply = Reply(emulator.backend.answer(Call("POST", "/v1/projects/p/messages:send", body: body)))
        #expect(reply.status == 400)
        #expect(try reply.json()["error"]?["status"] == "INVALID_ARGUMENT")
        #expect(try emulator.ledger().isEmpty)
        #expect(emulator.send(#"{"message":{"topic":"t"}}"#).status == 200)
    }

    @Test(arguments: bodies)
    func `hostile bodies do no harm elsewhere`(_ body: [UInt8]) {
        let backend = ManualEmulator().backend
        let registrations = Call("PUT", "/emulator/v1/registrations", body: body)
        let subscription = Call(
            "POST", "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?topic_name=t", body: body)
        #expect(backend.answer(registrations).status == 400)
        #expect(backend.answer(subscription).status == 400)
        let headers = [
            (name: "access_token_auth", value: "true"), (name: "project_id", value: "1"),
            (name: "content-type", value: "application/x-www-form-urlencoded"),
        ]
        for target in ["/iid/v1:batchAdd", "/iid/v1:batchRemove", "/fcm/notification", "/token"] {
            let reply = Reply(backend.answer(Call("POST", target, headers: headers, body: body)))
            #expect(reply.status == 400)
            #expect((try? reply.json()["error"]?.string) != nil)
        }
    }

    /// Every field that a message can have, filled with every kind of JSON value.
    @Test(arguments: ["null", "true", "0", "-1.5e300", #""""#, #""text""#, "[]", "[null]", "{}", #"{"":null}"#])
    func `a value of any kind may stand anywhere`(_ value: String) throws {
        let emulator = ManualEmulator()
        let paths = [
            "message", "message.data", "message.notification.title", "message.android", "message.android.ttl",
            "message.android.priority", "message.android.notification.vibrate_timings",
            "message.android.notification.light_settings.color.red", "message.android.notification.event_time",
            "message.android.direct_boot_ok", "message.apns", "message.apns.headers", "message.apns.payload",
            "message.apns.payload.aps", "message.apns.fcm_options", "message.webpush.notification",
            "message.webpush.headers.TTL", "message.fcm_options.analytics_label", "validate_only", "message.condition",
        ]
        for path in paths {
            let keys = path.split(separator: ".")
            var body = value
            for (depth, key) in keys.enumerated().reversed() {
                let target = depth == 1 ? #""topic":"t","# : ""
                body = "{\(target)\"\(key)\":\(body)}"
            }
            let status = emulator.send(body).status
            #expect(status == 200 || status == 400, "\(body)")
        }
        for platform in ["ios", "android", "web"] {
            try emulator.enrol(token(1), platform: platform, topics: ["t"])
            #expect(emulator.call("GET", "/emulator/v1/devices/\(token(1))/inbox").status == 200)
        }
    }

    @Test func `nesting that JSON readers allow is delivered`() throws {
        let emulator = ManualEmulator()
        let deep = String(repeating: #"{"a":"#, count: 400) + "1" + String(repeating: "}", count: 400)
        #expect(emulator.send(#"{"message":{"topic":"t","apns":{"payload":\#(deep)}}}"#).status == 200)
        #expect(try emulator.ledger().count == 1)
    }

    @Test(arguments: ["%", "%4", "%zz", "%ff%fe", "a%00b", "..", "%2e%2e", "é", ""])
    func `a hostile path segment is refused`(_ segment: String) {
        let emulator = ManualEmulator()
        for target in [
            "/v1/projects/p/registrations/\(segment)/topicSubscriptions?topic_name=t",
            "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions/\(segment.isEmpty ? "%20" : segment)%20?allow_missing=true",
        ] {
            let status = emulator.call("PATCH", target, "{}").status
            #expect((400...404).contains(status), "\(target)")
        }
    }
}
