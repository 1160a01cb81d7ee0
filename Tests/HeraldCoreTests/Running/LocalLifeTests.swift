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
}
