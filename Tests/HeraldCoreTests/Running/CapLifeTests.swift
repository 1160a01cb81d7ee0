import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct CapLifeTests {
    @Test(arguments: 0..<60)
    func `whatever happens, nobody gets more than a cap allows`(_ seed: UInt64) async throws {
        var life = CapLife(seed: seed)
        try await life.live(runs: 40)
        #expect(life.violations == [], "seed \(seed)")
        #expect(life.sent > 0, "seed \(seed)")
    }

    @Test func `these lives are full of caps that stop somebody`() async throws {
        var (sent, capped) = (0, 0)
        for seed in 1000..<1010 {
            var life = CapLife(seed: UInt64(seed))
            try await life.live(runs: 40)
            (sent, capped) = (sent + life.sent, capped + life.capped)
        }
        #expect(sent > 200 && capped > 200, "\(sent) sent, \(capped) capped")
    }

    /// Not in a normal test run, which lives some of them.
    @Test(.enabled(if: Torture.seconds != nil, "make torture"))
    func `torture by lives under caps`() async throws {
        var torture = Torture(share: 0.05)
        while let seed = torture.nextSeed() {
            var life = CapLife(seed: seed)
            try await life.live(runs: 40)
            if !life.violations.isEmpty { Issue.record("\(Torture.replay(seed)): \(life.violations)") }
        }
        print("\(torture.worlds) lives under caps")
    }
}
