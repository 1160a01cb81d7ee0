import HeraldStore
import HeraldTestSupport

@testable import HeraldCore

/// The database of a life whose state is in PostgreSQL: a server, and another one that follows it without making it wait.
/// It belongs to the thread of its life.
final class LifeServer {
    private var primary: PostgresCluster
    private var standby: PostgresCluster
    /// Whether the standby receives nothing more, so that it lacks what is committed from now on.
    private(set) var lags = false

    init() async throws {
        primary = try await PostgresCluster()
        standby = try await PostgresCluster(following: primary)
    }

    var address: String { primary.address() }

    func lag() async throws {
        guard !lags else { return }
        try await primary.await(standby)
        try await standby.stopFollowing()
        lags = true
    }

    /// The primary dies, and its standby takes its place with what it has.
    func failOver() async throws {
        if !lags { try await primary.await(standby) }
        try await primary.stop()
        try await standby.promote()
        primary = standby
        standby = try await PostgresCluster(following: primary)
        lags = false
    }

    func end() async throws {
        try await standby.stop()
        try await primary.stop()
    }
}

/// The lock of a life's state. Nobody helps a life's run to send.
struct LifeLock: StateLock {
    let inner: any StateLock
    let time: SimulatedTime

    func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        time.enterOutside()
        defer { time.leaveOutside() }
        return try await inner.hold {
            time.leaveOutside()
            defer { time.enterOutside() }
            return try await body()
        }
    }

    var mayWrite: (@Sendable () -> Bool)? { inner.mayWrite }
    var resendTime: ContinuousClock.Instant? { inner.resendTime }
}
