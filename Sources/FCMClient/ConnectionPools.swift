internal import Logging
internal import NIOCore
internal import NIOSSL

/// The connections to one endpoint, split into pools with one event loop each. Encryption and framing are most of the
/// work for a request, so several loops share it. A pool is used only when the ones before it are full.
struct ConnectionPools: Sendable {
    /// How many exchanges they can carry at once.
    let capacity: Int
    private let pools: [ConnectionPool]
    /// How many event loops share the work.
    var loops: Int { pools.count }

    /// For one request an event loop works about three times as long as the caller. More than three loops would be
    /// idle.
    private static let mostPools = 3

    /// - Parameters:
    ///   - maxInFlight: How many exchanges may be in flight at once, at least 1. `http` allows 32 at most.
    ///   - cores: How many loops can run at the same time.
    ///   - idleLimit: Replaces the default of the endpoint's scheme.
    ///   - beat: Replaces the default, which is a part of the timeout.
    init(
        to endpoint: Endpoint, proxies: ProxySettings = .none, security: NIOSSLContext?, timeout: Duration,
        maxInFlight: Int,
        cores: Int = System.coreCount, idleLimit: TimeAmount? = nil, beat: TimeAmount? = nil,
        mayWrite: (@Sendable () -> Bool)? = nil, logger: Logger
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
                to: endpoint, version: endpoint.version, proxies: proxies, security: security, timeout: timeout,
                maxInFlight: min(share, maxInFlight - first), idleLimit: idleLimit, beat: beat, mayWrite: mayWrite,
                logger: logger)
        }
        capacity = pools.reduce(0) { $0 + $1.capacity }
    }

    /// Opens a connection if there is none for new exchanges. Failures are not reported.
    func prepare() async {
        if !pools.contains(where: \.isReady) { await pools.first?.prepare() }
    }

    /// Carries calls. Each one is answered once, on any thread.
    func start(_ attempts: [Attempt]) {
        var rest = attempts[...]
        // A pool without a connection may never get one, so pools that have one come first.
        var order = pools
        _ = order.partition { !$0.isReady }
        for pool in order where !rest.isEmpty {
            let taken = rest.prefix(max(0, pool.room))
            if !taken.isEmpty { pool.start(taken) }
            rest = rest.dropFirst(taken.count)
        }
        // If all pools are full, the rest waits in the first one.
        if !rest.isEmpty { order.first?.start(rest) }
    }

    /// Ends the exchanges that wait for a connection, and takes no more.
    func withdraw() async { for pool in pools { await pool.withdraw() } }

    func shutdown() async {
        await withTaskGroup(of: Void.self) { group in
            for pool in pools { group.addTask { await pool.shutdown() } }
        }
    }

    var openConnections: Int {
        get async {
            var count = 0
            for pool in pools { count += await pool.openConnections }
            return count
        }
    }
}
