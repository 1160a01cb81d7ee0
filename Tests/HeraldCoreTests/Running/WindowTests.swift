import HeraldTestSupport
import Testing

@testable import HeraldCore

/// How many requests are in flight at once, against servers in simulated time.
@Suite struct WindowTests {
    private func note(_ window: inout Window, _ outcome: Window.Outcome, _ latency: Duration = .milliseconds(50)) {
        window.note(outcome, after: latency, serial: window.start(), isFull: true)
    }

    @Test(arguments: [1, 3, 16, 100, 1000])
    func `it begins small and reaches its cap when all is well`(cap: Int) {
        var window = Window(cap: cap)
        #expect(window.limit == min(cap, 16))
        for _ in 0..<cap { note(&window, .answered) }
        #expect(window.limit == cap)
        for _ in 0..<1000 { note(&window, .answered) }
        #expect(window.limit == cap)
    }

    @Test func `it does not grow while something else keeps requests from starting`() {
        var window = Window(cap: 1000)
        for _ in 0..<500 {
            window.note(.answered, after: .milliseconds(50), serial: window.start(), isFull: false)
        }
        #expect(window.limit == 16)
    }

    @Test func `denials of one round halve it once`() {
        var window = Window(cap: 1000)
        for _ in 0..<1000 { note(&window, .answered) }
        let round = (0..<1000).map { _ in window.start() }
        for serial in round { window.note(.deferred, after: .milliseconds(50), serial: serial, isFull: true) }
        #expect(window.limit == 500)
        note(&window, .deferred)
        #expect(window.limit == 250)
        for _ in 0..<20 { note(&window, .deferred) }
        #expect(window.limit == 1)
    }

    @Test func `it recovers, more slowly than it grew`() {
        var window = Window(cap: 1000)
        for _ in 0..<1000 { note(&window, .answered) }
        note(&window, .deferred)
        for _ in 0..<500 { note(&window, .answered) }
        #expect((520...600).contains(window.limit))
        for _ in 0..<20_000 { note(&window, .answered) }
        #expect(window.limit == 1000)
    }

    @Test(arguments: [(Window.Outcome.answered, 88), (.deferred, 50)])
    func `losses shrink it a lot, also where the server was slow or refused just before`(
        _ outcome: Window.Outcome, _ limit: Int
    ) {
        var window = Window(cap: 100)
        for _ in 0..<100 { note(&window, .answered) }
        let round = (0..<100).map { _ in window.start() }
        window.note(outcome, after: .seconds(1), serial: round[0], isFull: true)
        #expect(window.limit == limit)
        for serial in round.dropFirst() { window.note(.lost, after: .seconds(15), serial: serial, isFull: true) }
        #expect(window.limit == limit / 8)
        #expect(window.lostRounds == 1)
    }

    /// A server that goes silent makes little more unknown than what was in flight.
    @Test(arguments: [1, 8, 100, 1000])
    func `rounds of losses are counted and each is much smaller than the one before`(cap: Int) {
        var window = Window(cap: cap)
        for _ in 0..<cap { note(&window, .answered) }
        var lost = 0
        while window.lostRounds < 5 {
            let round = (0..<window.limit).map { _ in window.start() }
            lost += round.count
            for serial in round { window.note(.lost, after: .seconds(15), serial: serial, isFull: true) }
        }
        #expect(lost <= cap + cap / 7 + 5)
        note(&window, .answered)
        #expect(window.lostRounds == 0)
    }

    /// A server that works on this many requests at once and lets the others wait.
    @Test(arguments: [(20, 100), (100, 100), (400, 20)])
    func `it stays near what the server works on at once`(workers: Int, milliseconds: Int) {
        var window = Window(cap: 5000)
        for _ in 0..<60 {
            let round = (0..<window.limit).map { _ in window.start() }
            for (place, serial) in round.enumerated() {
                let waits = place / workers
                window.note(.answered, after: .milliseconds(milliseconds * (1 + waits)), serial: serial, isFull: true)
            }
        }
        // The window tolerates twice the shortest latency, or 50 ms more.
        let tolerated = max(2.0, 1 + 50 / Double(milliseconds))
        #expect(window.limit >= workers)
        #expect(Double(window.limit) <= Double(workers) * tolerated * 3)
    }

    @Test func `an answer that tells nothing halves it and counts as a lost round, until one tells something`() {
        var window = Window(cap: 100)
        for round in 1...3 {
            window.note(.open, after: .seconds(1), serial: window.start(), isFull: true)
            #expect(window.limit == Window.start >> round && window.lostRounds == round)
        }
        window.note(.answered, after: .seconds(1), serial: window.start(), isFull: false)
        #expect(window.limit == 2 && window.lostRounds == 0)
    }

    @Test(arguments: 0..<100)
    func `whatever happens it is from 1 to its cap`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let cap = Int.random(in: 1...1000, using: &random)
        var window = Window(cap: cap)
        var underWay: [Int] = []
        for _ in 0..<3000 {
            if underWay.count < window.limit { underWay.append(window.start()) }
            guard Bool.random(using: &random), !underWay.isEmpty else { continue }
            let serial = underWay.remove(at: Int.random(in: underWay.indices, using: &random))
            let outcome = Window.Outcome.allCases.randomElement(using: &random) ?? .answered
            window.note(
                outcome, after: .milliseconds(Int.random(in: 0...20_000, using: &random)), serial: serial,
                isFull: Bool.random(using: &random))
            #expect((1...cap).contains(window.limit), "seed \(seed)")
        }
    }
}
