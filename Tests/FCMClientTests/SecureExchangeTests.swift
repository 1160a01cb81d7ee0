import FCM
import FCMClient
import NIOCore
import NIOHTTP2
import Testing

/// What comes of an exchange with an HTTP/2 server, by what the server does.
@Suite(.timeLimit(.minutes(5)))
struct SecureExchangeTests {
    @Test func `sends the call and brings the response back`() async throws {
        try await SecureServer.with({ request, _ in [.reply(status: 429, retryAfter: "7", request.body)] }) { server in
            try await FCMClient.with(server) { client in
                let response = Response(status: 429, retryAfter: "7", body: Array("{\"a\":1}".utf8))
                #expect(await client.send("{\"a\":1}") == .response(response))
            }
            let request = try #require(server.arrivals.requests.first)
            #expect(
                request.headers == [
                    ":method": "POST", ":path": "/v1/projects/demo/messages:send", ":scheme": "https",
                    ":authority": "127.0.0.1:\(server.endpoint.port)", "user-agent": "herald", "content-length": "7",
                    "content-type": "application/json", "x-goog-api-format-version": "2",
                ])
        }
    }

    @Test func `carries thousands of exchanges over one connection, each with its own answer`() async throws {
        try await SecureServer.with({ request, _ in [.reply(request.body)] }) { server in
            try await FCMClient.with(server) { client in
                let exchanges = await client.sendAtOnce(3000)
                let bodies = exchanges.map { $0.response.map { String(decoding: $0.body, as: UTF8.self) } }
                #expect(bodies == (1...3000).map(String.init))
            }
            #expect(server.arrivals.connections == 1)
            #expect(server.arrivals.resets == 0)
        }
    }

    @Test(arguments: [
        ([SecureServer.Action.reset(.refusedStream)], Exchange.Kind.notSent),
        ([.reset(.internalError)], .lost),
        ([.reset(.cancel)], .lost),
        ([.reset(.enhanceYourCalm)], .lost),
        ([.beginReply, .reset(.refusedStream)], .lost),
        ([.beginReply, .reset(.noError)], .lost),
        ([.beginReply, .close], .lost),
        ([.close], .lost),
        ([.goAway(last: 0)], .notSent),
        ([.goAway(last: 1), .close], .lost),
        ([.goAway(last: .maxID), .close], .lost),
        ([.goAway(last: .maxID), .goAway(last: 0), .close], .notSent),
        ([.goAway(last: 1), .reply()], .response),
        ([.beginReply, .goAway(last: 0)], .lost),
        ([.reply([UInt8](repeating: 0x20, count: 16_000))], .response),
    ])
    func `only the server's word makes a request that went out safe to repeat`(
        _ actions: [SecureServer.Action], _ kind: Exchange.Kind
    ) async throws {
        try await SecureServer.with({ request, _ in request.body == [0x31] ? actions : [.reply()] }) { server in
            try await FCMClient.with(server) { client in
                #expect(await client.send("1").kind == kind)
                #expect(server.arrivals.requests.count == 1)
                // It goes on, on this connection or the next.
                #expect(await client.send("2").kind == .response)
            }
        }
    }

    @Test func `a server may answer all streams up to the last it names`() async throws {
        let answer: SecureServer.Answer = { request, stream in
            guard request.connection == 1 else { return [.reply()] }
            return stream == 5 ? [.goAway(last: 3), .reply(on: 1), .reply(on: 3)] : []
        }
        try await SecureServer.with(answer) { server in
            try await FCMClient.with(server) { client in
                let kinds = await client.sendAtOnce(3).map(\.kind)
                #expect(kinds.count { $0 == .response } == 2)
                #expect(kinds.count { $0 == .notSent } == 1)
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 2)
        }
    }

    @Test func `a silent server is unknown, and what follows takes another connection`() async throws {
        try await SecureServer.with({ request, _ in request.connection == 1 ? [] : [.reply()] }) { server in
            try await FCMClient.with(server, timeout: .seconds(3)) { client in
                let reason = "the time for the exchange ran out after the request was sent"
                #expect(await client.send() == .lost(reason: reason))
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 2)
        }
    }

    @Test func `a cancelled exchange resets its stream and leaves the others alone`() async throws {
        try await SecureServer.with({ request, _ in request.body == [0x31] ? [] : [.reply()] }) { server in
            try await FCMClient.with(server) { client in
                let exchange = Task { await client.send("1") }
                _ = await server.arrivals.next()
                exchange.cancel()
                #expect(await exchange.value == .lost(reason: "the exchange was cancelled after the request was sent"))
                #expect(await client.send("2").kind == .response)
            }
            #expect(server.arrivals.resets == 1)
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `a response longer than a mebibyte is lost, and only its stream suffers`() async throws {
        let long = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
        try await SecureServer.with({ request, _ in [.reply(request.body == [0x31] ? long : [])] }) { server in
            try await FCMClient.with(server) { client in
                let reason = "the response grew longer than 1 MiB in the middle of the response"
                #expect(await client.send("1") == .lost(reason: reason))
                #expect(await client.send("2").kind == .response)
            }
            #expect(server.arrivals.connections == 1)
        }
    }
}
