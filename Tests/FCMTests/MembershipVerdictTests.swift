import FCM
import Testing

struct MembershipVerdictTests {
    static let answers: [Answer] = [
        Answer(
            "a subscription", 200, #"{"name":"projects/p/registrations/R/topicSubscriptions/t","topicName":"t"}"#,
            .accepted(nil)),
        Answer("an empty object", 200, "{}", .accepted(nil)),
        Answer("a proxy's page", 200, html, .again(.idempotent), code: "UNREADABLE_RESPONSE"),
        Answer("a cut body", 200, #"{"name":"proj"#, .again(.idempotent), code: "UNREADABLE_RESPONSE"),
        Answer("subscribed by somebody", 409, rpc("ALREADY_EXISTS"), .preexisting),
        Answer("registration gone", 404, rpc("NOT_FOUND"), .dead, code: "NOT_FOUND"),
        Answer("UNREGISTERED", 404, fcm("NOT_FOUND", "UNREGISTERED"), .dead, code: "UNREGISTERED"),
        Answer("no such path", 404, html, .unavailable, code: "NOT_FOUND"),
        Answer("not implemented", 501, rpc("UNIMPLEMENTED"), .unavailable, code: "UNIMPLEMENTED"),
        Answer(
            "API disabled", 403,
            rpc(
                "PERMISSION_DENIED",
                detail: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}"#),
            .unavailable, code: "SERVICE_DISABLED"),
        Answer(
            "another reason", 403,
            rpc(
                "PERMISSION_DENIED",
                detail: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"IAM_PERMISSION_DENIED"}"#),
            .stop, code: "IAM_PERMISSION_DENIED"),
        Answer("HTML", 403, html, .stop, code: "PERMISSION_DENIED"),
        Answer("wrong method", 405, html, .stop, code: "HTTP_405"),
        Answer("JSON of no error", 404, "{}", .stop, code: "NOT_FOUND"),
        Answer("bad registration", 400, rpc("INVALID_ARGUMENT"), .rejected, code: "INVALID_ARGUMENT"),
        Answer("credential", 401, rpc("UNAUTHENTICATED"), .unauthenticated, code: "UNAUTHENTICATED"),
        Answer("permission", 403, rpc("PERMISSION_DENIED"), .stop, code: "PERMISSION_DENIED"),
        Answer(
            "a token of another project", 403, fcm("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), .rejected,
            code: "SENDER_ID_MISMATCH"),
        Answer("rate", 429, rpc("RESOURCE_EXHAUSTED"), .again(.refused), code: "RESOURCE_EXHAUSTED"),
        Answer("too many topics", 429, rpc("TOO_MANY_TOPICS"), .rejected, code: "TOO_MANY_TOPICS"),
        Answer("internal", 500, rpc("INTERNAL"), .again(.idempotent), code: "INTERNAL"),
        Answer("bad gateway", 502, html, .again(.idempotent), code: "HTTP_502"),
        Answer("unavailable", 503, rpc("UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
        Answer("gateway timeout", 504, html, .again(.idempotent), code: "DEADLINE_EXCEEDED"),
        Answer("request timeout", 408, "", .again(.idempotent), code: "DEADLINE_EXCEEDED"),
        Answer("moved", 301, "", .stop, code: "HTTP_301"),
    ]

    @Test(arguments: answers)
    func `an answer to a membership call`(_ answer: Answer) {
        let verdict = Verdict(membership: answer.exchange, subscribes: true)
        #expect(Meaning(verdict) == answer.means)
        if let failure = verdict.failure {
            #expect(failure.code == answer.code)
            #expect(failure.httpStatus == answer.status)
        }
    }

    @Test(arguments: [
        (#"{"error":{"code":409,"status":"ALREADY_EXISTS"}}"#, Meaning.preexisting, "ALREADY_EXISTS"),
        (#"{"error":{"code":409,"message":"m"}}"#, .preexisting, "HTTP_409"),
        (#"{"error":{"code":409,"status":"ABORTED"}}"#, .again(.idempotent), "ABORTED"),
        (html, .again(.idempotent), "HTTP_409"), ("", .again(.idempotent), "HTTP_409"),
    ])
    func `only a subscription can have existed before, and only FCM can say so`(
        _ body: String, _ means: Meaning, _ code: String
    ) {
        let exchange = Answer("", 409, body, means).exchange
        #expect(Meaning(Verdict(membership: exchange, subscribes: true)) == means)
        let other = Verdict(membership: exchange, subscribes: false)
        #expect(Meaning(other) == .again(.idempotent))
        #expect(other.failure?.code == code)
        #expect(other.terms?.floor == .seconds(10))
    }

    @Test func `lost or never sent, it goes again`() {
        #expect(Meaning(Verdict(membership: .lost(reason: "cut"), subscribes: true)) == .again(.idempotent))
        #expect(Meaning(Verdict(membership: .notSent(reason: "refused"), subscribes: true)) == .again(.none))
    }
}
