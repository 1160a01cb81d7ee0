import FCM
import FCMClient
import Logging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthorizationTests {
    private struct NoToken: Error {}

    @Test func `asks for a token for every exchange and sends it`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            let tokens = Tokens()
            try await FCMClient.with(server.endpoint, authorization: { await tokens.next() }) { client in
                _ = await client.send()
                _ = await client.send()
            }
            let headers = server.arrivals.requests.map { $0.headers["authorization"] }
            #expect(headers == ["Bearer token-1", "Bearer token-2"])
        }
    }

    @Test(arguments: ["", "two words", "line\r\nx-injected: 1", "caf\u{e9}"])
    func `sends nothing with a token that no header can hold`(_ token: String) async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            try await FCMClient.with(server.endpoint, authorization: { token }) { client in
                let exchange = await client.send()
                #expect(exchange == .notSent(reason: "the access token holds characters that no header may hold"))
            }
            #expect(server.arrivals.connections == 0)
        }
    }

    @Test func `sends nothing without the token it needs`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            try await FCMClient.with(server.endpoint, authorization: { throw NoToken() }) { client in
                #expect(await client.send() == .notSent(reason: "no access token could be obtained"))
            }
            #expect(server.arrivals.connections == 0)
        }
    }

    @Test(arguments: [
        ("http://localhost", Duration.seconds(1), "/tmp/x.pem" as String?, FCMClientError.authoritiesWithoutTLS),
        ("https://localhost", .seconds(1), "/nowhere/x.pem", .unreadableAuthorities(path: "/nowhere/x.pem")),
        ("https://localhost", .seconds(1), "/dev/null", .unreadableAuthorities(path: "/dev/null")),
        ("https://localhost", .zero, nil, .timeout(.zero)),
    ])
    func `refuses settings that cannot work`(
        _ endpoint: String, _ timeout: Duration, _ authorities: String?, because error: FCMClientError
    ) {
        #expect(throws: error) {
            try FCMClient(
                endpoint: Endpoint(endpoint), project: "demo", timeout: timeout, certificateAuthorities: authorities,
                logger: Logger(label: "test"))
        }
    }
}

private actor Tokens {
    private var count = 0

    func next() -> String {
        count += 1
        return "token-\(count)"
    }
}
