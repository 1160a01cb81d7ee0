import FCMClient
import NIOHTTP1
import Testing

/// Small texts for an address that a person gave.
@Suite(.timeLimit(.minutes(5))) struct PostTests {
    @Test(arguments: [
        ("/ping", "", "/ping"), ("/ping", "/start", "/ping/start"), ("/ping/", "/start", "/ping/start"),
        ("/ping/", "", "/ping/"), ("/ping?rid=a/b", "/0", "/ping/0?rid=a/b"), ("", "/start", "/start"),
        ("?create=1", "/start", "/start?create=1"),
    ])
    func `an ending goes behind the path`(_ path: String, _ ending: String, _ asked: String) async throws {
        try await PlainServer.with({ _ in .reply(.ok, [:], []) }) { server in
            let post = try Post(to: "\(server.endpoint)\(path)", proxies: .none)
            try await post.send(
                "wörds", type: "text/plain", headers: [("x-herald-id", "1")], to: ending, within: .seconds(60))
            let request = try #require(server.arrivals.requests.first)
            #expect(request.method == "POST" && request.path == asked)
            #expect(request.body == Array("wörds".utf8))
            let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.key.lowercased(), $0.value) })
            #expect(headers["content-type"] == "text/plain" && headers["x-herald-id"] == "1")
        }
    }

    @Test func `a redirect is not followed`() async throws {
        try await PlainServer.with({ _ in .reply(.found, ["location": "/other"]) }) { server in
            let post = try Post(to: "\(server.endpoint)/a", proxies: .none)
            await #expect(throws: Post.Problem.status(302)) {
                try await post.send("", type: "text/plain", within: .seconds(60))
            }
            #expect(server.arrivals.requests.map(\.path) == ["/a"])
        }
    }

    @Test(arguments: [PlainServer.Answer.silence, .close, .noise, .cutBody])
    func `without a whole answer it was not taken`(_ answer: PlainServer.Answer) async throws {
        try await PlainServer.with({ _ in answer }) { server in
            let post = try Post(to: "\(server.endpoint)/s3cret", proxies: .none)
            do {
                try await post.send("", type: "text/plain", within: .seconds(1))
                Issue.record("it counts as sent")
            } catch Post.Problem.unanswered(let reason) {
                #expect(!reason.contains("s3cret") && !reason.isEmpty)
            }
        }
    }

    @Test(arguments: ["http://example.com/a", "example.com", "ftp://127.0.0.1/a", "https://a b/", "https://a/\n", ""])
    func `other addresses are refused`(_ url: String) {
        #expect(throws: Post.Problem.notAnAddress) { try Post(to: url, proxies: .none) }
    }
}
