import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// docs/promises.md#promises in random lives of a workspace. `LIVES` and `LIVES_SEED` ask for more of them; `make lives`
/// does that with an optimised build.
@Suite struct LifeTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["LIVES"].flatMap { UInt64($0) } ?? 1_000
    private static let first = environment["LIVES_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `a random life keeps every promise`() {
        var (lives, failures) = (0, 0)
        for seed in Self.first..<Self.first + Self.count {
            lives += 1
            guard let finding = Life.check(seed) else { continue }
            failures += 1
            Issue.record("\(finding.text)")
            if failures == 10 { break }
        }
        if Self.environment["LIVES"] != nil { print("\(lives) lives, \(failures) of them broke a promise") }
    }

    @Test func `the same seed gives the same life`() {
        for seed in 1...5 as ClosedRange<UInt64> { #expect(Life.check(seed)?.text == Life.check(seed)?.text) }
    }
}
