import HeraldTestSupport
import Testing

/// Random lives of a campaign in stages. What fails names its seed.
struct StageLifeTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a stage opens only after the one before was well, and everybody gets it once`(_ seed: UInt64) async throws {
        var life = StageLife(seed: seed)
        try await life.live(runs: 25)
        #expect(life.violations.isEmpty, "seed \(seed)")
    }

    /// Not in a normal test run, which lives some of them.
    @Test(.enabled(if: Torture.seconds != nil, "make torture"))
    func `torture by lives in stages`() async throws {
        var torture = Torture(share: 0.05)
        while let seed = torture.nextSeed() {
            var life = StageLife(seed: seed)
            try await life.live(runs: 25)
            if !life.violations.isEmpty { Issue.record("\(Torture.replay(seed)): \(life.violations)") }
        }
        print("\(torture.worlds) lives in stages")
    }
}
