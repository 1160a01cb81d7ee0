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
        let wire = Request.send(body: Array(#"{"message":{"topic":"t"}}"#.utf8)).wire(project: "tide-app-prod")
        #expect(wire.method == "POST")
        #expect(wire.path == "/v1/projects/tide-app-prod/messages:send")
        #expect(wire.body == Array(#"{"message":{"topic":"t"}}"#.utf8))
    }

    @Test func `subscribing posts an empty object under the registration`() throws {
        let registration = try Registration.sample(
            "cTEST-_890123456789AbZ:APA91b" + String(repeating: "y", count: 100))
        let wire = Request.subscribe(registration, to: try .sample("50%off")).wire(project: "p-1")
        #expect(wire.method == "POST")
        #expect(
            wire.path
                == "/v1/projects/p-1/registrations/cTEST-_890123456789AbZ%3AAPA91b"
                + String(repeating: "y", count: 100) + "/topicSubscriptions?topic_name=50%25off")
        #expect(wire.body == Array("{}".utf8))
    }

    @Test func `unsubscribing deletes without a body and may find nothing`() throws {
        let wire = Request.unsubscribe(try .sample("cTEST-_890123456789AbZ"), from: try .sample("50%25~off"))
            .wire(project: "123")
        #expect(wire.method == "DELETE")
        #expect(
            wire.path
                == "/v1/projects/123/registrations/cTEST-_890123456789AbZ/topicSubscriptions/50%2525~off"
                + "?allow_missing=true")
        #expect(wire.body.isEmpty)
    }

    @Test func `a project cannot reach out of its place in the path`() {
        let wire = Request.send(body: []).wire(project: "a/../b?c")
        #expect(wire.path == "/v1/projects/a%2F..%2Fb%3Fc/messages:send")
    }

    @Test func `every call asks for the second error format`() throws {
        let calls = [
            Request.send(body: []), .subscribe(try .fid, to: try .sample("t")),
            .unsubscribe(try .fid, from: try .sample("t")),
        ]
        for call in calls {
            let headers = call.wire(project: "p").headers.map { "\($0.name.lowercased()): \($0.value)" }
            #expect(headers.contains("x-goog-api-format-version: 2"))
        }
    }

    @Test func `calls with a body say that it is JSON`() throws {
        for call in [Request.send(body: []), .subscribe(try .fid, to: try .sample("t"))] {
            let headers = call.wire(project: "p").headers.map { "\($0.name.lowercased()): \($0.value)" }
            #expect(headers.contains("content-type: application/json"))
        }
    }

    @Test func `requests differ when a header differs`() {
        let one = Request.send(body: []).wire(project: "p")
        var other = one
        #expect(one == other)
        other.headers.append((name: "x", value: "y"))
        #expect(one != other)
    }
}
