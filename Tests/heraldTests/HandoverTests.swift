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
}
