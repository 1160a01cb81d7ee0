import Foundation

/// What `make torture` asks of tests that draw worlds: how long, and from which seed on, or one world again.
package struct Torture {
    private static let environment = ProcessInfo.processInfo.environment

    /// `TORTURE_SECONDS`, for all such tests together; absent where nobody asked for torture.
    package static let seconds = environment["TORTURE_SECONDS"].flatMap(Double.init)
    /// `TORTURE_SEED`: the first world's.
    private static let firstSeed = environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? 1
    /// `TORTURE_CASE`: the only case of the only world that is wanted.
    package static let onlyCase = environment["TORTURE_CASE"].flatMap { Int($0) }
    /// `TORTURE_CALL`: which call is to fail in that case. How many there are differs a little from run to run.
    package static let onlyCall = environment["TORTURE_CALL"].flatMap { Int($0) }

    private let end: ContinuousClock.Instant
    private var seed: UInt64
    package private(set) var worlds = 0

    /// - Parameter share: of the time that is there for all tests.
    package init(share: Double) {
        end = .now + .seconds((Self.seconds ?? 0) * share)
        seed = Self.firstSeed
    }

    /// The seed of the next world; `nil` when the time is over. There is always a first one.
    package mutating func nextSeed() -> UInt64? {
        guard worlds == 0 || Self.onlyCase == nil && ContinuousClock.now < end else { return nil }
        defer { (seed, worlds) = (seed + 1, worlds + 1) }
        return seed
    }

    /// The command that makes a world again.
    package static func replay(_ seed: UInt64, case number: Int = 0, call: Int = 0) -> String {
        "make torture TORTURE_SEED=\(seed) TORTURE_CASE=\(number) TORTURE_CALL=\(call)"
    }
}
