import FCM

extension SendVerdictTests {
    /// FCM's error codes and statuses (docs/reference/fcm-errors.md#errors), and what they mean for one registration
    /// (docs/reference/outcomes.md#outcomes-and-retries).
    static let device: [Answer] = [
        Answer("a message's name", 200, #"{"name":"projects/p/messages/42"}"#, .accepted("42")),
        Answer(
            "a device message's name", 200, #"{"name":"projects/p/messages/0:1500415314455276%31bd1c9631bd1c96"}"#,
            .accepted("0:1500415314455276%31bd1c9631bd1c96")),
        Answer(
            "a dry run's name", 200, #"{"name":"projects/p/messages/fake_message_id"}"#, .accepted("fake_message_id")),
        Answer("no JSON", 200, html, .unknown, code: "UNREADABLE_RESPONSE"),
        Answer("no body", 200, "", .unknown, code: "UNREADABLE_RESPONSE"),
        Answer("no name", 200, "{}", .unknown, code: "UNREADABLE_RESPONSE"),
        Answer("a name that is no text", 200, #"{"name":7}"#, .unknown, code: "UNREADABLE_RESPONSE"),
        Answer("an empty name", 200, #"{"name":""}"#, .unknown, code: "UNREADABLE_RESPONSE"),
        Answer("a cut body", 200, #"{"name":"projects/p/mess"#, .unknown, code: "UNREADABLE_RESPONSE"),

        Answer(
            "UNSPECIFIED_ERROR", 500, fcm("UNKNOWN", "UNSPECIFIED_ERROR"), .again(.deferred), code: "UNSPECIFIED_ERROR"),
        Answer("INTERNAL", 500, fcm("INTERNAL", "INTERNAL"), .again(.deferred), code: "INTERNAL"),
        Answer("HTML", 500, html, .unknown, code: "INTERNAL"),
        Answer("another server's JSON", 500, #"{"message":"Internal server error"}"#, .unknown, code: "INTERNAL"),
        Answer("UNAVAILABLE", 503, fcm("UNAVAILABLE", "UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
        Answer("HTML", 503, html, .unknown, code: "UNAVAILABLE"),
        Answer("no body", 503, "", .unknown, code: "UNAVAILABLE"),
        Answer("another server's JSON", 503, #"{"error":{"code":503}}"#, .unknown, code: "UNAVAILABLE"),
        Answer("a cut body", 503, #"{"error":{"code":503,"status":"UNAVAILABLE""#, .unknown, code: "UNAVAILABLE"),
        Answer(
            "QUOTA_EXCEEDED", 429, fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), .again(.refused),
            code: "QUOTA_EXCEEDED"),
        Answer("HTML", 429, html, .again(.refused), code: "RESOURCE_EXHAUSTED"),
        Answer("HTML", 502, html, .unknown, code: "HTTP_502"),
        Answer("no body", 504, "", .unknown, code: "DEADLINE_EXCEEDED"),

        Answer(
            "UNREGISTERED", 404, fcm("NOT_FOUND", "UNREGISTERED", "Requested entity was not found."), .dead,
            code: "UNREGISTERED"),
        Answer(
            "UNREGISTERED, the older sentence", 404, fcm("NOT_FOUND", "UNREGISTERED", "NotRegistered"), .dead,
            code: "UNREGISTERED"),
        Answer("wrong project", 404, rpc("NOT_FOUND"), .stop, code: "NOT_FOUND"),
        Answer("wrong path", 404, html, .stop, code: "NOT_FOUND"),

        Answer(
            "bad token", 400,
            fcm(
                "INVALID_ARGUMENT", "INVALID_ARGUMENT",
                "The registration token is not a valid FCM registration token"),
            .dead, code: "INVALID_ARGUMENT"),
        Answer(
            "too large", 400,
            fcm(
                "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Message is too large. The maximum is 4K (4096 bytes)."), .stop,
            code: "INVALID_ARGUMENT"),
        Answer(
            "too big for Android", 400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", "Android message is too big"),
            .stop, code: "INVALID_ARGUMENT"),
        Answer(
            "wrong package", 400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", "The package name does not match"),
            .rejected, code: "INVALID_ARGUMENT"),
        Answer(
            "a field of the message", 400, rpc("INVALID_ARGUMENT", detail: violations("message.data[0].value")), .stop,
            code: "INVALID_ARGUMENT"),
        Answer(
            "the token itself", 400, rpc("INVALID_ARGUMENT", detail: violations("message.token")), .dead,
            code: "INVALID_ARGUMENT"),
        Answer(
            "the fid itself", 400, rpc("INVALID_ARGUMENT", detail: violations("message.fid")), .dead,
            code: "INVALID_ARGUMENT"),
        Answer(
            "the token and a field of the message", 400,
            rpc("INVALID_ARGUMENT", detail: violations("message.token", "message.android.ttl")), .stop,
            code: "INVALID_ARGUMENT"),
        Answer(
            "a field whose name begins like the target", 400,
            rpc("INVALID_ARGUMENT", detail: violations("message.tokens")), .stop, code: "INVALID_ARGUMENT"),
        Answer("no detail", 400, rpc("INVALID_ARGUMENT"), .stop, code: "INVALID_ARGUMENT"),
        Answer("HTML", 400, html, .stop, code: "INVALID_ARGUMENT"),
        Answer(
            "a dead iOS device", 400,
            fcm(
                "INVALID_ARGUMENT", "INVALID_ARGUMENT", "APNs device token is disabled.",
                also: apns(410, "Unregistered")),
            .dead, code: "INVALID_ARGUMENT"),
        Answer(
            "a device token of another environment", 400,
            fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", also: apns(400, "BadDeviceToken")), .rejected,
            code: "INVALID_ARGUMENT"),
        Answer(
            "a device token of another app", 400,
            fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", also: apns(400, "DeviceTokenNotForTopic")), .rejected,
            code: "INVALID_ARGUMENT"),

        Answer("expired credential", 401, rpc("UNAUTHENTICATED"), .unauthenticated, code: "UNAUTHENTICATED"),
        Answer("HTML", 401, html, .unauthenticated, code: "UNAUTHENTICATED"),
        Answer(
            "APNs key missing", 401,
            fcm("UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", also: apns(403, "InvalidProviderToken")), .rejected,
            code: "THIRD_PARTY_AUTH_ERROR"),
        Answer(
            "APNs key missing, the older code", 401, fcm("UNAUTHENTICATED", "APNS_AUTH_ERROR"), .rejected,
            code: "APNS_AUTH_ERROR"),
        Answer(
            "a token of another project", 403, fcm("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), .rejected,
            code: "SENDER_ID_MISMATCH"),
        Answer(
            "no permission", 403,
            rpc("PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied on resource"), .stop,
            code: "IAM_PERMISSION_DENIED"),
        Answer(
            "API disabled", 403,
            rpc(
                "PERMISSION_DENIED",
                detail: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}"#), .stop,
            code: "SERVICE_DISABLED"),
        Answer("moved", 302, "", .stop, code: "HTTP_302"),
        Answer("wrong method", 405, html, .stop, code: "HTTP_405"),
    ]
}
