import FCM
import Testing

/// What an answer must mean: docs/promises.md#outcomes-and-retries.
enum Meaning: Equatable, Sendable {
    case accepted(String?), preexisting, dead, rejected, unknown, unauthenticated, unavailable, stop
    case again(Verdict.Repeat.Effect)

    init(_ verdict: Verdict) {
        switch verdict {
        case .accepted(let id): self = .accepted(id)
        case .preexisting: self = .preexisting
        case .dead: self = .dead
        case .rejected: self = .rejected
        case .again(_, let terms): self = .again(terms.effect)
        case .unknown: self = .unknown
        case .unauthenticated: self = .unauthenticated
        case .unavailable: self = .unavailable
        case .stop: self = .stop
        }
    }
}

extension Verdict {
    var failure: Failure? {
        switch self {
        case .accepted, .preexisting: nil
        case .dead(let failure), .rejected(let failure), .again(let failure, _), .unknown(let failure),
            .unauthenticated(let failure), .unavailable(let failure), .stop(let failure):
            failure
        }
    }

    var terms: Repeat? { if case .again(_, let terms) = self { terms } else { nil } }
}

/// An answer of FCM with its expected meaning.
struct Answer: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int
    var body: String
    var means: Meaning
    /// The expected code of the failure.
    var code: String

    init(_ name: String, _ status: Int, _ body: String, _ means: Meaning, code: String = "") {
        (self.name, self.status, self.body, self.means, self.code) = (name, status, body, means, code)
    }

    var testDescription: String { "\(status) \(name)" }
    var exchange: Exchange { .response(Response(status: status, body: Array(body.utf8))) }
}

func fcm(_ status: String, _ code: String, _ message: String = "m", also detail: String = "") -> String {
    """
    {"error":{"code":400,"message":"\(message)","status":"\(status)","details":[
      {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}\(detail)]}}
    """
}

func rpc(_ status: String, _ message: String = "m", detail: String = "") -> String {
    #"{"error":{"code":400,"message":"\#(message)","status":"\#(status)","details":[\#(detail)]}}"#
}

func violations(_ fields: String...) -> String {
    let list = fields.map { #"{"field":"\#($0)","description":"d"}"# }.joined(separator: ",")
    return #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(list)]}"#
}

func apns(_ status: Int, _ reason: String) -> String {
    #",{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
}

let html = "<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>"

struct SendVerdictTests {
    /// Answers to a send to one registration: FCM's error codes and the ambiguous statuses (docs/fcm.md#errors), judged
    /// by docs/promises.md#outcomes-and-retries.
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
        Answer("HTML", 500, html, .again(.deferred), code: "INTERNAL"),
        Answer("UNAVAILABLE", 503, fcm("UNAVAILABLE", "UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
        Answer("HTML", 503, html, .again(.deferred), code: "UNAVAILABLE"),
        Answer(
            "QUOTA_EXCEEDED", 429, fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), .again(.deferred),
            code: "QUOTA_EXCEEDED"),
        Answer("HTML", 429, html, .again(.deferred), code: "RESOURCE_EXHAUSTED"),
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
            code: "PERMISSION_DENIED"),
        Answer(
            "API disabled", 403,
            rpc(
                "PERMISSION_DENIED",
                detail: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}"#), .stop,
            code: "PERMISSION_DENIED"),
        Answer("moved", 302, "", .stop, code: "HTTP_302"),
        Answer("wrong method", 405, html, .stop, code: "HTTP_405"),
    ]

    /// The answers that mean something else when one request reaches many devices.
    static let topic: [Answer] = [
        Answer("a message's name", 200, #"{"name":"projects/p/messages/42"}"#, .accepted("42")),
        Answer("INTERNAL", 500, fcm("INTERNAL", "INTERNAL"), .unknown, code: "INTERNAL"),
        Answer("HTML", 500, html, .unknown, code: "INTERNAL"),
        Answer("UNAVAILABLE", 503, fcm("UNAVAILABLE", "UNAVAILABLE"), .again(.deferred), code: "UNAVAILABLE"),
        Answer(
            "QUOTA_EXCEEDED", 429, fcm("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), .again(.deferred),
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

    /// The answers for a device group that differ from those for a topic: the group's key is a token that can be
    /// invalid (docs/fcm.md#device-groups).
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

    @Test(arguments: device)
    func `an answer to one registration is judged by its details`(_ answer: Answer) throws {
        for registration in [try Registration.fid, try .token] {
            check(Verdict(send: answer.exchange, to: .registration(registration)), answer)
        }
    }

    @Test(arguments: topic)
    func `an answer to a topic or a condition is judged as one to many`(_ answer: Answer) throws {
        let condition = try Condition(parsing: "'t' in topics")
        for address in [Address.topic(try .sample("t")), .condition(condition)] {
            check(Verdict(send: answer.exchange, to: address), answer)
        }
    }

    @Test(arguments: group)
    func `an answer to a group is judged as one to many, whose address can be gone`(_ answer: Answer) throws {
        check(Verdict(send: answer.exchange, to: .group(try .sample("APA91bKey"))), answer)
    }

    @Test func `what cannot be sent before a person helps stops it all`() throws {
        let failure = Failure(code: "NOT_POSSIBLE", message: "the key was revoked")
        let refused = Exchange.refused(reason: "the key was revoked")
        #expect(Verdict(send: refused, to: .registration(try .fid)) == .stop(failure))
        #expect(Verdict(membership: refused) == .stop(failure))
        #expect(Verdict.verdicts(batch: refused, for: [try .fid, try .token]) == [.stop(failure), .stop(failure)])
        #expect(GroupVerdict(refused, for: .retrieve(try .sample("g"))) == .stop(failure))
    }

    @Test func `what did not leave may go again`() throws {
        let verdict = Verdict(send: .notSent(reason: "GOAWAY"), to: .registration(try .fid))
        #expect(Meaning(verdict) == .again(.none))
        #expect(verdict.failure == Failure(code: "NOT_SENT", message: "GOAWAY"))
    }

    @Test func `what was lost on its way is unknown`() throws {
        for address in [Address.registration(try .fid), .topic(try .sample("t"))] {
            #expect(
                Verdict(send: .lost(reason: "reset"), to: address)
                    == .unknown(Failure(code: "CONNECTION_LOST", message: "reset")))
        }
    }

    @Test func `FCM's own sentence is kept`() throws {
        let answer = Answer("", 404, fcm("NOT_FOUND", "UNREGISTERED", "NotRegistered"), .dead)
        #expect(Verdict(send: answer.exchange, to: .registration(try .fid)).failure?.message == "NotRegistered")
    }

    @Test(arguments: [fidText, tokenText])
    func `a registration in FCM's sentence is not kept`(_ text: String) throws {
        let written = [
            text, "projects/p/registrations/\(text)", "Invalid value at 'message.token' (TYPE_STRING), '\(text)'",
            "registrations/\(text.percentEncodedSegment)/topicSubscriptions",
        ]
        for sentence in written {
            let answer = Answer("", 400, rpc("INVALID_ARGUMENT", sentence), .stop)
            let verdicts = [
                Verdict(send: answer.exchange, to: .registration(try .sample(text))),
                Verdict(membership: answer.exchange),
            ]
            for verdict in verdicts {
                let message = try #require(verdict.failure?.message)
                #expect(!message.contains(fidText))
                #expect(!message.contains("APA91b"))
            }
        }
    }

    private func check(_ verdict: Verdict, _ answer: Answer) {
        #expect(Meaning(verdict) == answer.means)
        guard let failure = verdict.failure else { return }
        #expect(failure.code == answer.code)
        #expect(failure.httpStatus == answer.status)
        #expect(!failure.message.contains("<"))
    }
}

struct RetryTermsTests {
    private func verdicts(_ status: Int, retryAfter: String? = nil, body: String = "") throws -> [Verdict] {
        let exchange = Exchange.response(Response(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
        return [Verdict(send: exchange, to: .registration(try .fid)), Verdict(membership: exchange)]
    }

    @Test(arguments: [429, 503])
    func `Retry-After is handed on as it came`(_ status: Int) throws {
        for header in ["37", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            for verdict in try verdicts(status, retryAfter: header) {
                #expect(verdict.terms?.retryAfter == header)
            }
        }
    }

    @Test(arguments: [("3.5s", "4"), ("30s", "30"), ("0.1s", "1")])
    func `RetryInfo stands in for a missing header, in whole seconds`(_ delay: String, _ header: String) throws {
        let detail = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"\#(delay)"}"#
        for verdict in try verdicts(429, body: rpc("RESOURCE_EXHAUSTED", detail: detail)) {
            #expect(verdict.terms?.retryAfter == header)
        }
        for verdict in try verdicts(429, retryAfter: "9", body: rpc("RESOURCE_EXHAUSTED", detail: detail)) {
            #expect(verdict.terms?.retryAfter == "9")
        }
    }

    @Test(arguments: ["infs", "nans", "1e300s", "-1s", "99999999999999999999s"])
    func `a RetryInfo that makes no sense is as good as none`(_ delay: String) throws {
        let detail = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"\#(delay)"}"#
        for verdict in try verdicts(503, body: rpc("UNAVAILABLE", detail: detail)) {
            #expect(verdict.terms?.retryAfter == nil)
        }
    }

    @Test(arguments: [(429, Duration.seconds(60)), (500, .seconds(10)), (503, .seconds(10))])
    func `FCM's least wait is kept`(_ status: Int, _ floor: Duration) throws {
        for verdict in try verdicts(status) {
            #expect(verdict.terms?.floor == floor)
        }
    }
}

struct MembershipVerdictTests {
    static let answers: [Answer] = [
        Answer(
            "a subscription", 200, #"{"name":"projects/p/registrations/R/topicSubscriptions/t","topic_name":"t"}"#,
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
            .unavailable, code: "PERMISSION_DENIED"),
        Answer(
            "another reason", 403,
            rpc(
                "PERMISSION_DENIED",
                detail: #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"IAM_PERMISSION_DENIED"}"#),
            .stop, code: "PERMISSION_DENIED"),
        Answer("HTML", 403, html, .stop, code: "PERMISSION_DENIED"),
        Answer("wrong method", 405, html, .stop, code: "HTTP_405"),
        Answer("JSON of no error", 404, "{}", .stop, code: "NOT_FOUND"),
        Answer("bad registration", 400, rpc("INVALID_ARGUMENT"), .rejected, code: "INVALID_ARGUMENT"),
        Answer("credential", 401, rpc("UNAUTHENTICATED"), .unauthenticated, code: "UNAUTHENTICATED"),
        Answer("permission", 403, rpc("PERMISSION_DENIED"), .stop, code: "PERMISSION_DENIED"),
        Answer(
            "a token of another project", 403, fcm("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), .rejected,
            code: "SENDER_ID_MISMATCH"),
        Answer("rate", 429, rpc("RESOURCE_EXHAUSTED"), .again(.deferred), code: "RESOURCE_EXHAUSTED"),
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
        let verdict = Verdict(membership: answer.exchange)
        #expect(Meaning(verdict) == answer.means)
        if let failure = verdict.failure {
            #expect(failure.code == answer.code)
            #expect(failure.httpStatus == answer.status)
        }
    }

    @Test func `lost or never sent, it goes again`() {
        #expect(Meaning(Verdict(membership: .lost(reason: "cut"))) == .again(.idempotent))
        #expect(Meaning(Verdict(membership: .notSent(reason: "refused"))) == .again(.none))
    }
}
