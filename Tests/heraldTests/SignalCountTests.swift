import Foundation
import Testing

@testable import HeraldCommands

@Suite struct SignalCountTests {
    @Test func `counts signals, whichever they are, and remembers the first`() {
        var count = SignalCount()
        #expect((count.first, count.number) == (0, 0))
        #expect(count.receive(SIGINT, at: .seconds(5)) == 1)
        #expect(count.receive(SIGTERM, at: .seconds(6)) == 2)
        #expect(count.receive(SIGINT, at: .seconds(7)) == 3)
        #expect((count.first, count.number) == (SIGINT, 3))
    }

    @Test func `one that is told twice at once is one`() {
        var count = SignalCount()
        #expect(count.receive(SIGTERM, at: .zero) == 1)
        #expect(count.receive(SIGTERM, at: .milliseconds(1)) == nil)
        #expect(count.receive(SIGTERM, at: .milliseconds(99)) == nil)
        #expect(count.number == 1)
        #expect(count.receive(SIGTERM, at: .milliseconds(199)) == 2)
    }
}
