import FCM
import Logging
import NIOCore

@testable import FCMClient

extension FCMClient {
    /// Runs `body` with a client that is shut down afterwards.
    static func with(
        _ endpoint: Endpoint,
        timeout: Duration = .seconds(240),
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        idleLimit: TimeAmount = .seconds(60),
        _ body: (FCMClient) async throws -> Void
    ) async throws {
        let client = try FCMClient(
            endpoints: Endpoints(endpoint), project: Project(id: "demo"), timeout: timeout,
            certificateAuthorities: certificateAuthorities,
            authorization: authorization, idleLimit: idleLimit,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await body(client)
        await client.shutdown()
    }

    static func with(
        _ server: SecureServer, timeout: Duration = .seconds(240), _ body: (FCMClient) async throws -> Void
    ) async throws {
        try await with(
            server.endpoint, timeout: timeout, certificateAuthorities: server.certificate.certificatePath, body)
    }

    func send(_ body: String = "{}") async -> Exchange {
        await exchange(.send(body: Array(body.utf8)))
    }

    /// Sends so many bodies `1`, `2`, … at once; the outcomes in that order.
    func sendAtOnce(_ count: Int) async -> [Exchange] {
        await withTaskGroup(of: (Int, Exchange).self) { group in
            for number in 1...count { group.addTask { (number, await self.send(String(number))) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Returns when so many connections are open; the suite's time limit is what fails.
    func waitForConnections(_ count: Int) async {
        while await openConnections != count { await Task.yield() }
    }
}
