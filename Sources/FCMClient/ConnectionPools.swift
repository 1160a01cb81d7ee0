internal import Logging
internal import NIOCore
internal import NIOSSL

/// The connections to one endpoint. Encrypting and framing are most of what a request costs, so that some event loops
/// share them, each with a pool of its own: one is used when those before it are full.
struct ConnectionPools: Sendable {
    /// How many exchanges they carry at once.
    let capacity: Int
    private let pools: [ConnectionPool]
    var loops: Int { pools.count }

    /// A request costs a loop about three times what it costs whoever asks for it: more loops would only wait.
    private static let mostPools = 3

    /// - Parameters:
    ///   - maxInFlight: How many exchanges there may be at once, from 1 on; `http` has at most 32.
    ///   - cores: How many loops can run at once.
    ///   - idleLimit: Instead of the one that fits the endpoint.
    ///   - beat: Instead of a part of the timeout.
    init(
        to endpoint: Endpoint, security: NIOSSLContext?, timeout: Duration, maxInFlight: Int,
        cores: Int = System.coreCount, idleLimit: TimeAmount? = nil, beat: TimeAmount? = nil, logger: Logger
    ) throws {
        let connections = (maxInFlight + StreamTable.mostStreams - 1) / StreamTable.mostStreams
        let count = endpoint.scheme == .https ? max(1, min(cores, connections, Self.mostPools)) : 1
        pools = try (0..<count).map { _ in
            try ConnectionPool(
                to: endpoint, security: security, timeout: timeout, maxInFlight: (maxInFlight + count - 1) / count,
                idleLimit: idleLimit, beat: beat, logger: logger)
        }
        capacity = pools.reduce(0) { $0 + $1.capacity }
    }

    /// Has a connection open, or has tried.
    func prepare() async { await pools.first?.prepare() }

    /// Carries calls, each of which is answered once, on whatever thread.
    func start(_ attempts: [Attempt]) {
        var rest = attempts[...]
        for pool in pools.dropLast() where !rest.isEmpty {
            let taken = rest.prefix(max(0, pool.room))
            if !taken.isEmpty { pool.start(taken) }
            rest = rest.dropFirst(taken.count)
        }
        // What nobody has room for waits there.
        if !rest.isEmpty { pools.last?.start(rest) }
    }

    func shutdown() async {
        for pool in pools { await pool.shutdown() }
    }

    /// How many are open now.
    var openConnections: Int {
        get async {
            var count = 0
            for pool in pools { count += await pool.openConnections }
            return count
        }
    }
}
