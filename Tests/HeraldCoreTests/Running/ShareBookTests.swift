import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Shares of a rate move between processes that join, leave and die, and no sliding second has more starts than the rate.
@Suite struct ShareBookTests {
    /// A process as it sees itself: what it read last, and what it started. It starts as many at once as its last second
    /// allows, because shares must not depend on even spacing.
    private struct Process {
        let holder: String
        var recent: [Duration] = []
        /// Its holding as it was read, and when.
        var read: (holding: ShareHolding, at: Duration)?
        /// What its sending thread uses.
        var inUse = Share.none
        var lastAct = Duration.zero
        /// When it stops without a word.
        var dies: Duration
    }

    /// The table that they share, and the time of the database.
    private struct World {
        var random: SeededRandom
        let rate: Int
        var now = Duration.zero
        var holdings: [ShareHolding] = []
        /// By holder: when a growing share may be used, and when the process is taken for dead.
        var usable: [String: Duration] = [:]
        var ends: [String: Duration] = [:]
        var processes: [Process] = []
        var starts: [Duration] = []
        var joined = 0

        init(seed: UInt64, rate: Int) {
            random = SeededRandom(seed: seed)
            self.rate = rate
            join(conducts: true)
        }

        mutating func join(conducts: Bool) {
            joined += 1
            var holding = ShareHolding(holder: "\(joined)")
            if conducts { (holding.share, holding.target) = (.whole, .whole) }
            (holding.wants, holding.isConductor) = (true, conducts)
            holdings.append(holding)
            usable[holding.holder] = now
            let life = Duration.milliseconds(Int.random(in: 500...20_000, using: &random))
            processes.append(
                Process(
                    holder: holding.holder, dies: conducts ? .seconds(1000) : now + life))
            ends[holding.holder] = conducts ? .seconds(10_000) : now + life + .milliseconds(100)
        }

        private func holding(_ holder: String) -> ShareHolding? {
            guard var holding = holdings.first(where: { $0.holder == holder }) else { return nil }
            holding.wait = (usable[holder] ?? .zero) - now
            return holding
        }

        private mutating func write(_ holding: ShareHolding, grows: Bool) {
            guard let place = holdings.firstIndex(where: { $0.holder == holding.holder }) else { return }
            holdings[place] = holding
            if grows { usable[holding.holder] = now + ShareBook.quarantine }
        }

        /// The conductor's turn: what dead processes had is free, and shares move.
        mutating func conduct() {
            holdings.removeAll { (ends[$0.holder] ?? .zero) <= now }
            for place in holdings.indices where Int.random(in: 0..<20, using: &random) == 0 {
                holdings[place].wants.toggle()
            }
            let current = holdings.compactMap { holding($0.holder) }
            for changed in ShareBook.changes(current, rate: .limited(rate)) {
                let before = current.first { $0.holder == changed.holder }
                write(changed, grows: changed.share > (before?.share ?? .none))
            }
            #expect(holdings.reduce(0) { $0 + $1.share.parts } <= Share.whole.parts)
        }

        /// A process reads, or gives up what it does not use any more.
        mutating func tick(_ place: Int) {
            let process = processes[place]
            if let read = process.read, read.holding.target < read.holding.share, process.inUse <= read.holding.target,
                var holding = holding(process.holder), holding.share == read.holding.share
            {
                holding.giveUp(to: read.holding.target)
                write(holding, grows: false)
            }
            processes[place].read = holding(process.holder).map { ($0, now) }
        }

        /// A process starts what it may, on a reading that may be old.
        mutating func send(_ place: Int) {
            guard let read = processes[place].read, now - read.at < .seconds(1) else { return }
            var holding = read.holding
            holding.wait -= now - read.at
            processes[place].inUse = max(processes[place].inUse, holding.allowed)
            if let rate = holding.allowed.of(.limited(rate)) {
                processes[place].recent.removeAll { now - $0 >= .seconds(1) }
                let room = max(0, rate.limit - processes[place].recent.count)
                let granted = min(Int.random(in: 1...500, using: &random), room)
                processes[place].recent += Array(repeating: now, count: granted)
                starts += Array(repeating: now, count: granted)
            }
            processes[place].inUse = holding.allowed
        }

        mutating func live(for time: Duration) {
            while now < time {
                now += .milliseconds(Int.random(in: 1...9, using: &random))
                if Int.random(in: 0..<60, using: &random) == 0 { conduct() }
                if joined < 12, Int.random(in: 0..<150, using: &random) == 0 { join(conducts: false) }
                for place in processes.indices where processes[place].dies > now {
                    switch Int.random(in: 0..<40, using: &random) {
                    case 0: tick(place)
                    case 1..<30: send(place)
                    default: break
                    }
                }
            }
        }
    }

    private func busiestSecond(_ starts: [Duration]) -> Int {
        var (most, first) = (0, 0)
        for (index, instant) in starts.enumerated() {
            while starts[first] + .seconds(1) <= instant { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test(arguments: [7, 50, 400, 2000], UInt64(0)..<12)
    func `no sliding second has more starts than the rate, whoever joins, leaves and dies`(rate: Int, seed: UInt64) {
        var world = World(seed: seed, rate: rate)
        world.live(for: .seconds(30))
        #expect(busiestSecond(world.starts) <= rate, "seed \(seed)")
        #expect(world.starts.count > rate * 5, "seed \(seed): they get on")
    }

    @Test func `a joiner gets a fair share once the others have given it up, and a second later`() {
        var conductor = ShareHolding(holder: "a")
        (conductor.share, conductor.target, conductor.wants) = (.whole, .whole, true)
        var joiner = ShareHolding(holder: "b")
        joiner.wants = true
        let asked = ShareBook.changes([conductor, joiner], rate: .limited(1000))
        #expect(asked.map(\.holder) == ["a"] && asked[0].target == Share(parts: 2520))
        #expect(asked[0].share == .whole, "it has it until it gives it up")
        conductor = asked[0]
        #expect(ShareBook.changes([conductor, joiner], rate: .limited(1000)).isEmpty, "nothing is free yet")
        conductor.giveUp(to: conductor.target)
        let given = ShareBook.changes([conductor, joiner], rate: .limited(1000))
        #expect(given.map(\.holder) == ["b"] && given[0].share == Share(parts: 2520))
        #expect(given[0].allowed == .none && given[0].wait == .seconds(1))
        joiner = given[0]
        joiner.wait = .zero
        #expect(joiner.allowed == Share(parts: 2520))
        #expect(ShareBook.changes([conductor, joiner], rate: .limited(1000)).isEmpty)
    }

    /// Of 120 starts in a second, 42 parts are one.
    @Test(arguments: [(1, false), (41, false), (42, true)])
    func `nobody gets a share that is rounded to nothing`(free: Int, isGiven: Bool) {
        var (one, other) = (ShareHolding(holder: "a"), ShareHolding(holder: "b"))
        one.share = Share(parts: Share.whole.parts - free)
        (one.target, one.wants, other.wants) = (one.share, true, true)
        let changed = ShareBook.changes([one, other], rate: .limited(120))
        #expect(changed.map(\.holder) == (isGiven ? ["a", "b"] : ["a"]))
        #expect(changed[0].target == Share(parts: 2520), "it is asked to give up the half")
        #expect(changed.dropFirst().allSatisfy { $0.share.of(.limited(120)) == .limited(1) })
    }

    @Test func `what is for one process alone goes to the run as soon as it wants it`() {
        var (run, worker) = (ShareHolding(holder: "a"), ShareHolding(holder: "b"))
        (worker.share, worker.target, worker.wants) = (.whole, .whole, true)
        run.isConductor = true
        #expect(ShareBook.changes([run, worker], rate: .limited(15)).isEmpty)
        run.wants = true
        #expect(ShareBook.changes([run, worker], rate: .limited(15)).map(\.target) == [.none])
        worker.giveUp(to: .none)
        let given = ShareBook.changes([run, worker], rate: .limited(15))
        #expect(given.map(\.holder) == ["a"] && given[0].share == .whole)
    }

    @Test func `nobody gives up what nobody wants, and an unlimited rate needs no shares`() {
        var idle = ShareHolding(holder: "a")
        (idle.share, idle.target) = (.whole, .whole)
        let other = ShareHolding(holder: "b")
        #expect(ShareBook.changes([idle, other], rate: .limited(100)).isEmpty)
        var wanting = other
        wanting.wants = true
        #expect(ShareBook.changes([idle, wanting], rate: .unlimited).isEmpty)
        #expect(ShareBook.changes([idle, wanting], rate: .limited(100)).map(\.target) == [.none])
    }

    @Test(arguments: [(1, 1), (9, 1), (25, 2), (1000, 4)])
    func `a small rate is not cut into pieces that help nobody`(rate: Int, sharers: Int) {
        let holdings = (1...4).map { number in
            var holding = ShareHolding(holder: "\(number)")
            holding.wants = true
            return holding
        }
        let given = ShareBook.changes(holdings, rate: .limited(rate))
        #expect(given.count == sharers)
        #expect(given.allSatisfy { $0.share.of(.limited(rate)) != nil })
    }
}

extension Rate {
    fileprivate var limit: Int { if case .limited(let limit) = self { limit } else { .max } }
}
