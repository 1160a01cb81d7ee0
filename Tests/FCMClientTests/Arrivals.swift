import NIOCore
import Synchronization

/// What a test server received.
final class Arrivals: Sendable {
    struct Request: Hashable, Sendable {
        var method: String
        var path: String
        var headers: [String: String]
        var body: [UInt8]
        /// The number of the connection at the server, from 1.
        var connection: Int
    }

    private struct Log {
        var requests: [Request] = []
        var connections = 0
        var openConnections = 0
        var resets = 0
    }

    private let log = Mutex(Log())
    private let (stream, continuation) = AsyncStream.makeStream(of: Request.self)

    var requests: [Request] { log.withLock(\.requests) }
    var connections: Int { log.withLock(\.connections) }
    var openConnections: Int { log.withLock(\.openConnections) }

    /// How many streams the client reset.
    var resets: Int { log.withLock(\.resets) }

    /// Waits for the next request that no earlier call has returned. Only one caller at a time.
    func next() async -> Request? {
        for await request in stream { return request }
        return nil
    }

    func record(_ request: Request) {
        log.withLock { $0.requests.append(request) }
        continuation.yield(request)
    }

    func recordConnection() -> Int {
        log.withLock { log in
            log.connections += 1
            log.openConnections += 1
            return log.connections
        }
    }

    func recordReset() { log.withLock { $0.resets += 1 } }
    func recordClose() { log.withLock { $0.openConnections -= 1 } }
}
