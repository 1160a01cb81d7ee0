import Foundation
import HeraldCore
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldStore

/// When a process ends, libraries clean up what they keep for each thread. So no thread of a run may still be ending
/// then.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct ThreadEndTests {
    /// Makes threads end slowly, and counts those that have ended.
    private enum SlowEnd {
        static let ended = Atomic(0)

        private static let key = {
            var key = pthread_key_t()
            // Called when a thread that has marked itself ends.
            pthread_key_create(&key) { _ in
                usleep(200_000)
                SlowEnd.ended.add(1, ordering: .sequentiallyConsistent)
            }
            return key
        }()

        static func mark() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
    }

    /// Each thread that asks for the time ends slowly.
    private static var times: LeaseTimes {
        var times = LeaseTimes()
        (times.reading, times.renewal) = (.milliseconds(20), .milliseconds(20))
        times.now = {
            SlowEnd.mark()
            return .now
        }
        return times
    }

    private let server: PostgresServer
    private let before: Int

    init() async throws {
        server = try PostgresTestServer.newSchema()
        _ = try await PostgresStore.create(server, identity: OpenStore.identity)
        before = SlowEnd.ended.load(ordering: .sequentiallyConsistent)
    }

    /// A lease whose thread has marked itself.
    private func lease() async throws -> RunLease {
        let lease = try await RunLease.take(server, run: "run", Self.times)
        let (first, begin) = (lease.deadline, ContinuousClock.now)
        while lease.deadline == first {
            try #require(ContinuousClock.now - begin < .seconds(60), "it is not renewed")
            try await Task.sleep(for: .milliseconds(10))
        }
        return lease
    }

    /// Other threads that asked for the time may end, too.
    private var ended: Int { SlowEnd.ended.load(ordering: .sequentiallyConsistent) - before }

    @Test func `when a lease is given back, its thread is gone`() async throws {
        let lease = try await lease()
        await lease.release()
        #expect(ended >= 1)
        // Nobody waits a second time.
        await lease.release()
    }

    @Test func `everybody who gives a lease back waits for its thread`() async throws {
        let lease = try await lease()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await lease.release()
                    return ended
                }
            }
            for await count in group { #expect(count >= 1) }
        }
    }

    @Test func `when a process leaves its crew, its thread is gone`() async throws {
        let crew = try await PostgresCrew.join(server, project: "tide-app", endpoint: .emulator, times: Self.times)
        await crew.disband()
        #expect(ended >= 1)
        await crew.disband()
    }

    @Test func `when a conductor dismisses its crew, its thread is gone`() async throws {
        let lease = try await lease()
        let crew = try #require(try await lease.gather(rate: .unlimited))
        await crew.disband()
        #expect(ended >= 1)
        await lease.release()
        #expect(ended >= 2)
    }

    @Test func `the thread of a process that the others take for dead is waited for, too`() async throws {
        let crew = try await PostgresCrew.join(server, project: "tide-app", endpoint: .emulator, times: Self.times)
        crew.board.withState { $0.isLost = true }
        await crew.disband()
        #expect(ended >= 1)
    }
}
