import FCM
import Logging
import NIOHTTP2
import NIOSSL
import Testing

@testable import FCMClient

/// How event loops share the connections to one endpoint.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionPoolsTests {
    @Test(arguments: [
        ("https", 1000, 1, 1), ("https", 1000, 2, 2), ("https", 1000, 64, 3), ("https", 50, 64, 1),
        ("https", 51, 64, 2), ("https", 151, 3, 2), ("https", 1, 64, 1), ("http", 1000, 64, 1),
    ])
    func `has no more loops than cores, connections, and use for them`(
        _ scheme: String, _ maxInFlight: Int, _ cores: Int, _ loops: Int
    ) throws {
        let pools = try Self.pools(Endpoint("\(scheme)://127.0.0.1:1"), maxInFlight: maxInFlight, cores: cores)
        #expect(pools.loops == loops)
        let capacity = scheme == "http" ? 32 : maxInFlight
        #expect(capacity..<(capacity + 50) ~= pools.capacity)
    }

    @Test(arguments: 1...3)
    func `carries more than there is room for, and each answer is its own`(_ cores: Int) async throws {
        try await SecureServer.with({ request, _ in [.reply(request.body)] }) { server in
            let pools = try Self.pools(server.endpoint, trusting: server, maxInFlight: 300, cores: cores)
            let bodies = await pools.carry(2000, to: server.endpoint).map { $0.response?.body }
            #expect(bodies == (1...2000).map { Array(String($0).utf8) })
            #expect(await pools.openConnections == 6)
            await pools.shutdown()
        }
    }

    @Test func `uses the next loop only when those before it are full, and room that was made`() async throws {
        try await SecureServer.with({ request, _ in [.reply(request.body)] }) { server in
            let pools = try Self.pools(server.endpoint, trusting: server, maxInFlight: 200, cores: 2)
            for _ in 1...5 {
                #expect(await pools.carry(100, to: server.endpoint).allSatisfy { $0.kind == .response })
            }
            #expect(server.arrivals.connections == 2)
            #expect(await pools.carry(101, to: server.endpoint).allSatisfy { $0.kind == .response })
            #expect(server.arrivals.connections == 3)
            await pools.shutdown()
        }
    }

    @Test func `a loop whose server allows less leaves the rest to the next`() async throws {
        let settings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: 10)]
        try await SecureServer.with(settings: settings, { _, _ in [] }) { server in
            let pools = try Self.pools(server.endpoint, trusting: server, maxInFlight: 200, cores: 2)
            // The server's limit is known after the first connection. Each loop has two connections.
            await pools.prepare()
            async let exchanges = pools.carry(40, to: server.endpoint)
            for _ in 1...40 { _ = await server.arrivals.next() }
            #expect(server.arrivals.connections == 4)
            await pools.shutdown()
            #expect(await exchanges.allSatisfy { $0.kind == .lost })
        }
    }

    @Test func `a loop that lost its connections comes last`() async throws {
        // The server closes the connection when it gets the last of these bodies.
        try await SecureServer.with({ request, _ in request.body == Array("52".utf8) ? [.close] : [.reply()] }) {
            server in
            let pools = try Self.pools(server.endpoint, trusting: server, maxInFlight: 100, cores: 2)
            #expect(await pools.carry(51, to: server.endpoint).allSatisfy { $0.kind == .response })
            #expect(server.arrivals.connections == 2)
            #expect(await pools.carry(1, from: 52, to: server.endpoint).map(\.kind) == [.lost])
            while await pools.openConnections != 1 { await Task.yield() }
            #expect(await pools.carry(50, to: server.endpoint).allSatisfy { $0.kind == .response })
            await pools.prepare()
            #expect(server.arrivals.connections == 2)
            #expect(await pools.carry(51, to: server.endpoint).allSatisfy { $0.kind == .response })
            #expect(server.arrivals.connections == 3)
            await pools.shutdown()
        }
    }

    @Test func `what is under way when it ends is told so on every loop`() async throws {
        try await SecureServer.with({ _, _ in [] }) { server in
            let pools = try Self.pools(server.endpoint, trusting: server, maxInFlight: 150, cores: 3)
            async let exchanges = pools.carry(150, to: server.endpoint)
            for _ in 1...150 { _ = await server.arrivals.next() }
            await pools.shutdown()
            #expect(await exchanges.allSatisfy { $0.kind == .lost })
            #expect(await pools.carry(150, to: server.endpoint).allSatisfy { $0.kind == .notSent })
        }
    }

    private static func pools(
        _ endpoint: Endpoint, trusting server: SecureServer? = nil, maxInFlight: Int, cores: Int
    ) throws -> ConnectionPools {
        try ConnectionPools(
            to: endpoint, security: NIOSSLContext(trusting: server?.certificate.certificatePath, for: .http2),
            timeout: .seconds(240), maxInFlight: maxInFlight, cores: cores,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

extension ConnectionPools {
    /// Sends the bodies `1`, `2`, … in one batch. Returns the results in that order.
    fileprivate func carry(_ count: Int, from first: Int = 1, to endpoint: Endpoint) async -> [Exchange] {
        let (answers, answer) = AsyncStream.makeStream(of: (Int, Exchange).self)
        start(
            (first..<(first + count)).map { number in
                let wire = Request.send(body: Array(String(number).utf8)).wire(project: Project(id: "demo"))
                return Attempt(call: HTTPCall(wire, to: endpoint, bearer: nil)) { answer.yield((number, $0)) }
            })
        var exchanges: [Int: Exchange] = [:]
        for await (number, exchange) in answers {
            #expect(exchanges.updateValue(exchange, forKey: number) == nil, "call \(number) was answered twice")
            if exchanges.count == count { break }
        }
        return exchanges.sorted { $0.key < $1.key }.map(\.value)
    }
}
