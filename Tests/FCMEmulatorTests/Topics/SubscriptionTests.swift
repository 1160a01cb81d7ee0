import FCM
import Testing

@testable import FCMEmulator

@Suite struct SubscriptionTests {
    /// One call about registration 1, which has followed `here` from the start.
    struct Step: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var body = "{}"
        var status: Int
        /// The members of the topic after the call.
        var topic: String
        var follows: Bool
        var testDescription: String { "\(method) \(path)" }
    }

    static let steps = [
        Step(method: "POST", path: "?topic_name=new", status: 200, topic: "new", follows: true),
        Step(method: "POST", path: "?topicName=new", body: "", status: 200, topic: "new", follows: true),
        Step(method: "POST", path: "?topic_name=100%25", status: 200, topic: "100%", follows: true),
        Step(method: "POST", path: "?topic_name=%2525", status: 200, topic: "%25", follows: true),
        Step(method: "POST", path: "?topic_name=here", status: 409, topic: "here", follows: true),
        Step(method: "POST", path: "", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=a%20b", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=a+b", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=new", body: "[]", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=new", body: #"{"x":1}"#, status: 400, topic: "new", follows: false),
        Step(method: "PATCH", path: "/new?allow_missing=true", status: 200, topic: "new", follows: true),
        Step(method: "PATCH", path: "/new?allowMissing=true", status: 200, topic: "new", follows: true),
        Step(method: "PATCH", path: "/100%25?allow_missing=true", status: 200, topic: "100%", follows: true),
        Step(method: "PATCH", path: "/here?allow_missing=true", status: 200, topic: "here", follows: true),
        Step(method: "PATCH", path: "/here", status: 200, topic: "here", follows: true),
        Step(method: "PATCH", path: "/new", status: 404, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=new&allow_missing=true", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic=new", status: 400, topic: "new", follows: false),
        Step(method: "POST", path: "?topic_name=new&alt=json&$.xgafv=2", status: 200, topic: "new", follows: true),
        Step(method: "PATCH", path: "/new?allow_missng=true", status: 400, topic: "new", follows: false),
        Step(method: "PATCH", path: "/new?allow_missing=maybe", status: 400, topic: "new", follows: false),
        Step(method: "DELETE", path: "/here", body: "", status: 200, topic: "here", follows: false),
        Step(method: "DELETE", path: "/here?allow_missing=true", body: "", status: 200, topic: "here", follows: false),
        Step(method: "DELETE", path: "/new?allow_missing=true", body: "", status: 200, topic: "new", follows: false),
        Step(method: "DELETE", path: "/new?allowMissing=true", body: "", status: 200, topic: "new", follows: false),
        Step(method: "DELETE", path: "/new", body: "", status: 404, topic: "new", follows: false),
        Step(method: "DELETE", path: "/a%2Fb", body: "", status: 400, topic: "new", follows: false),
        Step(method: "GET", path: "/here", body: "", status: 200, topic: "here", follows: true),
        Step(method: "GET", path: "/new", body: "", status: 404, topic: "new", follows: false),
    ]

    @Test(arguments: steps)
    func `a call answers and changes what it should`(_ step: Step) throws {
        let emulator = ManualEmulator()
        #expect(emulator.subscribe(token(1), to: "here").status == 200)
        let collection = "/v1/projects/p/registrations/\(token(1))/topicSubscriptions"
        let reply = emulator.call(step.method, collection + step.path, step.body)
        #expect(reply.status == step.status)
        let members = try emulator.call("GET", "/emulator/v1/topics/\(step.topic.percentEncodedSegment)").json()
        #expect(members == (step.follows ? [.string(token(1))] : []))
        if step.status != 200 { #expect(try reply.json()["error"]?["code"] == .int(Int64(step.status))) }
    }

    @Test func `a query parameter that a method does not have is refused with Google's words`() throws {
        let target = "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?topicname=t"
        let complaint = """
            Invalid JSON payload received. Unknown name \\"topicname\\": Cannot bind query parameter. \
            Field 'topicname' could not be found in request message.
            """
        let expected = """
            {"error":{"code":400,"message":"\(complaint)","status":"INVALID_ARGUMENT","details":[
              {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"description":"\(complaint)"}]}]}}
            """
        let reply = ManualEmulator().call("POST", target, "{}")
        #expect(reply.status == 400)
        #expect(try reply.json() == JSONValue(parsing: expected.utf8))
    }

    @Test(arguments: ["POST", "PATCH", "GET"])
    func `a subscription tells name, topic and moment of creation`(_ method: String) throws {
        let emulator = ManualEmulator()
        let collection = "/v1/projects/p/registrations/\(token(1).replacing(":", with: "%3A"))/topicSubscriptions"
        if method == "GET" {
            #expect(emulator.subscribe(token(1), to: "100%25").status == 200)
            emulator.advance(by: 60)
        }
        let target = ["POST": "?topic_name=100%25", "PATCH": "/100%25?allow_missing=true", "GET": "/100%25"]
        #expect(
            try emulator.call(method, collection + (target[method] ?? "")).json() == [
                "name": .string("projects/p/registrations/\(token(1))/topicSubscriptions/100%"),
                "topicName": "100%", "createTime": "2026-12-01T08:00:00.250Z",
            ])
    }

    @Test(arguments: [
        (
            409, "POST", token(1), "active",
            """
            {"code":409,"message":"Requested entity already exists","status":"ALREADY_EXISTS"}
            """
        ),
        (
            404, "POST", token(1), "unregistered",
            """
            {"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}
            """
        ),
        (
            404, "DELETE", token(1), "unregistered",
            """
            {"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}
            """
        ),
        (
            403, "POST", token(1), "other_sender",
            """
            {"code":403,"message":"SenderId mismatch","status":"PERMISSION_DENIED",
             "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"SENDER_ID_MISMATCH"}]}
            """
        ),
        (
            400, "POST", "malformed", "active",
            """
            {"code":400,"message":"The registration token is not a valid FCM registration token","status":"INVALID_ARGUMENT",
             "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}
            """
        ),
    ])
    func `a registration that cannot subscribe is refused`(
        _ status: Int, _ method: String, _ registration: String, _ state: String, _ error: String
    ) throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), state: state, topics: ["t"])
        let collection = "/v1/projects/p/registrations/\(registration)/topicSubscriptions"
        let reply = emulator.call(
            method, collection + (method == "POST" ? "?topic_name=t" : "/t?allow_missing=true"))
        #expect(reply.status == status)
        #expect(try reply.json() == ["error": JSONValue(parsing: error.utf8)])
    }

    @Test func `an installation follows at most 2000 topics`() throws {
        let emulator = ManualEmulator()
        try emulator.enrol(token(1), topics: (1...2000).map { "topic-\($0)" })
        let expected = """
            {"error":{"code":429,"message":"The app instance is subscribed to too many topics.","status":"RESOURCE_EXHAUSTED",
              "details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"TOO_MANY_TOPICS"}]}}
            """
        for registration in [token(1), fid(1)] {
            let reply = emulator.subscribe(registration, to: "one-more")
            #expect(reply.status == 429)
            #expect(try reply.json() == JSONValue(parsing: expected.utf8))
        }
        #expect(emulator.subscribe(token(1), to: "topic-7").status == 409)
        #expect(emulator.subscribe(token(2), to: "one-more").status == 200)
    }

    @Test(arguments: [
        ("", [1000, 1000]), ("page_size=2000", [2000]), ("pageSize=900", [900, 900, 200]),
        ("page_size=5000", [2000]), ("page_size=0", [1000, 1000]),
    ])
    func `a list comes in pages`(_ query: String, _ sizes: [Int]) throws {
        let emulator = ManualEmulator()
        let topics = (1...2000).map { "topic-%\($0)" }
        try emulator.enrol(token(1), topics: topics)
        var pages: [[String]] = []
        var pageToken: String? = ""
        while let wanted = pageToken, pages.count < 5 {
            let target =
                "/v1/projects/p/registrations/\(token(1))/topicSubscriptions?\(query)"
                + "&page_token=\(wanted.percentEncodedSegment)"
            let page = try emulator.call("GET", target).json()
            pages.append(page["topicSubscriptions"]?.array?.compactMap { $0["topicName"]?.string } ?? [])
            pageToken = page["nextPageToken"]?.string
        }
        #expect(pages.map(\.count) == sizes)
        #expect(pages.flatMap(\.self) == topics.sorted())
    }

    @Test func `a registration without topics has an empty list`() throws {
        let target = "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions"
        #expect(try ManualEmulator().call("GET", target).json() == [:])
    }

    @Test(arguments: [
        "page_size=-1", "page_size=many", "page_size=99999999999999999999", "page_token=a%2Fb", "page_token=news",
        // These are base64url but not page tokens of a list: "news" and "after:a b".
        "page_token=bmV3cw", "page_token=YWZ0ZXI6YSBi", "page_token=%20", "topic_name=news", "pagesize=1",
    ])
    func `a list refuses what it cannot page by`(_ query: String) {
        let target = "/v1/projects/p/registrations/\(fid(1))/topicSubscriptions?\(query)"
        #expect(ManualEmulator().call("GET", target).status == 400)
    }

    @Test func `herald's own requests are understood`() throws {
        let emulator = ManualEmulator()
        let registration = try #require(Registration(token(1)))
        let topic = try #require(TopicName(rawValue: "50%~"))
        func perform(_ request: Request) -> Int {
            let wire = request.wire(project: Project(id: "p"))
            return emulator.call(wire.method, wire.path, String(decoding: wire.body, as: UTF8.self)).status
        }
        let body = try MessageBody(message: ["data": ["k": "v"]]).bytes(to: .topic(topic))
        #expect(perform(.subscribe(registration, to: topic)) == 200)
        #expect(perform(.subscribe(registration, to: topic)) == 409)
        #expect(perform(.send(body: body)) == 200)
        #expect(perform(.unsubscribe(registration, from: topic)) == 200)
        #expect(perform(.unsubscribe(registration, from: topic)) == 200)
        #expect(try emulator.ledger().map { $0["fan_out"] } == [1])
    }
}
