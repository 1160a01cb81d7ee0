import FCM
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import FCMClient

/// The result of an exchange with an HTTP/1.1 server, for each behaviour of the server.
@Suite(.timeLimit(.minutes(5)))
struct PlainExchangeTests {
    @Test func `sends the call and brings the response back`() async throws {
        try await PlainServer.with({ _ in .reply(.ok, ["Retry-After": "7"], Array("yes".utf8)) }) { server in
            try await FCMClient.with(server.endpoint) { client in
                let response = Response(status: 200, retryAfter: "7", body: Array("yes".utf8))
                #expect(await client.send("{\"a\":1}") == .response(response))
            }
            let request = try #require(server.arrivals.requests.first)
            #expect(request.method == "POST")
            #expect(request.path == "/v1/projects/demo/messages:send")
            #expect(request.body == Array("{\"a\":1}".utf8))
            #expect(
                request.headers == [
                    "host": "127.0.0.1:\(server.endpoint.port)", "user-agent": "herald", "content-length": "7",
                    "content-type": "application/json", "x-goog-api-format-version": "2",
                ])
        }
    }

    @Test func `sends a call without a body`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            let fid = try #require(Registration("cTTTTTTTTTTTTTTTTTTTTT"))
            let topic = try #require(TopicName(rawValue: "news"))
            try await FCMClient.with(server.endpoint) { client in
                #expect(await client.exchange(.unsubscribe(fid, from: topic)) == .response(Response(status: 200)))
            }
            let request = try #require(server.arrivals.requests.first)
            #expect(request.method == "DELETE")
            #expect(request.path.hasSuffix("/topicSubscriptions/news?allow_missing=true"))
            #expect(request.body.isEmpty)
            #expect(request.headers["transfer-encoding"] == nil)
        }
    }

    @Test(arguments: [
        PlainServer.Answer.close, .reset, .cutBody, .cutChunks, .noise,
        .reply(.ok, [:], [UInt8](repeating: 0x20, count: (1 << 20) + 1)),
    ])
    func `anything but a complete response is lost`(_ answer: PlainServer.Answer) async throws {
        try await PlainServer.with({ $0.body.isEmpty ? .reply() : answer }) { server in
            try await FCMClient.with(server.endpoint) { client in
                let exchange = await client.send()
                #expect(exchange.kind == .lost)
                #expect(server.arrivals.requests.count == 1)
                // The connection is not used again.
                #expect(await client.send("").kind == .response)
                #expect(server.arrivals.connections == 2)
            }
        }
    }

    @Test(arguments: [429, 500, 503, 404, 302])
    func `a complete response is a response whatever its status`(_ status: Int) async throws {
        try await PlainServer.with({ _ in .reply(.init(statusCode: status), ["retry-after": "1"]) }) { server in
            try await FCMClient.with(server.endpoint) { client in
                #expect(await client.send() == .response(Response(status: status, retryAfter: "1")))
            }
            #expect(server.arrivals.requests.count == 1)
        }
    }

    @Test func `keeps a mebibyte of body`() async throws {
        let body = [UInt8](repeating: 0x20, count: 1 << 20)
        try await PlainServer.with({ _ in .reply(.ok, [:], body) }) { server in
            try await FCMClient.with(server.endpoint) { client in
                #expect(await client.send().response?.body == body)
            }
        }
    }

    @Test func `a silent server costs the time allowed and is unknown`() async throws {
        try await PlainServer.with({ _ in .silence }) { server in
            try await FCMClient.with(server.endpoint, timeout: .seconds(5)) { client in
                let reason = "the time for the exchange ran out after the request was sent"
                #expect(await client.send() == .lost(reason: reason))
            }
            #expect(server.arrivals.requests.count == 1)
        }
    }

    @Test func `a port where nobody listens is safe to try again`() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let endpoint = try Endpoint(scheme: .http, host: "127.0.0.1", port: try #require(listener.localAddress?.port))
        try await listener.close()
        try await FCMClient.with(endpoint) { client in
            let exchanges = await client.sendAtOnce(100)
            #expect(exchanges.allSatisfy { $0 == .notSent(reason: "the connection could not be opened") })
        }
    }

    @Test func `a cancelled exchange is unknown once the request has arrived`() async throws {
        try await PlainServer.with({ _ in .silence }) { server in
            try await ConnectionPool.with(server.endpoint) { pool in
                let exchange = Task { await pool.send(to: server.endpoint) }
                _ = await server.arrivals.next()
                exchange.cancel()
                #expect(await exchange.value == .lost(reason: "the exchange was cancelled after the request was sent"))
            }
        }
    }

    @Test func `an exchange cancelled before it began sends nothing`() async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            try await ConnectionPool.with(server.endpoint) { pool in
                let exchange = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await pool.send(to: server.endpoint)
                }
                #expect(await exchange.value.kind == .notSent)
                #expect(server.arrivals.connections == 0)
            }
        }
    }
}
