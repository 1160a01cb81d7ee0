import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct RateLimiterTests {
    /// How a caller asks for starts.
    enum Caller: String, CaseIterable, Sendable {
        /// Waits exactly as long as it is told.
        case diligent
        /// Comes back later than told, sometimes much later.
        case late
        /// Comes back too early.
        case early
        /// Asks for more than it can get, at every instant.
        case greedy

        func pause(_ wait: Duration, using random: inout SeededRandom) -> Duration {
            switch self {
            case .diligent: wait
            case .late:
                wait
                    + .milliseconds(
                        Int.random(in: 0..<10, using: &random) == 0 ? 700 : Int.random(in: 0...40, using: &random))
            case .early: wait * Double.random(in: 0.1...1, using: &random) + .nanoseconds(1)
            case .greedy: .microseconds(Int.random(in: 1...2000, using: &random))
            }
        }
    }

    /// The instants of all starts that a caller gets within this time.
    private func starts(
        _ limiter: RateLimiter, _ caller: Caller, for time: Duration, using random: inout SeededRandom
    ) -> [Duration] {
        var limiter = limiter
        var now = Duration.zero
        var starts: [Duration] = []
        while now < time {
            let wanted = caller == .greedy ? 10_000 : Int.random(in: 1...64, using: &random)
            let (granted, wait) = limiter.reserve(wanted, at: now)
            starts += Array(repeating: now, count: granted)
            if granted == 0 || caller == .late || caller == .greedy { now += caller.pause(wait, using: &random) }
        }
        return starts
    }

    /// The most starts in any sliding second, which includes its first instant and not its last.
    private func busiestSecond(_ starts: [Duration]) -> Int {
        var (most, first) = (0, 0)
        for (index, instant) in starts.enumerated() {
            while starts[first] + .seconds(1) <= instant { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test(arguments: Caller.allCases, [1, 7, 100, 2000])
    func `grants no more than the rate in any sliding second`(to caller: Caller, rate: Int) {
        for seed in UInt64(0)..<4 {
            var random = SeededRandom(seed: seed)
            let ramp = Duration.seconds(seed % 2 == 0 ? 0 : 2)
            let starts = starts(RateLimiter(.limited(rate), ramp: ramp), caller, for: .seconds(5), using: &random)
            #expect(busiestSecond(starts) <= rate, "seed \(seed)")
            #expect(!starts.isEmpty, "seed \(seed)")
        }
    }

    /// Starts in batches, some delayed by a commit, and single starts between them, from one rate budget.
    @Test(arguments: [1, 7, 100, 3000], [nil, 3, 50] as [Int?])
    func `batches are whole and within the rate of any sliding second`(rate: Int, own: Int?) {
        for seed in UInt64(0)..<6 {
            var random = SeededRandom(seed: seed)
            var shared = RateLimiter(.limited(rate))
            var limiter = own.map { RateLimiter(.limited($0)) }
            let budget = RateBudget()
            let largest = min(rate, own ?? rate)
            #expect(min(shared.largestBatch, limiter?.largestBatch ?? .max) == largest)
            var now = Duration.zero
            var starts: [Duration] = []
            while now < .seconds(20) {
                let isBatch = Int.random(in: 0..<3, using: &random) > 0
                let count = isBatch ? Int.random(in: 1...largest, using: &random) : 1
                var wait = budget.reserve(batch: count, at: now, from: &shared, &limiter)
                if wait == .zero {
                    // Delayed for a while: it starts only now.
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        now += .milliseconds(Int.random(in: 0...300, using: &random))
                        shared.postpone(count, to: now)
                        limiter?.postpone(count, to: now)
                    }
                    starts += Array(repeating: now, count: count)
                    wait = Int.random(in: 0..<20, using: &random) == 0 ? .milliseconds(1700) : .zero
                }
                now += wait
            }
            #expect(busiestSecond(starts) <= largest, "seed \(seed)")
            #expect(Double(starts.count) >= 0.3 * 20 * Double(largest), "seed \(seed): it gets on")
        }
    }

    @Test(arguments: UInt64(0)..<8)
    func `a rate that changes counts the starts of the second before`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var limit = 500
        var limiter = RateLimiter(.limited(limit), ramp: .seconds(2))
        var starts: [Duration] = []
        var now = Duration.zero
        while now < .seconds(30) {
            now += .milliseconds(Int.random(in: 1...30, using: &random))
            if Int.random(in: 0..<15, using: &random) == 0 {
                limit = [10, 100, 500, 1000].randomElement(using: &random) ?? 1
                limiter.change(to: .limited(limit), at: now)
            }
            let granted = limiter.reserve(Int.random(in: 1...64, using: &random), at: now).granted
            starts += Array(repeating: now, count: granted)
            let last = starts.suffix(2000).count { now - $0 < .seconds(1) }
            if granted > 0 { #expect(last <= limit, "seed \(seed)") }
        }
        #expect(starts.count > 1000, "seed \(seed): it gets on")
    }

    @Test func `batches reach their rate`() {
        var (shared, none) = (RateLimiter(.limited(3000)), RateLimiter?.none)
        let budget = RateBudget()
        var now = Duration.zero
        var count = 0
        while now < .seconds(60) {
            let wait = budget.reserve(batch: 1000, at: now, from: &shared, &none)
            if wait == .zero { count += 1000 }
            now += wait
        }
        #expect((178_000...183_000).contains(count))
    }

    @Test(arguments: [1, 2, 10, 333, 5000])
    func `sustains its rate within two percent for a caller who comes when told`(rate: Int) {
        var random = SeededRandom(seed: 3)
        let seconds = 20
        let starts = starts(RateLimiter(.limited(rate)), .diligent, for: .seconds(seconds), using: &random)
        let wanted = Double(rate * seconds)
        #expect(abs(Double(starts.count) - wanted) <= max(1, wanted * 0.02))
    }

    @Test(arguments: [1, 10, 500, 2000])
    func `grows linearly during the ramp`(rate: Int) {
        var random = SeededRandom(seed: 4)
        let starts = starts(
            RateLimiter(.limited(rate), ramp: .seconds(60)), .diligent, for: .seconds(90), using: &random)
        for second in stride(from: 10, through: 90, by: 10) {
            // The area under a line that rises from 0 to the rate over 60 s and then stays there.
            let ramped = Double(min(second, 60))
            let wanted = Double(rate) * (ramped * ramped / 120 + Double(max(0, second - 60)))
            let had = Double(starts.count { $0 < .seconds(second) })
            #expect(abs(had - wanted) <= max(2, wanted * 0.02), "after \(second) s")
        }
    }

    @Test func `a late caller makes up for twenty milliseconds at most`() {
        var limiter = RateLimiter(.limited(1000))
        _ = limiter.reserve(1, at: .zero)
        // The 20 starts due within the last 20 ms, and the one due now.
        #expect(limiter.reserve(500, at: .seconds(5)).granted == 21)
    }

    @Test func `grants nothing before a pause ends`() {
        var limiter = RateLimiter(.limited(100))
        limiter.pause(until: .seconds(7))
        #expect(limiter.reserve(1, at: .seconds(2)) == (0, .seconds(5)))
        #expect(limiter.reserve(1, at: .seconds(7)).granted == 1)
    }

    @Test func `a shorter pause does not cut a longer one`() {
        var limiter = RateLimiter(.limited(100))
        limiter.pause(until: .seconds(7))
        limiter.pause(until: .seconds(3))
        #expect(limiter.reserve(1, at: .seconds(4)).granted == 0)
    }

    @Test func `an unlimited budget still pauses`() {
        var limiter = RateLimiter(.unlimited)
        #expect(limiter.reserve(1_000_000, at: .zero) == (1_000_000, .zero))
        limiter.pause(until: .seconds(1))
        #expect(limiter.reserve(1, at: .zero) == (0, .seconds(1)))
    }

    @Test func `after the wait it names there is a start`() {
        var limiter = RateLimiter(.limited(7), ramp: .seconds(3))
        var now = Duration.zero
        for _ in 0..<200 {
            let (granted, wait) = limiter.reserve(1, at: now)
            if granted == 1 { continue }
            now += wait
            #expect(limiter.reserve(1, at: now).granted == 1)
        }
    }

    @Test func `starts that were held up count for the second they happen in`() {
        var limiter = RateLimiter(.limited(10))
        var now = Duration.zero
        for _ in 0..<10 {
            now += limiter.reserve(1, at: now).wait
            _ = limiter.reserve(1, at: now)
        }
        limiter.postpone(3, to: .seconds(3))
        var granted = 0
        for step in 0..<1000 { granted += limiter.reserve(10, at: .seconds(3) + .milliseconds(step)).granted }
        #expect(granted == 7)
    }
}

@Suite struct RateBudgetTests {
    @Test func `a campaign's limiter is kept as long as its last starts count`() {
        var context = RunContext.sample()
        for (second, campaign) in ["first", "second", "third"].enumerated() {
            let now = Duration.milliseconds(900 * second)
            context.limit(campaign, to: .limited(1), at: now)
            let granted = context.withLimiters(of: .sends, campaign) {
                RateBudget().reserve(1, at: now, from: &$0, &$1).granted
            }
            #expect(granted == 1)
        }
        #expect(context.campaigns.keys.sorted() == ["second", "third"])
    }

    @Test(arguments: [(500, 10_000), (10_000, 500), (500, 500), (3, 2)])
    func `keeps both rates and reaches the lower one`(own: Int, shared: Int) {
        var limiters = (shared: RateLimiter(.limited(shared)), own: Optional(RateLimiter(.limited(own))))
        let budget = RateBudget()
        var random = SeededRandom(seed: 9)
        var now = Duration.zero
        var starts = 0
        while now < .seconds(20) {
            let wanted = Int.random(in: 1...30, using: &random)
            let (granted, wait) = budget.reserve(wanted, at: now, from: &limiters.shared, &limiters.own)
            starts += granted
            if granted == 0 { now += wait }
        }
        let wanted = Double(20 * min(own, shared))
        #expect(abs(Double(starts) - wanted) <= max(1, wanted * 0.02))
    }

    @Test func `a start that the shared rate refuses costs the own rate nothing`() {
        var (shared, own) = (RateLimiter(.unlimited), Optional(RateLimiter(.limited(1))))
        var budget = RateBudget()
        budget.pause(.init(length: .milliseconds(10)), at: .zero, &shared)
        let early = budget.reserve(1, at: .zero, from: &shared, &own)
        let late = budget.reserve(1, at: .milliseconds(10), from: &shared, &own)
        #expect((early.granted, late.granted) == (0, 1))
    }

    @Test func `a pause holds for the whole budget`() {
        var (shared, own) = (RateLimiter(.limited(100)), Optional(RateLimiter(.limited(50))))
        var budget = RateBudget()
        budget.pause(.init(length: .seconds(4)), at: .zero, &shared)
        let paused = budget.reserve(1, at: .seconds(1), from: &shared, &own)
        #expect(paused == (0, .seconds(3)))
    }
}
