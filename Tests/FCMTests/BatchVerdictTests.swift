import FCM
import Testing

/// Answers of the Instance ID service: docs/reference/fcm-older.md#instance-id.
struct BatchVerdictTests {
    private func verdicts(
        _ status: Int, _ body: String, retryAfter: String? = nil, for registrations: [Registration]
    ) -> [Verdict] {
        let response = Response(status: status, retryAfter: retryAfter, body: Array(body.utf8))
        return Verdict.verdicts(batch: .response(response), for: registrations)
    }

    @Test func `each registration has the verdict of its place`() throws {
        let found = verdicts(
            200, #"{"results":[{},{"error":"NOT_FOUND"},{}]}"#, for: [try .token, try .token, try .token])
        #expect(found.map(Meaning.init) == [.accepted(nil), .dead, .accepted(nil)])
        #expect(found[1].failure?.code == "NOT_FOUND")
        #expect(found[1].failure?.httpStatus == 200)
    }

    @Test(arguments: [
        ("NOT_FOUND", Meaning.dead, Meaning.dead),
        ("INVALID_ARGUMENT", .dead, .rejected),
        ("TOO_MANY_TOPICS", .rejected, .rejected),
        ("too-many-topics", .rejected, .rejected),
        ("RESOURCE_EXHAUSTED", .again(.refused), .again(.refused)),
        ("INTERNAL", .again(.idempotent), .again(.idempotent)),
        ("DEADLINE_EXCEEDED", .again(.idempotent), .again(.idempotent)),
        ("UNKNOWN", .again(.idempotent), .again(.idempotent)),
        ("UNAVAILABLE", .again(.idempotent), .again(.idempotent)),
        ("PERMISSION_DENIED", .stop, .stop),
        ("SOMETHING_NEW", .rejected, .rejected),
    ])
    func `an error of one registration`(_ word: String, _ token: Meaning, _ fid: Meaning) throws {
        let found = verdicts(
            200, #"{"results":[{"error":"\#(word)"},{"error":"\#(word)"}]}"#, for: [try .token, try .fid])
        #expect(found.map(Meaning.init) == [token, fid])
        for verdict in found {
            #expect(verdict.failure?.code == word.uppercased().replacing("-", with: "_"))
        }
    }

    @Test func `a registration that was changed too often waits a minute`() throws {
        let found = verdicts(200, #"{"results":[{"error":"RESOURCE_EXHAUSTED"}]}"#, for: [try .token])
        #expect(found.map(\.terms?.floor) == [.seconds(60)])
    }

    @Test(arguments: [
        #"{"results":[{}]}"#, #"{"results":[{},{},{}]}"#, #"{"results":{}}"#, "{}", "[]", "", html,
        #"{"results":[{},{"#,
        #"{"error":{}}"#,
    ])
    func `an answer that does not fit the question is asked for again`(_ body: String) throws {
        let found = verdicts(200, body, for: [try .token, try .fid])
        #expect(found.map(Meaning.init) == [.again(.idempotent), .again(.idempotent)])
        #expect(found.map(\.failure?.code) == ["UNREADABLE_RESPONSE", "UNREADABLE_RESPONSE"])
    }

    @Test(arguments: ["null", "7", #""NOT_FOUND""#, "[]", #"{"error":7}"#, #"{"error":null}"#, #"{"error":""}"#])
    func `a result that makes no sense is asked for again, alone`(_ result: String) throws {
        let found = verdicts(200, #"{"results":[{},\#(result)]}"#, for: [try .token, try .token])
        #expect(found.map(Meaning.init) == [.accepted(nil), .again(.idempotent)])
    }

    /// Failures of a whole request: a string, an object, or not JSON at all. With status 200 only the code tells.
    @Test(arguments: [
        Answer(
            "a bad topic", 400, #"{"error":"Topic name format is invalid"}"#, .stop,
            code: "Topic name format is invalid"),
        Answer("an empty list", 400, #"{"error":"MissingIIdToken"}"#, .stop, code: "MissingIIdToken"),
        Answer("INVALID_ARGUMENT", 400, #"{"error":"INVALID_ARGUMENT"}"#, .stop, code: "INVALID_ARGUMENT"),
        Answer("a bad token", 401, #"{"error":"Unauthorized"}"#, .unauthenticated, code: "Unauthorized"),
        Answer("HTML", 401, html, .unauthenticated, code: "UNAUTHENTICATED"),
        Answer("no permission", 403, #"{"error":"PERMISSION_DENIED"}"#, .stop, code: "PERMISSION_DENIED"),
        Answer("HTML", 403, html, .stop, code: "PERMISSION_DENIED"),
        Answer("HTML", 404, html, .stop, code: "NOT_FOUND"),
        Answer("all too many", 429, #"{"error":"too-many-topics"}"#, .rejected, code: "too-many-topics"),
        Answer("rate", 429, #"{"error":"RESOURCE_EXHAUSTED"}"#, .again(.refused), code: "RESOURCE_EXHAUSTED"),
        Answer("rate as an object", 429, rpc("RESOURCE_EXHAUSTED"), .again(.refused), code: "RESOURCE_EXHAUSTED"),
        Answer("HTML", 429, html, .again(.refused), code: "RESOURCE_EXHAUSTED"),
        Answer("INTERNAL", 500, #"{"error":"INTERNAL"}"#, .again(.idempotent), code: "INTERNAL"),
        Answer(
            "InternalServerError", 500, #"{"error":"InternalServerError"}"#, .again(.idempotent),
            code: "InternalServerError"),
        Answer("HTML", 502, html, .again(.idempotent), code: "HTTP_502"),
        Answer("HTML", 503, html, .again(.deferred), code: "UNAVAILABLE"),
        Answer("nothing", 504, "", .again(.idempotent), code: "DEADLINE_EXCEEDED"),
        Answer("nothing", 408, "", .again(.idempotent), code: "DEADLINE_EXCEEDED"),
        Answer("moved", 301, "", .stop, code: "HTTP_301"),
        Answer("INVALID_ARGUMENT", 200, #"{"error":"INVALID_ARGUMENT"}"#, .stop, code: "INVALID_ARGUMENT"),
        Answer(
            "a sentence", 200, #"{"error":"Topic name format is invalid"}"#, .stop, code: "Topic name format is invalid"
        ),
        Answer("INTERNAL", 200, #"{"error":"INTERNAL"}"#, .again(.idempotent), code: "INTERNAL"),
        Answer("UNAVAILABLE", 200, #"{"error":"UNAVAILABLE"}"#, .again(.deferred), code: "UNAVAILABLE"),
        Answer(
            "RESOURCE_EXHAUSTED", 200, #"{"error":"RESOURCE_EXHAUSTED"}"#, .again(.refused), code: "RESOURCE_EXHAUSTED"
        ),
        Answer("UNAUTHENTICATED", 200, #"{"error":"UNAUTHENTICATED"}"#, .unauthenticated, code: "UNAUTHENTICATED"),
        Answer(
            "an error beside results", 200, #"{"error":"INTERNAL","results":[{},{}]}"#, .again(.idempotent),
            code: "INTERNAL"),
    ])
    func `a failure of the whole batch is everybody's`(_ answer: Answer) throws {
        let found = Verdict.verdicts(batch: answer.exchange, for: [try .token, try .fid])
        #expect(found.map(Meaning.init) == [answer.means, answer.means])
        for verdict in found {
            #expect(verdict.failure?.code == answer.code)
            #expect(verdict.failure?.httpStatus == answer.status)
        }
    }

    @Test(arguments: [(429, Duration.seconds(60)), (503, .seconds(10))])
    func `Retry-After and FCM's least wait are kept`(_ status: Int, _ floor: Duration) throws {
        let found = verdicts(status, html, retryAfter: "37", for: [try .token])
        #expect(found.map(\.terms?.retryAfter) == ["37"])
        #expect(found.map(\.terms?.floor) == [floor])
    }

    @Test func `lost or never sent, it goes again`() throws {
        let registrations = [try Registration.token, try .fid]
        let lost = Verdict.verdicts(batch: .lost(reason: "cut"), for: registrations)
        #expect(lost.map(Meaning.init) == [.again(.idempotent), .again(.idempotent)])
        let notSent = Verdict.verdicts(batch: .notSent(reason: "refused"), for: registrations)
        #expect(notSent.map(Meaning.init) == [.again(.none), .again(.none)])
    }

    @Test func `a registration in the service's words is not kept`() throws {
        for body in [#"{"error":"\#(tokenText)"}"#, #"{"results":[{"error":"\#(tokenText)"}]}"#] {
            for verdict in verdicts(200, body, for: [try .token]) {
                let failure = try #require(verdict.failure)
                #expect(!"\(failure)".lowercased().contains("apa91b"))
            }
        }
    }
}
