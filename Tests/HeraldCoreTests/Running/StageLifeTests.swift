import Testing

/// Random lives of a campaign in stages. What fails names its seed.
struct StageLifeTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a stage opens only after the one before was well, and everybody gets it once`(_ seed: UInt64) async throws {
        var life = StageLife(seed: seed)
        try await life.live(runs: 25)
        #expect(life.violations.isEmpty, "seed \(seed)")
    }
}
