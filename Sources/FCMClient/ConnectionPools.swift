internal import Logging
internal import NIOCore
internal import NIOSSL

/// The connections to one endpoint. Encrypting and framing are most of what a request costs, so that some event loops
/// share them, each with a pool of its own: one is used when those before it are full.
struct ConnectionPools: Sendable {
    /// How many exchanges they carry at once.
    let capacity: Int
    private let pools: [ConnectionPool]
    /// How many event loops share them.
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
        let share: Int
        switch endpoint.scheme {
        case .http: share = maxInFlight
        case .https:
            let each = StreamTable.mostStreams
            let connections = (maxInFlight + each - 1) / each
            let count = max(1, min(cores, connections, Self.mostPools))
            share = (connections + count - 1) / count * each
        }
        pools = try stride(from: 0, to: maxInFlight, by: share).map { first in
            try ConnectionPool(
                to: endpoint, security: security, timeout: timeout, maxInFlight: min(share, maxInFlight - first),
                idleLimit: idleLimit, beat: beat, logger: logger)
        }
        capacity = pools.reduce(0) { $0 + $1.capacity }
    }

    /// Has a connection open, or has tried.
    func prepare() async {
        if !pools.contains(where: \.isConnected) { await pools.first?.prepare() }
    }

    /// Carries calls, each of which is answered once, on whatever thread.
    func start(_ attempts: [Attempt]) {
        var rest = attempts[...]
        // Who waits for a connection may wait in vain while others have some.
        var order = pools
        _ = order.partition { !$0.isConnected }
        for pool in order where !rest.isEmpty {
            let taken = rest.prefix(max(0, pool.room))
            if !taken.isEmpty { pool.start(taken) }
            rest = rest.dropFirst(taken.count)
        }
        // What nobody has room for waits there.
        if !rest.isEmpty { order.first?.start(rest) }
    }

    func shutdown() async {
        await withTaskGroup(of: Void.self) { group in
            for pool in pools { group.addTask { await pool.shutdown() } }
        }
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
