import Foundation
import Testing

@testable import HeraldCommands

@Suite struct HandoverTests {
    @Test(arguments: [(0, 1000), (0.02, 256), (0.5, 16), (0.9, 8)] as [(Double, Int)])
    func `a slow database is told of fewer at once, and so of all`(_ seconds: Double, _ rows: Int) {
        var size = Handover.Size()
        for _ in 1...20 {
            let elapsed = seconds * Double(size.rows)
            #expect(elapsed < 30, "a statement is not given longer")
            size.note(.seconds(elapsed))
        }
        #expect(size.rows == rows)
    }

    /// Deaths are told of under the run and a number, perhaps by several workspaces to one table.
    @Test func `runs that begin in one second have names of their own`() {
        let name = RunRequest(.workspace(PlanScope()), now: { Date(timeIntervalSince1970: 1_800_000_000) }).id
        #expect(name.wholeMatch(of: #/20270115T080000Z-[0-9a-f]{8}/#) != nil, "\(name)")
    }
}
