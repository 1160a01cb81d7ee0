import Foundation

/// What `make torture` asks of randomized tests: how long to run and the first seed, or one world to reproduce.
package struct Torture {
    private static let environment = ProcessInfo.processInfo.environment

    /// `TORTURE_SECONDS`, for all such tests together; absent in normal test runs.
    package static let seconds = environment["TORTURE_SECONDS"].flatMap(Double.init)
    /// `TORTURE_SEED`: the seed of the first world.
    private static let firstSeed = environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
    /// `TORTURE_CASE`: the only case to run, of the only world.
    package static let onlyCase = environment["TORTURE_CASE"].flatMap { Int($0) }
    /// `TORTURE_CALL`: the call that fails in that case. The number of calls varies a little from run to run.
    package static let onlyCall = environment["TORTURE_CALL"].flatMap { Int($0) }

    /// `TORTURE_LEASE_SPEED`: how many times earlier than in earnest leases end. With 1 they last as long as they do for
    /// users, and each fault takes a minute.
    package static let leaseSpeed = environment["TORTURE_LEASE_SPEED"].flatMap { Int($0) }

    private let end: ContinuousClock.Instant
    private var seed: UInt64
    package private(set) var worlds = 0

    /// - Parameter share: The part of the time for all tests that this test gets.
    package init(share: Double) {
        end = .now + .seconds((Self.seconds ?? 0) * share)
        seed = Self.firstSeed
    }

    /// The next world's seed; `nil` when the time is over. There is always a first one.
    package mutating func nextSeed() -> UInt64? {
        guard worlds == 0 || Self.onlyCase == nil && ContinuousClock.now < end else { return nil }
        defer { (seed, worlds) = (seed + 1, worlds + 1) }
        return seed
    }

    /// The command that reproduces a world.
    package static func replay(_ seed: UInt64, case number: Int = 0, call: Int = 0) -> String {
        "make torture TORTURE_SEED=\(seed) TORTURE_CASE=\(number) TORTURE_CALL=\(call)"
    }
}
