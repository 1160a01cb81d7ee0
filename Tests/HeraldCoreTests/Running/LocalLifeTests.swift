import HeraldTestSupport
import Testing

/// Random lives of a campaign in local time. What fails names its seed.
struct LocalLifeTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `everybody gets each occurrence once, and nobody early`(_ seed: UInt64) async throws {
        var life = try LocalLife(seed: seed)
        try await life.live(runs: 25)
        #expect(life.violations.isEmpty, "seed \(seed)")
        #expect(life.sent > 0, "seed \(seed)")
    }

    /// Not in a normal test run, which lives some of them.
    @Test(.enabled(if: Torture.seconds != nil, "make torture"))
    func `torture by lives in local time`() async throws {
        var torture = Torture(share: 0.05)
        while let seed = torture.nextSeed() {
            var life = try LocalLife(seed: seed)
            try await life.live(runs: 25)
            if !life.violations.isEmpty { Issue.record("\(Torture.replay(seed)): \(life.violations)") }
        }
        print("\(torture.worlds) lives in local time")
    }
}
