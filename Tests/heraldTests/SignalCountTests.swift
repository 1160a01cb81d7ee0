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

    /// `run --every`: what began before the signal may last longer than the interval.
    @Test func `after a signal nothing is done again`() async throws {
        let signals = Signals()
        var times = 0
        let end = await #expect(throws: CommandFailure.self) {
            try await signals.repeating(every: .zero) {
                times += 1
                signals.receive(SIGTERM)
            }
        }
        #expect(end?.status == .interrupted(signal: SIGTERM))
        #expect(times == 1)
    }
}
