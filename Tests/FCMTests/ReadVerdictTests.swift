import Testing

@testable import FCM

struct ReadVerdictTests {
    typealias Verdict = ReadVerdict<SubscriptionPage>

    private static let project = Project(id: "p")

    private func verdict(_ exchange: Exchange, of project: Project = project) throws -> Verdict {
        Verdict(exchange, to: .subscriptions(of: try .token, after: nil), of: project)
    }

    private func verdict(_ status: Int, _ body: String, retryAfter: String? = nil) throws -> Verdict {
        try verdict(.response(Response(status: status, retryAfter: retryAfter, body: Array(body.utf8))))
    }

    /// FCM's reference, `projects.registrations.topicSubscriptions.list`.
    @Test(arguments: [
        "{}", #"{"topic_subscriptions":[]}"#, #"{"next_page_token":""}"#, #"{"kind":"later"}"#,
    ])
    func `nothing listed is no subscription`(_ body: String) throws {
        #expect(try verdict(200, body) == .value(SubscriptionPage(topics: [])))
    }

    @Test(arguments: [
        #"{"topic_subscriptions":[{"name":"projects/p/registrations/\#(tokenText)/topicSubscriptions/news","topic_name":"news","create_time":"2026-01-15T01:30:15.01Z"},{"topic_name":"50%off"}],"next_page_token":"m"}"#,
        #"{"topicSubscriptions":[{"topicName":"news"},{"topicName":"50%off"}],"nextPageToken":"m"}"#,
    ])
    func `both spellings of a page are read`(_ body: String) throws {
        let page = SubscriptionPage(
            topics: [try .sample("news"), try .sample("50%off")], next: .init(rawValue: "m"))
        #expect(try verdict(200, body) == .value(page))
    }

    /// The documented form of `name`, with what FCM may write for it.
    @Test(arguments: [
        ("p", nil, "projects/p/registrations/\(tokenText)/topicSubscriptions/50%off"),
        ("p", nil, "projects/p/registrations/\(tokenText.percentEncodedSegment)/topicSubscriptions/50%25off"),
        ("p", nil, "projects/358118532563/registrations/\(tokenText)/topicSubscriptions/50%off"),
        ("p", "358118532563", "projects/358118532563/registrations/\(tokenText)/topicSubscriptions/50%off"),
        ("p", "358118532563", "projects/p/registrations/\(tokenText)/topicSubscriptions/50%off"),
    ])
    func `a name of the registration that was asked for is read`(_ id: String, _ sender: String?, _ name: String) throws
    {
        let body = #"{"topicSubscriptions":[{"name":"\#(name)","topicName":"50%off"}]}"#
        let project = Project(id: id, senderID: sender.flatMap(SenderID.init(rawValue:)))
        let verdict = try verdict(.response(Response(status: 200, body: Array(body.utf8))), of: project)
        #expect(verdict == .value(SubscriptionPage(topics: [try .sample("50%off")])))
    }

    /// A cache or a proxy that mixes answers up would make others' subscriptions look like this registration's.
    @Test(arguments: [
        "projects/other/registrations/\(tokenText)/topicSubscriptions/news",
        "projects/1234/registrations/\(tokenText)/topicSubscriptions/news",
        "projects/p/registrations/\(fidText)/topicSubscriptions/news",
        "projects/p/registrations/\(tokenText)/topicSubscriptions/surf",
        "projects/p/registrations/\(tokenText)", "news", "",
    ])
    func `subscriptions of another registration, project or topic are not believed`(_ name: String) throws {
        let body = #"{"topicSubscriptions":[{"name":"\#(name)","topicName":"news"}]}"#
        let project = Project(id: "p", senderID: SenderID(rawValue: "358118532563"))
        let verdict = try verdict(.response(Response(status: 200, body: Array(body.utf8))), of: project)
        guard case .again = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    /// Half a list would show subscriptions as missing that are there.
    @Test(arguments: [
        "", "[]", "<html>", #""{}""#, #"{"topic_subscriptions":{}}"#, #"{"topic_subscriptions":["news"]}"#,
        #"{"topic_subscriptions":[{"topic_name":"news"},{}]}"#, #"{"topic_subscriptions":[{"topic_name":"a b"}]}"#,
        #"{"topic_subscriptions":[{"topic_name":"news","name":7}]}"#,
        #"{"topic_subscriptions":[],"next_page_token":7}"#, #"{"topic_subscriptions":[{"topic_name":"news"}"#,
    ])
    func `what cannot be read as a whole is asked for again`(_ body: String) throws {
        let verdict = try verdict(200, body)
        guard case .again(let failure, let terms) = verdict else {
            Issue.record("\(verdict)")
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
    func `errors mean what they mean for a change of subscriptions`(_ status: Int, _ body: String, _ means: Meaning)
        throws
    {
        #expect(meaning(try verdict(status, body)) == means)
    }

    @Test func `FCM's wish to wait is handed on`() throws {
        guard case .again(_, let terms) = try verdict(503, "", retryAfter: "37") else {
            Issue.record("not to be repeated")
            return
        }
        #expect(terms.retryAfter == "37")
    }

    @Test(arguments: [Query.subscriptions(of: try .token, after: nil), .information(about: try .token)])
    func `a question may be repeated whatever became of it`(_ query: Query) {
        let means = { (exchange: Exchange) in meaning(Verdict(exchange, to: query, of: Self.project)) }
        #expect(means(.notSent(reason: "GOAWAY")) == .again)
        #expect(means(.lost(reason: "reset")) == .again)
        #expect(means(.refused(reason: "the key was revoked")) == .stop)
    }

    // MARK: The Instance ID service

    private func information(_ status: Int, _ body: String) throws -> Verdict {
        Verdict(
            .response(Response(status: status, body: Array(body.utf8))), to: .information(about: try .token),
            of: Self.project)
    }

    /// The sample of Google's reference of the service.
    private static let sample =
        #"{"application":"com.example","authorizedEntity":"123456782354","applicationVersion":"1","platform":"Android","attestStatus":"ROOTED","connectionType":"WIFI","rel":{"topics":{"surf":{"addDate":"2015-07-30"},"news":{"addDate":"2015-07-30"}}}}"#

    @Test func `the topics of an instance are read`() throws {
        let page = SubscriptionPage(topics: [try .sample("news"), try .sample("surf")])
        #expect(try information(200, Self.sample) == .value(page))
    }

    @Test(arguments: ["{}", #"{"platform":"IOS"}"#, #"{"rel":{}}"#, #"{"rel":{"topics":{}}}"#])
    func `an instance without topics follows none`(_ body: String) throws {
        #expect(try information(200, body) == .value(SubscriptionPage(topics: [])))
    }

    @Test(arguments: [
        (200, "", Meaning.again), (200, "[]", .again), (200, #"{"rel":[]}"#, .again),
        (200, #"{"rel":{"topics":["news"]}}"#, .again), (200, #"{"rel":{"topics":{"a b":{}}}}"#, .again),
        (200, #"{"error":"InvalidToken"}"#, .rejected), (400, #"{"error":"InvalidToken"}"#, .rejected),
        (404, #"{"error":"No information found about this instance id."}"#, .dead), (404, "<html>", .unavailable),
        (401, #"{"error":"Unauthorized"}"#, .unauthenticated), (403, #"{"error":"PERMISSION_DENIED"}"#, .stop),
        (429, #"{"error":"RESOURCE_EXHAUSTED"}"#, .again), (500, #"{"error":"INTERNAL"}"#, .again), (503, "", .again),
        (302, "", .stop),
    ])
    func `other answers of the service`(_ status: Int, _ body: String, _ means: Meaning) throws {
        #expect(meaning(try information(status, body)) == means)
    }
}
