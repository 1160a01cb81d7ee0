import FCM
import Logging
import NIOCore
import Testing

@testable import FCMClient

extension FCMClient {
    /// Runs `body` with a client and shuts it down afterwards.
    static func with(
        _ endpoint: Endpoint,
        timeout: Duration = .seconds(240),
        maxInFlight: Int = 50,
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        idleLimit: TimeAmount = .seconds(60),
        beat: TimeAmount = .seconds(60),
        mayWrite: (@Sendable () -> Bool)? = nil,
        _ body: (FCMClient) async throws -> Void
    ) async throws {
        let client = try FCMClient(
            endpoints: Endpoints(endpoint), project: Project(id: "demo"), timeout: timeout, maxInFlight: maxInFlight,
            certificateAuthorities: certificateAuthorities, authorization: authorization, idleLimit: idleLimit,
            beat: beat, mayWrite: mayWrite, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await body(client)
        await client.shutdown()
    }

    static func with(
        _ server: SecureServer, timeout: Duration = .seconds(240), maxInFlight: Int = 50,
        beat: TimeAmount = .seconds(60), _ body: (FCMClient) async throws -> Void
    ) async throws {
        try await with(
            server.endpoint, timeout: timeout, maxInFlight: maxInFlight,
            certificateAuthorities: server.certificate.certificatePath, beat: beat, body)
    }

    func send(_ body: String = "{}") async -> Exchange {
        await exchange(.send(body: Array(body.utf8)))
    }

    /// Sends `count` bodies `1`, `2`, … in one batch. Returns the results in that order.
    func sendAtOnce(_ count: Int) async -> [Exchange] {
        let (answers, answer) = AsyncStream.makeStream(of: (Int, Exchange).self)
        let calls = (1...count).map { number in
            Call(.send(body: Array(String(number).utf8))) { answer.yield((number, $0)) }
        }
        await start(calls)
        var exchanges: [Int: Exchange] = [:]
        for await (number, exchange) in answers {
            #expect(exchanges.updateValue(exchange, forKey: number) == nil, "call \(number) was answered twice")
            if exchanges.count == count { break }
        }
        return exchanges.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Waits until this many connections are open. If that never happens, the suite's time limit fails.
    func waitForConnections(_ count: Int) async {
        while await openConnections != count { await Task.yield() }
    }
}

extension ConnectionPool {
    /// Runs `body` with a pool and shuts it down afterwards.
    static func with(
        _ endpoint: Endpoint, certificateAuthorities: String? = nil, _ body: (ConnectionPool) async throws -> Void
    ) async throws {
        let pool = try ConnectionPool(
            to: endpoint, timeout: .seconds(240), certificateAuthorities: certificateAuthorities,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await body(pool)
        await pool.shutdown()
    }

    func send(_ body: String = "{}", to endpoint: Endpoint) async -> Exchange {
        let wire = Request.send(body: Array(body.utf8)).wire(project: Project(id: "demo"))
        return await carry(HTTPCall(wire, to: endpoint, bearer: nil))
    }
}
