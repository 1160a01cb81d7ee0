import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// How long requests of a run that lost the lease may still arrive.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct TakeOverTests {
    private let server: PostgresServer

    init() async throws {
        server = try PostgresTestServer.newSchema()
        _ = try await PostgresStore.create(server, identity: OpenStore.identity)
    }

    private static func times(length: Duration, timeout: Duration = .seconds(40)) -> LeaseTimes {
        var times = LeaseTimes()
        (times.length, times.renewal, times.margin) = (length, .milliseconds(200), .milliseconds(50))
        times.timeout = timeout
        return times
    }

    private func rest(_ lease: RunLease) -> Double? {
        lease.resendTime.map { ContinuousClock.now.duration(to: $0).seconds }
    }

    @Test func `after a lease that was given back there is nothing to wait for`() async throws {
        await (try await RunLease.take(server, run: "first", Self.times(length: .seconds(20)))).release()
        let next = try await RunLease.take(server, run: "second", Self.times(length: .seconds(20)))
        #expect(next.resendTime == nil)
        await next.release()
    }

    @Test func `after unlock they may arrive until the old lease would have ended, and the timeout after that`()
        async throws
    {
        let first = try await RunLease.take(server, run: "first", Self.times(length: .seconds(20)))
        #expect(try await RunLease.end("first", on: server))
        let second = try await RunLease.take(
            server, run: "second", Self.times(length: .seconds(20), timeout: .seconds(1)))
        let wait = try #require(rest(second))
        #expect((50...60).contains(wait), "\(wait)")
        await second.release()
        // A person who comes later is told the same, and a second unlock makes it no shorter.
        let third = try await RunLease.take(server, run: "third", Self.times(length: .seconds(1), timeout: .zero))
        #expect(try await RunLease.end("third", on: server))
        let fourth = try await RunLease.take(server, run: "fourth", Self.times(length: .seconds(20)))
        #expect((40...60).contains(try #require(rest(fourth))))
        for lease in [first, third, fourth] { await lease.release() }
    }

    @Test func `after a lease that ran out they may arrive for the timeout`() async throws {
        // Its thread never renews: the process is gone.
        var dead = Self.times(length: .milliseconds(300), timeout: .seconds(40))
        dead.renewal = .seconds(600)
        _ = try await RunLease.take(server, run: "first", dead)
        let begin = ContinuousClock.now
        var next: RunLease?
        while next == nil {
            try #require(ContinuousClock.now - begin < .seconds(60))
            do { next = try await RunLease.take(server, run: "second", Self.times(length: .seconds(20))) } catch {
                guard case StateError.locked = error else { throw error }
            }
        }
        let lease = try #require(next)
        #expect((30...40).contains(try #require(rest(lease))))
        await lease.release()
    }

    /// Nobody else has it yet.
    @Test func `after a lease that was lost they may arrive as long as after unlock, also if it is given back`()
        async throws
    {
        let slept = Switch()
        var times = Self.times(length: .seconds(20))
        times.now = { ContinuousClock.now + (slept.isOn ? Duration.seconds(60) : .zero) }
        let first = try await RunLease.take(server, run: "first", times)
        slept.turnOn()
        #expect(!first.holds)
        await first.release()
        let next = try await RunLease.take(server, run: "second", Self.times(length: .seconds(20)))
        #expect((50...60).contains(try #require(rest(next))))
        await next.release()
    }
}
