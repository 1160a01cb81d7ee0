import FCM
import NIOCore
import NIOHTTP2
import NIOPosix
import Testing

@testable import FCMClient

/// What becomes of calls when nobody wants to wait any more.
@Suite(.timeLimit(.minutes(5)))
struct WithdrawingTests {
    /// Runs `body` with a client of a server that takes connections and never shakes hands.
    private static func withMuteServer(_ body: (FCMClient) async throws -> Void) async throws {
        let mute = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let endpoint = try Endpoint(scheme: .https, host: "127.0.0.1", port: try #require(mute.localAddress?.port))
        try await FCMClient.with(endpoint, body)
        try await mute.close()
    }

    @Test func `calls that wait for a connection have not left`() async throws {
        try await Self.withMuteServer { client in
            let (answers, answer) = AsyncStream.makeStream(of: Exchange.self)
            await client.start((1...3).map { _ in Call(.send(body: [])) { answer.yield($0) } })
            await client.withdraw()
            answer.finish()
            // They were answered before the withdrawal was over.
            #expect(
                await answers.reduce(into: [Exchange]()) { $0.append($1) }.map(\.kind) == [
                    .notSent, .notSent, .notSent,
                ])
            #expect(await client.send().kind == .notSent)
        }
    }

    @Test func `nobody waits for a connection any more`() async throws {
        try await Self.withMuteServer { client in
            let begun = ContinuousClock.now
            async let prepared: Void = client.prepare()
            await client.withdraw()
            await prepared
            await client.prepare()
            // Opening a connection may take ten seconds.
            #expect(ContinuousClock.now - begun < .seconds(8))
        }
    }

    @Test func `nobody waits for a token any more`() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let authorization = Authorization(
            token: { () async throws(TokenError) in
                for await _ in gate {}
                throw .unavailable(reason: "it was withdrawn", isWorthRepeating: false)
            }, withdraw: { opening.finish() })
        try await PlainServer.with({ _ in .reply() }) { server in
            try await FCMClient.with(server.endpoint, authorization: authorization) { client in
                async let exchange = client.send()
                await client.withdraw()
                #expect(await exchange.kind == .notSent)
            }
            #expect(server.arrivals.connections == 0)
        }
    }

    @Test func `calls that have left go on`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 1)]
        try await SecureServer.with(settings: settings, { _, _ in [] }) { server in
            try await FCMClient.with(server) { client in
                let (answers, answer) = AsyncStream.makeStream(of: Exchange.self)
                await client.start((1...2).map { _ in Call(.send(body: [])) { answer.yield($0) } })
                _ = await server.arrivals.next()
                await client.withdraw()
                await client.shutdown()
                answer.finish()
                #expect(await answers.reduce(into: [Exchange]()) { $0.append($1) }.map(\.kind) == [.notSent, .lost])
            }
            #expect(server.arrivals.requests.count == 1)
        }
    }

    /// The starts that the rates granted would all leave at once when the new connection opens.
    @Test func `a connection that takes nothing new is replaced before anybody waits for it`() async throws {
        try await SecureServer.with({ _, stream in [.goAway(last: stream)] }) { server in
            try await FCMClient.with(server) { client in
                await client.start([Call(.send(body: [])) { _ in }])
                _ = await server.arrivals.next()
                // The first connection stays open for the exchange that it carries.
                while server.arrivals.connections < 2 { await client.prepare() }
                #expect(await client.openConnections == 2)
            }
        }
    }
}
