import Foundation
import HeraldTestSupport
import Testing

@testable import Lives

/// docs/explanation/promises.md#promises in random lives of a workspace. `make lives` lives many more of them.
@Suite struct LifeTests {
    @Test(arguments: [1...10, 11...20, 21...30, 31...40] as [ClosedRange<UInt64>])
    func `a random life keeps every promise`(_ seeds: ClosedRange<UInt64>) {
        var findings = 0
        // Each takes a while to be told shortly, and one is enough.
        for seed in seeds where findings < 1 {
            guard let finding = Life.check(seed) else { continue }
            findings += 1
            Issue.record("\(finding.text)")
        }
    }

    /// Else nobody could look for the cause of what one finds.
    @Test func `the same seed gives the same life`() {
        // Of no other test: lives of one seed share a folder.
        let seed: UInt64 = 4_000_017
        let story = Life.story(of: seed)
        #expect(story.count > 3)
        #expect(Life.story(of: seed) == story)
    }

    /// Else many of them would fill the memory.
    @Test(arguments: 4_000_018...4_000_021 as ClosedRange<UInt64>)
    func `a life ends with its folder`(_ seed: UInt64) {
        let folder = LifeFolder.path(of: seed)
        _ = Life.check(seed, isShrunk: false)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(.enabled(if: Torture.seconds != nil))
    func `torture by random lives`() {
        var torture = Torture(share: 0.1)
        while let seed = torture.nextSeed() {
            if let finding = Life.check(seed) { Issue.record("\(Torture.replay(seed)): \(finding.text)") }
        }
        print("\(torture.worlds) random lives")
    }
}
