import FCM

extension SendVerdictTests {
    /// The answers whose meaning differs when one request reaches many.
    static let topic: [Answer] = [
        Answer("a message's name", 200, #"{"name":"projects/p/messages/42"}"#, .accepted("42")),
        Answer("INTERNAL", 500, fcm("INTERNAL", "INTERNAL"), .unknown, code: "INTERNAL"),
        Answer("HTML", 500, html, .unknown, code: "INTERNAL"),
        Answer("HTML", 503, html, .unknown, code: "UNAVAILABLE"),
        Answer("UNAVAILABLE", 503, fcm("UNAVAILABLE", "UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
        Answer(
            "QUOTA_EXCEEDED", 429, fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), .again(.refused),
            code: "QUOTA_EXCEEDED"),
        Answer("HTML", 502, html, .unknown, code: "HTTP_502"),
        Answer("no body", 504, "", .unknown, code: "DEADLINE_EXCEEDED"),
        Answer("UNREGISTERED", 404, fcm("NOT_FOUND", "UNREGISTERED"), .stop, code: "UNREGISTERED"),
        Answer(
            "bad topic", 400, rpc("INVALID_ARGUMENT", detail: violations("message.topic")), .stop,
            code: "INVALID_ARGUMENT"),
        Answer(
            "INVALID_ARGUMENT", 400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT"), .stop, code: "INVALID_ARGUMENT"),
        Answer("expired credential", 401, rpc("UNAUTHENTICATED"), .unauthenticated, code: "UNAUTHENTICATED"),
        Answer("no permission", 403, rpc("PERMISSION_DENIED"), .stop, code: "PERMISSION_DENIED"),
    ]

    /// What differs from a topic when the many are a device group: its key is a token that can be gone.
    static let group: [Answer] = [
        Answer("a message's name", 200, #"{"name":"projects/p/messages/42"}"#, .accepted("42")),
        Answer("gone", 404, fcm("NOT_FOUND", "UNREGISTERED", "NotRegistered"), .dead, code: "UNREGISTERED"),
        Answer(
            "no such key", 400,
            fcm(
                "INVALID_ARGUMENT", "INVALID_ARGUMENT",
                "The registration token is not a valid FCM registration token"), .dead, code: "INVALID_ARGUMENT"),
        Answer(
            "the key itself", 400, rpc("INVALID_ARGUMENT", detail: violations("message.token")), .dead,
            code: "INVALID_ARGUMENT"),
        Answer(
            "a field of the message", 400, rpc("INVALID_ARGUMENT", detail: violations("message.android.ttl")), .stop,
            code: "INVALID_ARGUMENT"),
        Answer(
            "too large", 400,
            fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", "Message is too large. The maximum is 4K (4096 bytes)."),
            .stop, code: "INVALID_ARGUMENT"),
        Answer(
            "a member's device", 400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", also: apns(410, "Unregistered")),
            .stop, code: "INVALID_ARGUMENT"),
        Answer("wrong project", 404, rpc("NOT_FOUND"), .stop, code: "NOT_FOUND"),
        Answer("wrong path", 404, html, .stop, code: "NOT_FOUND"),
        Answer("INTERNAL", 500, fcm("INTERNAL", "INTERNAL"), .unknown, code: "INTERNAL"),
        Answer("UNAVAILABLE", 503, fcm("UNAVAILABLE", "UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
    ]
}
