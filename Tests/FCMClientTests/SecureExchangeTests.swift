import FCM
import NIOCore
import NIOHTTP2
import Testing

@testable import FCMClient

/// The result of an exchange with an HTTP/2 server, for each behaviour of the server.
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
                    ":authority": "127.0.0.1:\(server.endpoint.port)", "user-agent": "herald",
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
                // The client goes on, on this connection or the next.
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
                #expect(await client.sendAtOnce(3).map(\.kind) == [.response, .response, .notSent])
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 2)
        }
    }

    @Test func `a silent server is unknown, and what follows takes another connection`() async throws {
        try await SecureServer.with({ request, _ in request.connection == 1 ? [] : [.reply()] }) { server in
            try await FCMClient.with(server, timeout: .seconds(6)) { client in
                let reason = "the time for the exchange ran out after the request was sent"
                #expect(await client.send() == .lost(reason: reason))
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 2)
        }
    }

    @Test func `a cancelled exchange resets its stream and leaves the others alone`() async throws {
        try await SecureServer.with({ request, _ in request.body == [0x31] ? [] : [.reply()] }) { server in
            let authorities = server.certificate.certificatePath
            try await ConnectionPool.with(server.endpoint, certificateAuthorities: authorities) { pool in
                let exchange = Task { await pool.send("1", to: server.endpoint) }
                _ = await server.arrivals.next()
                exchange.cancel()
                #expect(await exchange.value == .lost(reason: "the exchange was cancelled after the request was sent"))
                #expect(await pool.send("2", to: server.endpoint).kind == .response)
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

    @Test(arguments: [[], [.reset(.noError)]] as [[SecureServer.Action]])
    func `a server may answer before it has read the request`(_ next: [SecureServer.Action]) async throws {
        // There is room for one stream only, and none for its body.
        let settings = [
            HTTP2Setting(parameter: .initialWindowSize, value: 0),
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 1),
        ]
        let answer: SecureServer.Answer = { _, _ in [.reply(status: 413)] + next }
        try await SecureServer.with(settings: settings, at: .head, answer) { server in
            try await FCMClient.with(server) { client in
                let exchanges = await client.sendAtOnce(50)
                #expect(exchanges.filter { $0.response?.status != 413 } == [])
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `sends a body through a window of one byte`() async throws {
        let settings = [HTTP2Setting(parameter: .initialWindowSize, value: 1)]
        try await SecureServer.with(settings: settings, { request, _ in [.reply(request.body)] }) { server in
            try await FCMClient.with(server) { client in
                let body = String(repeating: "abc", count: 100)
                #expect(await client.send(body).response?.body == Array(body.utf8))
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `sends on when the server widens its window`() async throws {
        let settings = [HTTP2Setting(parameter: .initialWindowSize, value: 0)]
        let wider = [HTTP2Setting(parameter: .initialWindowSize, value: 100_000)]
        let body = String(repeating: "x", count: 20_000)
        // The first request has no body, so it needs no window.
        let answer: SecureServer.Answer = { request, _ in
            request.body.isEmpty ? [.settings(wider), .reply()] : [.reply(request.body)]
        }
        try await SecureServer.with(settings: settings, answer) { server in
            try await FCMClient.with(server) { client in
                async let long = client.send(body)
                #expect(await client.send("").kind == .response)
                #expect(await long.response?.body == Array(body.utf8))
            }
        }
    }

    @Test func `lets the server send many times the first window`() async throws {
        let body = [UInt8](repeating: 0x20, count: 500_000)
        try await SecureServer.with({ _, _ in [.reply(body)] }) { server in
            try await FCMClient.with(server) { client in
                #expect(await client.sendAtOnce(40).allSatisfy { $0.response?.body.count == body.count })
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `waits for a server that is silent and answers PINGs`() async throws {
        try await SecureServer.with({ _, _ in [.replyAfterPings(3)] }) { server in
            try await FCMClient.with(server, beat: .seconds(1)) { client in
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 1)
        }
    }

    @Test func `a connection without an answer to a PING is dead, and what it carried unknown`() async throws {
        try await SecureServer.with({ request, _ in request.connection == 1 ? [.stall] : [.reply()] }) { server in
            try await FCMClient.with(server, beat: .seconds(1)) { client in
                let reason = "the connection fell silent after the request was sent"
                #expect(await client.send() == .lost(reason: reason))
                #expect(await client.send().kind == .response)
            }
            #expect(server.arrivals.connections == 2)
        }
    }
}
