import FCM
import Testing

@testable import FCMEmulator

@Suite struct InboxTests {
    /// What one platform receives for a message to topic `t`. `received` leaves out what all entries have in common,
    /// and what happens on the device.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var platform: String
        var message: String
        var received: String
        var testDescription: String { "\(platform): \(name)" }
    }

    static let cases = [
        Case(
            name: "title and body make an alert object", platform: "ios",
            message: #""notification":{"title":"T","body":"B"}"#,
            received: ios(#""aps":{"alert":{"title":"T","body":"B"}},"google.c.a.e":"1""#, pushType: "alert")),
        Case(
            name: "a body alone makes a string", platform: "ios", message: #""notification":{"body":"B"}"#,
            received: ios(#""aps":{"alert":"B"},"google.c.a.e":"1""#, pushType: "alert")),
        Case(
            name: "the payload's alert wins, other keys stay beside it", platform: "ios",
            message: #""notification":{"title":"T"},"apns":{"payload":{"aps":{"alert":"A","badge":0},"n":{"x":1}}}"#,
            received: ios(#""aps":{"alert":"A","badge":0},"n":{"x":1},"google.c.a.e":"1""#, pushType: "alert")),
        Case(
            name: "a whole number of more than 53 bits is rounded", platform: "ios",
            message: #""apns":{"payload":{"aps":{"alert":"A"},"id":9007199254740993}}"#,
            received: ios(
                #""aps":{"alert":"A"},"id":9007199254740992,"google.c.a.e":"1""#, pushType: "alert")),
        Case(
            name: "data stands at the top and loses to the payload", platform: "ios",
            message:
                #""data":{"a":"1","b":"1"},"android":{"data":{"c":"1"}},"apns":{"payload":{"aps":{"content-available":1},"b":2}}"#,
            received: ios(#""aps":{"content-available":1},"a":"1","b":2"#, pushType: "background")),
        Case(
            name: "the image and the label of its own options win", platform: "ios",
            message:
                #""notification":{"title":"T","image":"https://a"},"fcm_options":{"analytics_label":"x"},"apns":{"fcm_options":{"image":"https://b","analytics_label":"y"}}"#,
            received: ios(
                #""aps":{"alert":{"title":"T"}},"google.c.a.e":"1","google.c.a.m_l":"y","fcm_options":{"image":"https://b"}"#,
                pushType: "alert")),
        Case(
            name: "headers come from the message", platform: "ios",
            message: #""apns":{"headers":{"apns-priority":"5","apns-expiration":"0","apns-collapse-id":"c"}}"#,
            received:
                #""headers":{"apns-priority":"5","apns-expiration":"0","apns-collapse-id":"c"},"payload":{"aps":{},\#(metadata)}"#
        ),
        Case(
            name: "fields override one by one, data as a whole", platform: "android",
            message:
                #""notification":{"title":"T","body":"B"},"data":{"a":"1"},"android":{"ttl":"60s","collapse_key":"k","notification":{"body":"A","channel_id":"c"},"data":{"b":"2"}}"#,
            received:
                #""priority":"high","ttl":"60s","collapse_key":"k","notification":{"title":"T","body":"A","channel_id":"c"},"data":{"b":"2"}"#
        ),
        Case(
            name: "data alone goes at normal priority", platform: "android",
            message: #""data":{"a":"1"},"apns":{"payload":{"aps":{"alert":"A"}}}"#,
            received: #""priority":"normal","data":{"a":"1"}"#),
        Case(
            name: "the message's priority is taken", platform: "android",
            message: #""data":{"a":"1"},"android":{"priority":"HIGH"}"#,
            received: #""priority":"high","data":{"a":"1"}"#),
        Case(
            name: "fields override one by one, data as a whole", platform: "web",
            message:
                #""notification":{"title":"T","body":"B"},"data":{"a":"1"},"webpush":{"headers":{"TTL":"60"},"notification":{"body":"W","requireInteraction":true},"data":{},"fcm_options":{"link":"https://example.com"}}"#,
            received:
                #""headers":{"TTL":"60"},"notification":{"title":"T","body":"W","requireInteraction":true},"link":"https://example.com""#
        ),
    ]

    static let metadata =
        #""gcm.message_id":"1796112000250000","google.c.fid":"\#(fid(1))","google.c.sender.id":"123456789012""#

    /// FCM's default headers: priority 10, and 30 days from the emulator's clock.
    static func ios(_ payload: String, pushType: String) -> String {
        #""headers":{"apns-priority":"10","apns-expiration":"1798704000","apns-push-type":"\#(pushType)"},"payload":{\#(payload),\#(metadata)}"#
    }

    @Test(arguments: cases)
    func `a device receives a message in its platform's form`(_ example: Case) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: example.platform, topics: ["t"])
        let id = try emulator.send(#"{"message":{"topic":"t",\#(example.message)}}"#).messageID()
        let expected = """
            [{"message_id":"\(id)","received":"2026-12-01T08:00:00.250Z","platform":"\(example.platform)",
              "topic":"t","from":"/topics/t",\(example.received)}]
            """
        let inbox = try emulator.inbox(token(1)).map { entry in
            entry.object.map { members in
                JSONValue.object(
                    members.filter { !["app", "callback", "callbacks", "shown", "extras"].contains($0.key) })
            }
        }
        #expect(try inbox == JSONValue(parsing: expected.utf8).array)
    }

    @Test func `what was sent to a registration alone comes from no topic`() throws {
        let emulator = ManualEmulator()
        _ = emulator.send(#"{"message":{"token":"\#(token(1))","data":{"a":"1"}}}"#)
        let entry = try #require(try emulator.inbox(token(1)).first)
        #expect(entry["topic"] == nil)
        #expect(entry["from"] == nil)
    }
}
