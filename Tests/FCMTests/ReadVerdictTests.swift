import Testing

@testable import FCM

struct ReadVerdictTests {
    typealias Verdict = ReadVerdict<SubscriptionPage>

    private func verdict(_ status: Int, _ body: String, retryAfter: String? = nil) -> Verdict {
        Verdict(
            subscriptions: .response(Response(status: status, retryAfter: retryAfter, body: Array(body.utf8))))
    }

    /// FCM's reference, `projects.registrations.topicSubscriptions.list`.
    @Test(arguments: [
        "{}", #"{"topic_subscriptions":[]}"#, #"{"next_page_token":""}"#, #"{"kind":"later"}"#,
    ])
    func `nothing listed is no subscription`(_ body: String) {
        #expect(verdict(200, body) == .value(SubscriptionPage(topics: [])))
    }

    @Test(arguments: [
        #"{"topic_subscriptions":[{"name":"projects/p/registrations/R/topicSubscriptions/news","topic_name":"news","create_time":"2026-01-15T01:30:15.01Z"},{"topic_name":"50%off"}],"next_page_token":"m"}"#,
        #"{"topicSubscriptions":[{"topicName":"news"},{"topicName":"50%off"}],"nextPageToken":"m"}"#,
    ])
    func `both spellings of a page are read`(_ body: String) throws {
        let page = SubscriptionPage(
            topics: [try .sample("news"), try .sample("50%off")], next: .init(rawValue: "m"))
        #expect(verdict(200, body) == .value(page))
    }

    /// Half a list would show subscriptions as missing that are there.
    @Test(arguments: [
        "", "[]", "<html>", #""{}""#, #"{"topic_subscriptions":{}}"#, #"{"topic_subscriptions":["news"]}"#,
        #"{"topic_subscriptions":[{"topic_name":"news"},{}]}"#, #"{"topic_subscriptions":[{"topic_name":"a b"}]}"#,
        #"{"topic_subscriptions":[],"next_page_token":7}"#, #"{"topic_subscriptions":[{"topic_name":"news"}"#,
    ])
    func `what cannot be read as a whole is asked for again`(_ body: String) {
        guard case .again(let failure, let terms) = verdict(200, body) else {
            Issue.record("\(verdict(200, body))")
            return
        }
        #expect(failure.code == "UNREADABLE_RESPONSE")
        #expect(terms.effect == .idempotent)
    }

    private static func error(_ status: Int, _ word: String, _ code: String? = nil) -> String {
        let details = code.map {
            #","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#($0)"}]"#
        }
        return #"{"error":{"code":\#(status),"message":"m","status":"\#(word)"\#(details ?? "")}}"#
    }

    /// What an answer means, without its words.
    enum Meaning: Hashable {
        case value, dead, rejected, again, unauthenticated, unavailable, stop
    }

    private func meaning(_ verdict: Verdict) -> Meaning {
        switch verdict {
        case .value: .value
        case .dead: .dead
        case .rejected: .rejected
        case .again: .again
        case .unauthenticated: .unauthenticated
        case .unavailable: .unavailable
        case .stop: .stop
        }
    }

    @Test(arguments: [
        (400, error(400, "INVALID_ARGUMENT"), Meaning.rejected), (401, error(401, "UNAUTHENTICATED"), .unauthenticated),
        (403, error(403, "PERMISSION_DENIED"), .stop),
        (403, error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"), .rejected),
        (404, error(404, "NOT_FOUND"), .dead), (404, error(404, "NOT_FOUND", "UNREGISTERED"), .dead),
        (404, "<html>", .unavailable), (501, error(501, "UNIMPLEMENTED"), .unavailable),
        (409, error(409, "ALREADY_EXISTS"), .again), (429, error(429, "RESOURCE_EXHAUSTED"), .again),
        (500, error(500, "INTERNAL"), .again), (503, "", .again),
    ])
    func `errors mean what they mean for a change of subscriptions`(_ status: Int, _ body: String, _ means: Meaning) {
        #expect(meaning(verdict(status, body)) == means)
    }

    @Test func `FCM's wish to wait is handed on`() {
        guard case .again(_, let terms) = verdict(503, "", retryAfter: "37") else {
            Issue.record("not to be repeated")
            return
        }
        #expect(terms.retryAfter == "37")
    }

    @Test func `a question may be repeated whatever became of it`() {
        #expect(meaning(Verdict(subscriptions: .notSent(reason: "GOAWAY"))) == .again)
        #expect(meaning(Verdict(subscriptions: .lost(reason: "reset"))) == .again)
        #expect(meaning(Verdict(subscriptions: .refused(reason: "the key was revoked"))) == .stop)
    }
}
