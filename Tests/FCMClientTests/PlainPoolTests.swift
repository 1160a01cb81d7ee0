import FCM
import NIOCore
import NIOHTTP1
import Testing

@testable import FCMClient

/// How exchanges share HTTP/1.1 connections.
@Suite(.timeLimit(.minutes(5)))
struct PlainPoolTests {
    @Test func `carries thousands of exchanges over its few connections, each with its own answer`() async throws {
        try await PlainServer.with({ .reply(.ok, [:], $0.body) }) { server in
            // The timeout includes waiting for a connection, and the machine may be busy.
            try await FCMClient.with(server.endpoint, timeout: .seconds(600)) { client in
                let exchanges = await client.sendAtOnce(2000)
                let bodies = exchanges.map { $0.response.map { String(decoding: $0.body, as: UTF8.self) } }
                let mixedUp = zip(bodies, 1...2000).filter { $0 != String($1) }
                #expect(mixedUp.isEmpty)
                #expect(server.arrivals.requests.count == 2000)
                #expect(server.arrivals.connections == client.capacity)
            }
        }
    }

    @Test(arguments: [(TimeAmount.seconds(60), 1), (.zero, 3)])
    func `uses a connection again unless it was idle for too long`(_ idleLimit: TimeAmount, _ count: Int) async throws {
        try await PlainServer.with({ _ in .reply() }) { server in
            try await FCMClient.with(server.endpoint, idleLimit: idleLimit) { client in
                for _ in 1...3 { #expect(await client.send().kind == .response) }
            }
            #expect(server.arrivals.connections == count)
        }
    }

    @Test func `does not use a connection that the server closed while it was idle`() async throws {
        try await PlainServer.with({ _ in .replyThenClose() }) { server in
            try await FCMClient.with(server.endpoint) { client in
                for _ in 1...3 {
                    #expect(await client.send().kind == .response)
                    await client.waitForConnections(0)
                }
            }
            #expect(server.arrivals.connections == 3)
        }
    }

    @Test func `does not use a connection whose end was announced`() async throws {
        try await PlainServer.with({ _ in .reply(.ok, ["connection": "close"]) }) { server in
            try await FCMClient.with(server.endpoint) { client in
                for _ in 1...3 { #expect(await client.send().kind == .response) }
            }
            #expect(server.arrivals.connections == 3)
        }
    }

    @Test func `an exchange cancelled while it waits for a connection sends nothing`() async throws {
        try await PlainServer.with({ _ in .silence }) { server in
            try await ConnectionPool.with(server.endpoint) { pool in
                let busy = (1...pool.capacity).map { _ in Task { await pool.send(to: server.endpoint) } }
                for _ in busy { _ = await server.arrivals.next() }
                let waiting = Task { await pool.send(to: server.endpoint) }
                waiting.cancel()
                #expect(await waiting.value.kind == .notSent)
                for exchange in busy { exchange.cancel() }
                for exchange in busy { #expect(await exchange.value.kind == .lost) }
            }
            #expect(server.arrivals.requests.count == 32)
        }
    }

    @Test func `shutting down cuts what is under way and refuses what comes later`() async throws {
        try await PlainServer.with({ _ in .silence }) { server in
            try await FCMClient.with(server.endpoint) { client in
                async let exchange = client.send()
                _ = await server.arrivals.next()
                await client.shutdown()
                #expect(await exchange.kind == .lost)
                #expect(await client.send().kind == .notSent)
                while server.arrivals.openConnections > 0 { await Task.yield() }
                #expect(server.arrivals.connections == 1)
            }
        }
    }
}
