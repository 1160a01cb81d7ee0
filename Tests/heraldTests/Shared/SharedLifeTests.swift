import HeraldTestSupport
import Testing

@testable import Lives

/// docs/explanation/promises.md#promises in random lives whose state is on a server that fails over, often to a standby that
/// lags behind.
@Suite(.serialized, .enabled(if: PostgresTestServer.isInstalled)) struct SharedLifeTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a random life on servers that fail over keeps every promise`(_ seed: UInt64) async throws {
        if let finding = try await Life.checkShared(seed) { Issue.record("\(finding.text)") }
    }

    @Test(.enabled(if: Torture.seconds != nil))
    func `torture by random lives on servers that fail over`() async throws {
        var torture = Torture(share: 0.1)
        while let seed = torture.nextSeed() {
            if let finding = try await Life.checkShared(seed) {
                Issue.record("\(Torture.replay(seed)): \(finding.text)")
            }
        }
        print("\(torture.worlds) random lives on servers")
    }
}
