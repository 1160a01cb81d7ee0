import FCM
import Testing

struct RequestTests {
    @Test(arguments: [
        ("", ""),
        ("abcXYZ019-._~", "abcXYZ019-._~"),
        (":", "%3A"), ("%", "%25"), ("/", "%2F"), ("?", "%3F"), ("#", "%23"), ("&", "%26"), ("=", "%3D"),
        ("+", "%2B"), (" ", "%20"), ("\0", "%00"), ("\n", "%0A"), ("é", "%C3%A9"), ("🌊", "%F0%9F%8C%8A"),
        ("%25", "%2525"), ("a/../b", "a%2F..%2Fb"),
    ])
    func `all but the unreserved characters are percent-encoded`(_ text: String, _ encoded: String) {
        #expect(text.percentEncodedSegment == encoded)
    }

    @Test func `a send posts its body`() {
        let wire = Request.send(body: Array(#"{"message":{"topic":"t"}}"#.utf8)).wire(
            project: Project(id: "tide-app-prod"))
        #expect(wire.method == "POST")
        #expect(wire.path == "/v1/projects/tide-app-prod/messages:send")
        #expect(wire.body == Array(#"{"message":{"topic":"t"}}"#.utf8))
    }

    @Test func `subscribing posts an empty object under the registration`() throws {
        let registration = try Registration.sample(
            "cTEST-_890123456789AbZ:APA91b" + String(repeating: "y", count: 100))
        let wire = Request.subscribe(registration, to: try .sample("50%off")).wire(project: Project(id: "p-1"))
        #expect(wire.method == "POST")
        #expect(
            wire.path
                == "/v1/projects/p-1/registrations/cTEST-_890123456789AbZ%3AAPA91b"
                + String(repeating: "y", count: 100) + "/topicSubscriptions?topic_name=50%25off")
        #expect(wire.body == Array("{}".utf8))
    }

    @Test func `unsubscribing deletes without a body and may find nothing`() throws {
        let wire = Request.unsubscribe(try .sample("cTEST-_890123456789AbZ"), from: try .sample("50%25~off"))
            .wire(project: Project(id: "123"))
        #expect(wire.method == "DELETE")
        #expect(
            wire.path
                == "/v1/projects/123/registrations/cTEST-_890123456789AbZ/topicSubscriptions/50%2525~off"
                + "?allow_missing=true")
        #expect(wire.body.isEmpty)
    }

    @Test(arguments: [
        (nil, ""), (SubscriptionPage.Mark(rawValue: "a+b/c=&d"), "&page_token=a%2Bb%2Fc%3D%26d"),
    ])
    func `a registration's topics are asked for page by page`(_ mark: SubscriptionPage.Mark?, _ end: String) throws {
        let wire = Request.read(.subscriptions(of: try .token, after: mark)).wire(project: Project(id: "p-1"))
        #expect(wire.service == .fcm)
        #expect(wire.method == "GET")
        #expect(
            wire.path == "/v1/projects/p-1/registrations/\(tokenText.percentEncodedSegment)/topicSubscriptions"
                + "?page_size=2000\(end)")
        #expect(wire.body.isEmpty)
        #expect(headers(wire) == ["x-goog-api-format-version: 2"])
    }

    @Test func `the Instance ID service is asked with its own headers`() throws {
        let wire = Request.read(.information(about: try .token)).wire(project: Project(id: "p-1"))
        #expect(wire.service == .iid)
        #expect(wire.method == "GET")
        #expect(wire.path == "/iid/info/\(tokenText.percentEncodedSegment)?details=true")
        #expect(wire.body.isEmpty)
        #expect(headers(wire) == ["access_token_auth: true"])
    }

    @Test func `a project cannot reach out of its place in the path`() {
        let wire = Request.send(body: []).wire(project: Project(id: "a/../b?c"))
        #expect(wire.path == "/v1/projects/a%2F..%2Fb%3Fc/messages:send")
    }

    @Test func `every call asks for the second error format`() throws {
        let calls = [
            Request.send(body: []), .subscribe(try .fid, to: try .sample("t")),
            .unsubscribe(try .fid, from: try .sample("t")),
        ]
        for call in calls {
            let headers = call.wire(project: Project(id: "p")).headers.map { "\($0.name.lowercased()): \($0.value)" }
            #expect(headers.contains("x-goog-api-format-version: 2"))
        }
    }

    @Test func `calls with a body say that it is JSON`() throws {
        for call in [Request.send(body: []), .subscribe(try .fid, to: try .sample("t"))] {
            let headers = call.wire(project: Project(id: "p")).headers.map { "\($0.name.lowercased()): \($0.value)" }
            #expect(headers.contains("content-type: application/json"))
        }
    }

    @Test func `requests differ when a header differs`() {
        let one = Request.send(body: []).wire(project: Project(id: "p"))
        var other = one
        #expect(one == other)
        other.service = .iid
        #expect(one != other)
        other.service = .fcm
        other.headers.append((name: "x", value: "y"))
        #expect(one != other)
    }

    // MARK: The older services (docs/reference/fcm-older.md#instance-id, docs/reference/fcm-older.md#device-groups)

    private func headers(_ wire: WireRequest) -> [String] { wire.headers.map { "\($0.name): \($0.value)" }.sorted() }

    @Test(arguments: [(BatchOperation.add, "/iid/v1:batchAdd"), (.remove, "/iid/v1:batchRemove")])
    func `a batch goes to the Instance ID service`(_ operation: BatchOperation, _ path: String) throws {
        let wire = Request.batch(operation, try .sample("50%off"), [try .fid, try .token])
            .wire(project: Project(id: "p"))
        #expect(wire.service == .iid)
        #expect(wire.method == "POST")
        #expect(wire.path == path)
        #expect(headers(wire) == ["access_token_auth: true", "content-type: application/json"])
        #expect(
            try JSONValue(parsing: wire.body)
                == ["to": "/topics/50%off", "registration_tokens": [.string(fidText), .string(tokenText)]])
    }

    @Test func `members are written in the order of their names, whatever they hold`() throws {
        let group = Request.group(.create(try .sample(Self.groupName), [])).wire(project: Project(id: "p"))
        let text = #"{"notification_key_name":"Chris\"&\\é=/?","operation":"create","registration_ids":[]}"#
        #expect(String(decoding: group.body, as: UTF8.self) == text)
    }

    @Test func `an empty batch is an empty list`() throws {
        let wire = Request.batch(.add, try .sample("t"), []).wire(project: Project(id: "p"))
        #expect(try JSONValue(parsing: wire.body)["registration_tokens"] == [])
    }

    @Test func `other calls go to FCM itself`() throws {
        let calls = [
            Request.send(body: []), .subscribe(try .fid, to: try .sample("t")),
            .unsubscribe(try .fid, from: try .sample("t")), .group(.retrieve(try .sample("g"))),
        ]
        #expect(calls.allSatisfy { $0.wire(project: Project(id: "p")).service == .fcm })
    }

    /// A name with characters that JSON and URLs escape.
    static let groupName = #"Chris"&\é=/?"#

    @Test func `groups are changed with the project's number, the name and the key`() throws {
        let name = try GroupName.sample(Self.groupName)
        let key = try NotificationKey.sample("APA91bKey")
        let project = Project(id: "tide-app", senderID: SenderID(rawValue: "123456789012"))
        let expected: [(GroupOperation, JSONValue)] = [
            (
                .create(name, [try .token]),
                [
                    "operation": "create", "notification_key_name": .string(Self.groupName),
                    "registration_ids": [.string(tokenText)],
                ]
            ),
            (
                .add(name, key, [try .token, try .fid]),
                [
                    "operation": "add", "notification_key_name": .string(Self.groupName),
                    "notification_key": "APA91bKey", "registration_ids": [.string(tokenText), .string(fidText)],
                ]
            ),
            (
                .remove(name, key, [try .fid]),
                [
                    "operation": "remove", "notification_key_name": .string(Self.groupName),
                    "notification_key": "APA91bKey", "registration_ids": [.string(fidText)],
                ]
            ),
        ]
        for (operation, body) in expected {
            let wire = Request.group(operation).wire(project: project)
            #expect(wire.method == "POST")
            #expect(wire.path == "/fcm/notification")
            #expect(try JSONValue(parsing: wire.body) == body)
            #expect(
                headers(wire) == [
                    "access_token_auth: true", "content-type: application/json", "project_id: 123456789012",
                ])
        }
    }

    @Test func `a group's key is asked for by the name in the query`() throws {
        let project = Project(id: "tide-app", senderID: SenderID(rawValue: "123456789012"))
        let wire = Request.group(.retrieve(try .sample(Self.groupName))).wire(project: project)
        #expect(wire.method == "GET")
        #expect(wire.path == "/fcm/notification?notification_key_name=Chris%22%26%5C%C3%A9%3D%2F%3F")
        #expect(wire.body.isEmpty)
        #expect(headers(wire).contains("project_id: 123456789012"))
    }
}
