import FCM
import Testing

@testable import FCMEmulator

@Suite struct SendErrorTests {
    /// A body that FCM refuses, with FCM's complete answer. Both are written by hand from its documentation and from
    /// captured errors.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var body: String
        var status = 400
        var error: String
        var testDescription: String { name }
    }

    static let shape: [Refusal] = [
        Refusal(
            name: "no JSON", body: "{\"message\":",
            error: violation("Invalid JSON payload received. Unexpected token.")),
        Refusal(
            name: "no object", body: "[]",
            error: violation(#"Invalid JSON payload received. Unknown name \"\": Root element must be a message."#)),
        Refusal(name: "empty body", body: "", error: rule("The message is not set.", field: "message")),
        Refusal(
            name: "no message", body: #"{"validate_only":true}"#,
            error: rule("The message is not set.", field: "message")),
        Refusal(
            name: "unknown field at the root", body: #"{"message":{"topic":"t"},"dry_run":true}"#,
            error: violation(#"Invalid JSON payload received. Unknown name \"dry_run\": Cannot find field."#)),
        Refusal(
            name: "unknown field in the message", body: #"{"message":{"toen":"x","topic":"t"}}"#,
            error: violation(
                #"Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field."#,
                field: "message")),
        Refusal(
            name: "unknown field further in", body: #"{"message":{"topic":"t","notification":{"sound":"x"}}}"#,
            error: violation(
                #"Invalid JSON payload received. Unknown name \"sound\" at 'message.notification': Cannot find field."#,
                field: "message.notification")),
        Refusal(
            name: "number in data", body: #"{"message":{"topic":"t","data":{"count":12}}}"#,
            error: violation(
                "Invalid value at 'message.data[0].value' (TYPE_STRING), 12", field: "message.data[0].value")),
        Refusal(
            name: "number in the second entry of android's data",
            body: #"{"message":{"topic":"t","android":{"data":{"a":"1","b":true}}}}"#,
            error: violation(
                "Invalid value at 'message.android.data[1].value' (TYPE_STRING), true",
                field: "message.android.data[1].value")),
        Refusal(
            name: "object in data", body: #"{"message":{"topic":"t","data":{"a":{}}}}"#,
            error: violation(
                #"Invalid JSON payload received. Unknown name \"value\" at 'message.data[0]': Starting an object on a scalar field"#,
                field: "message.data[0]")),
        Refusal(
            name: "list of tokens", body: #"{"message":{"token":["x"]}}"#,
            error: violation(
                #"Invalid JSON payload received. Unknown name \"token\" at 'message': Proto field is not repeating, cannot start list."#,
                field: "message")),
        Refusal(
            name: "number as title", body: #"{"message":{"topic":"t","notification":{"title":7}}}"#,
            error: violation(
                "Invalid value at 'message.notification.title' (TYPE_STRING), 7", field: "message.notification.title")),
        Refusal(
            name: "unknown priority", body: #"{"message":{"topic":"t","android":{"priority":"urgent"}}}"#,
            error: violation(
                #"Invalid value at 'message.android.priority' (type.googleapis.com/google.firebase.fcm.v1.AndroidMessagePriority), \"urgent\""#,
                field: "message.android.priority")),
        Refusal(
            name: "number as ttl", body: #"{"message":{"topic":"t","android":{"ttl":3600}}}"#,
            error: violation(
                "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), 3600",
                field: "message.android.ttl")),
        Refusal(
            name: "ttl without unit", body: #"{"message":{"topic":"t","android":{"ttl":"3600"}}}"#,
            error: violation(
                "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), Field 'ttl', Illegal duration format; duration must end with 's'",
                field: "message.android.ttl")),
        Refusal(
            name: "a day that the calendar has not",
            body: #"{"message":{"topic":"t","android":{"notification":{"event_time":"2026-02-29T08:00:00Z"}}}}"#,
            error: violation(
                #"Invalid value at 'message.android.notification.event_time' (type.googleapis.com/google.protobuf.Timestamp), \"2026-02-29T08:00:00Z\""#,
                field: "message.android.notification.event_time")),
        Refusal(
            name: "two targets", body: #"{"message":{"token":"x","topic":"t"}}"#,
            error: violation(
                "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'",
                field: "message")),
    ]

    static let rules: [Refusal] = [
        Refusal(
            name: "no target", body: #"{"message":{"notification":{"title":"T"}}}"#,
            error: rule("Recipient of the message is not set.", field: "message")),
        Refusal(
            name: "empty target", body: #"{"message":{"token":""}}"#,
            error: rule("Recipient of the message is not set.", field: "message")),
        Refusal(
            name: "topic with a prefix", body: #"{"message":{"topic":"/topics/t"}}"#,
            error: rule("Topic name contains invalid characters.", field: "message")),
        Refusal(
            name: "condition", body: #"{"message":{"condition":"'a' in topics &&"}}"#,
            error: rule("Invalid condition expression provided.", field: "message.condition")),
        Refusal(
            name: "ttl over four weeks", body: #"{"message":{"topic":"t","android":{"ttl":"2419200.000000001s"}}}"#,
            error: rule("TTL must be between 0 and 2419200 seconds.", field: "message.android.ttl")),
        Refusal(
            name: "negative ttl", body: #"{"message":{"topic":"t","android":{"ttl":"-0.5s"}}}"#,
            error: rule("TTL must be between 0 and 2419200 seconds.", field: "message.android.ttl")),
        Refusal(
            name: "reserved data key", body: #"{"message":{"topic":"t","data":{"from":"x"}}}"#,
            error: rule("Invalid data payload key: from", field: "message.data")),
        Refusal(
            name: "reserved prefix in android's data",
            body: #"{"message":{"topic":"t","android":{"data":{"Google.c":"x"}}}}"#,
            error: rule("Invalid data payload key: Google.c", field: "message.android.data")),
        Refusal(
            name: "reserved prefix in the web's data",
            body: #"{"message":{"topic":"t","webpush":{"data":{"gcm.n":"x"}}}}"#,
            error: rule("Invalid data payload key: gcm.n", field: "message.webpush.data")),
        Refusal(
            name: "no kind of android_v2", body: #"{"message":{"topic":"t","android_v2":{"ttl":"1s"}}}"#,
            error: rule(
                "One of remote_notification and background_sync must be set.", field: "message.android_v2")),
        Refusal(
            name: "android_v2 without a notification",
            body: #"{"message":{"topic":"t","android_v2":{"remote_notification":{}}}}"#,
            error: rule(
                "The notification is not set.", field: "message.android_v2.remote_notification.notification")),
        Refusal(
            name: "half of the light settings",
            body: """
                {"message":{"topic":"t","android":{"notification":{"light_settings":
                  {"color":{"red":1},"light_on_duration":"1s"}}}}}
                """,
            error: rule(
                "The light settings need light_off_duration.",
                field: "message.android.notification.light_settings.light_off_duration")),
        Refusal(
            name: "color with alpha",
            body: ##"{"message":{"topic":"t","android":{"notification":{"color":"#11223344"}}}}"##,
            error: rule("The color must be in the form #rrggbb.", field: "message.android.notification.color")),
        Refusal(
            name: "arguments without a key",
            body: #"{"message":{"topic":"t","android":{"notification":{"body_loc_args":["1"]}}}}"#,
            error: rule(
                "body_loc_args need a body_loc_key.", field: "message.android.notification.body_loc_args")),
        Refusal(
            name: "analytics label", body: #"{"message":{"topic":"t","fcm_options":{"analytics_label":"a b"}}}"#,
            error: rule(
                "The analytics label must be 1 to 50 characters of a-z A-Z 0-9 - _ . ~ %.",
                field: "message.fcm_options.analytics_label")),
        Refusal(
            name: "long analytics label",
            body: """
                {"message":{"topic":"t","apns":{"fcm_options":{"analytics_label":"\(String(repeating: "x", count: 51))"}}}}
                """,
            error: rule(
                "The analytics label must be 1 to 50 characters of a-z A-Z 0-9 - _ . ~ %.",
                field: "message.apns.fcm_options.analytics_label")),
        Refusal(
            name: "link without TLS",
            body: #"{"message":{"topic":"t","webpush":{"fcm_options":{"link":"http://example.com"}}}}"#,
            error: rule("The link must be an https URL.", field: "message.webpush.fcm_options.link")),
        Refusal(
            name: "web push TTL", body: #"{"message":{"topic":"t","webpush":{"headers":{"TTL":"-1"}}}}"#,
            error: rule("TTL must be a non-negative integer.", field: "message.webpush.headers.TTL")),
        Refusal(
            name: "a line break in an APNs header",
            body: #"{"message":{"topic":"t","apns":{"headers":{"apns-collapse-id":"a\nb"}}}}"#,
            error: rule(
                "The value of the header apns-collapse-id is not valid.",
                field: "message.apns.headers.apns-collapse-id")),
        Refusal(
            name: "a return in a web push header",
            body: #"{"message":{"topic":"t","webpush":{"headers":{"Topic":"a\rX-Other: b"}}}}"#,
            error: rule("The value of the header Topic is not valid.", field: "message.webpush.headers.Topic")),
        Refusal(
            name: "both androids", body: #"{"message":{"topic":"t","android":{},"android_v2":{}}}"#,
            error: rule("Only one of android and android_v2 can be set.", field: "message")),
        Refusal(
            name: "malformed token", body: #"{"message":{"token":"not a token"}}"#,
            error: """
                {"code":400,"message":"The registration token is not a valid FCM registration token","status":"INVALID_ARGUMENT",
                 "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"},
                            {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.token",
                              "description":"The registration token is not a valid FCM registration token"}]}]}
                """),
        Refusal(name: "malformed fid", body: #"{"message":{"fid":"not a fid"}}"#, status: 404, error: unregistered),
        Refusal(name: "token as fid", body: #"{"message":{"fid":"\#(token(1))"}}"#, status: 404, error: unregistered),
    ]

    static let unregistered = """
        {"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND",
         "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}
        """

    static func violation(_ description: String, field: String? = nil) -> String {
        let place = field.map { #""field":"\#($0)","# } ?? ""
        return """
            {"code":400,"message":"\(description)","status":"INVALID_ARGUMENT",
             "details":[{"@type":"type.googleapis.com/google.rpc.BadRequest",
                         "fieldViolations":[{\(place)"description":"\(description)"}]}]}
            """
    }

    static func rule(_ message: String, field: String) -> String {
        """
        {"code":400,"message":"\(message)","status":"INVALID_ARGUMENT",
         "details":[{"@type":"type.googleapis.com/google.rpc.BadRequest",
                     "fieldViolations":[{"field":"\(field)","description":"\(message)"}]},
                    {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}
        """
    }

    @Test(arguments: shape + rules)
    func `a body that FCM refuses gets FCM's answer`(_ refusal: Refusal) throws {
        let emulator = ManualEmulator()
        let reply = emulator.send(refusal.body)
        #expect(reply.status == refusal.status)
        #expect(reply.contentType == "application/json; charset=UTF-8")
        #expect(try reply.json() == ["error": JSONValue(parsing: refusal.error.utf8)])
        #expect(try emulator.ledger().isEmpty)
        #expect(try emulator.requests().map { $0["status"] } == [.int(Int64(refusal.status))])
    }

    @Test(arguments: [
        #"{"message":{"topic":"t","android_v2":{"background_sync":{}}}}"#,
        #"{"message":{"topic":"t","androidV2":{"remoteNotification":{"notification":{"id":7,"title":"T"}}}}}"#,
        #"{"message":{"topic":"t","fcmOptions":{"analyticsLabel":"\#(String(repeating: "x", count: 50))"}}}"#,
        #"{"message":{"topic":"t","data":{"FROM":"1","collapse_key":"2","goo":"3"}}}"#,
        #"{"message":{"topic":"t","webpush":{"headers":{"TTL":"0"},"fcmOptions":{"link":"https://example.com"}}}}"#,
        #"{"message":{"topic":"t","android":{"ttl":"2419200s","priority":"HIGH"}},"validateOnly":false}"#,
        ##"{"message":{"topic":"t","android":{"notification":{"color":"#aB09fF","event_time":"2028-02-29T23:59:59.5+14:00"}}}}"##,
        #"{"message":{"topic":"t","android":{"notification":{"title_loc_key":"k","title_loc_args":["1"]}}}}"#,
        #"{"message":{"topic":"t","android":{"ttl":"0s","priority":"normal"},"apns":null}}"#,
    ])
    func `what is just within the rules is accepted`(_ body: String) {
        #expect(ManualEmulator().send(body).status == 200)
    }

    @Test(arguments: [("123456789012", 200), ("tide-app-prod", 200), ("0123456789012", 400)])
    func `a project is named by its id or its number without zeros before it`(_ project: String, _ status: Int) throws {
        for (method, path, body) in [
            ("POST", "messages:send", #"{"message":{"topic":"t"}}"#),
            ("GET", "registrations/\(fid(1))/topicSubscriptions", ""),
        ] {
            let reply = ManualEmulator().call(method, "/v1/projects/\(project)/\(path)", body)
            #expect(reply.status == status)
        }
    }

    @Test func `a message is sent by its path alone, whatever its query`() throws {
        let body = #"{"message":{"topic":"t"}}"#
        #expect(
            ManualEmulator().call("POST", "/v1/projects/p/messages:send?alt=json&prettyPrint=false", body).status == 200
        )
        let reply = ManualEmulator().call("POST", "/v1/projects/p/messages:send?validate_only=true", body)
        #expect(reply.status == 400)
        #expect(
            try reply.json()["error"]?["message"]?.string?.hasPrefix(
                #"Invalid JSON payload received. Unknown name "validate_only": Cannot bind query parameter."#) == true)
    }

    @Test func `all violations of a document are reported at once`() throws {
        let reply = ManualEmulator().send(#"{"message":{"topic":"t","data":{"a":1},"android":{"x":1}},"extra":0}"#)
        let error = try #require(try reply.json()["error"])
        let fields = error["details"]?.array?.first?["fieldViolations"]?.array?.map { $0["field"]?.string ?? "" }
        #expect(fields == ["", "message.android", "message.data[0].value"])
        #expect(error["message"]?.string?.split(separator: "\n").count == 3)
    }

    @Test(arguments: [
        ("unregistered", 404, "UNREGISTERED", "Requested entity was not found.", true),
        ("other_sender", 403, "SENDER_ID_MISMATCH", "SenderId mismatch", true),
        ("apns_dead", 400, "INVALID_ARGUMENT", "APNs device token is disabled.", false),
    ])
    func `a registration's state decides`(
        _ state: String, _ status: Int, _ code: String, _ message: String, _ dryRunFails: Bool
    ) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: "ios", state: state)
        let reply = emulator.send(#"{"message":{"token":"\#(token(1))"}}"#)
        let error = ErrorBody(Array(reply.text.utf8))
        #expect(reply.status == status)
        #expect(error.fcmCode == code)
        #expect(error.message == message)
        #expect(error.apns?.statusCode == (state == "apns_dead" ? 410 : nil))
        #expect(error.apns?.reason == (state == "apns_dead" ? "Unregistered" : nil))
        #expect(try emulator.ledger().isEmpty)

        let dryRun = emulator.send(#"{"message":{"token":"\#(token(1))"},"validate_only":true}"#)
        #expect(dryRun.status == (dryRunFails ? status : 200))
    }

    /// Android and the web count keys and values, Apple counts the JSON `{"aps":{},"k":"…"}`. A topic may reach all
    /// three.
    @Test(arguments: [
        (#""token":"\#(token(1))""#, 4095), (#""topic":"t""#, 4096 - #"{"aps":{},"k":""}"#.utf8.count),
    ])
    func `a payload of over 4096 bytes is refused`(_ target: String, _ room: Int) throws {
        let emulator = ManualEmulator()
        let fits = String(repeating: "x", count: room)
        #expect(emulator.send(#"{"message":{\#(target),"data":{"k":"\#(fits)"}}}"#).status == 200)
        let reply = emulator.send(#"{"message":{\#(target),"data":{"k":"\#(fits)x"}}}"#)
        let expected = """
            {"error":{"code":400,"message":"Message is too large. The maximum is 4K (4096 bytes).","status":"INVALID_ARGUMENT",
              "details":[{"@type":"type.googleapis.com/google.rpc.BadRequest"},
                         {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}}
            """
        #expect(reply.status == 400)
        #expect(try reply.json() == JSONValue(parsing: expected.utf8))
    }

    @Test(arguments: [("android", 200), ("web", 200), ("ios", 400)])
    func `a device's own platform decides how large a payload is`(_ platform: String, _ status: Int) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), platform: platform)
        let long = String(repeating: "x", count: 5000)
        let body = #"{"message":{"token":"\#(token(1))","apns":{"payload":{"k":"\#(long)"}}}}"#
        #expect(emulator.send(body).status == status)
    }
}
