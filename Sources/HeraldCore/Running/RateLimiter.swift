/// Says how many requests may start now. It holds no clock and never sleeps.
///
/// Starts are spread evenly. A caller that comes late may catch up by at most `catchUp`. The limiter also keeps the
/// times of the last starts, so that no sliding second has more starts than the rate, whatever the caller does.
package struct RateLimiter: Sendable {
    /// How far behind schedule a caller may be and still catch up.
    private static let catchUp: Duration = .milliseconds(20)

    private var rate: Rate
    private let ramp: Duration
    /// When the ramp began: at the first start, unless it began elsewhere.
    private(set) var begin: Duration?
    /// How many starts the even spacing has used. The next one is due when `allowance` reaches this number.
    private var given = 0.0
    private var pausedUntil: Duration = .zero
    /// The times of the last starts, as a ring: `limit` of them, or more after the rate fell.
    private var starts: [Duration] = []
    private var oldest = 0

    /// - Parameter ramp: how long the rate grows linearly from 0, counted from the first request.
    package init(_ rate: Rate, ramp: Duration = .zero) {
        self.rate = rate
        self.ramp = ramp
    }

    /// Goes on where other processes are.
    ///
    /// - Parameters:
    ///   - begin: when the ramp began.
    ///   - earlier: what this process started by before. Its last starts count.
    package init(_ rate: Rate, ramp: Duration, begin: Duration, after earlier: RateLimiter?) {
        self.init(rate, ramp: ramp)
        self.begin = begin
        starts = earlier?.ordered ?? []
    }

    /// From now on another rate holds. The starts of the last second count for it too.
    package mutating func change(to other: Rate, at now: Duration) {
        guard other != rate else { return }
        let elapsed = now - (begin ?? now) - Self.catchUp
        if case .limited(let old) = rate, case .limited(let new) = other {
            let lead = max(0, given - allowance(at: elapsed, old))
            given = allowance(at: elapsed, new) + lead * Double(new) / Double(old)
        }
        starts = ordered.filter { now - $0 < .seconds(1) }
        (rate, oldest) = (other, 0)
    }

    /// The times of the last starts, oldest first.
    private var ordered: [Duration] { Array(starts[oldest...] + starts[..<oldest]) }

    /// Lets nothing start before that time.
    package mutating func pause(until instant: Duration) { pausedUntil = max(pausedUntil, instant) }

    /// Takes up to `wanted` starts. When it gives none, `wait` says how long to wait before asking again.
    ///
    /// - Parameter now: time since any fixed instant; never decreases.
    package mutating func reserve(_ wanted: Int, at now: Duration) -> (granted: Int, wait: Duration) {
        var granted = 0
        while granted < wanted {
            let wait = wait(at: now)
            guard wait == .zero else { return (granted, granted == 0 ? wait : .zero) }
            take(at: now)
            granted += 1
        }
        return (granted, .zero)
    }

    /// Whether it is as good as new: no start of its last second counts any more.
    func isRested(at now: Duration) -> Bool { starts.allSatisfy { now - $0 >= .seconds(1) } }

    /// How many starts are worth waiting for: a few milliseconds' worth, so that the caller does not wake for each
    /// start.
    package var block: Int {
        if case .limited(let limit) = rate {
            max(1, Int((Double(limit) * Self.minimumWait.seconds).rounded(.down)))
        } else {
            .max
        }
    }

    /// The shortest useful wait. `catchUp` makes up for the delay it causes.
    static let minimumWait: Duration = .milliseconds(4)

    /// The most that can start in one instant.
    package var largestBatch: Int { if case .limited(let limit) = rate { limit } else { .max } }

    /// How long until that many starts are allowed together, as one request. They need not be spread among themselves:
    /// the start after them waits for all of them.
    ///
    /// - Parameter count: at most `largestBatch`.
    func wait(at now: Duration, for count: Int = 1) -> Duration {
        if now < pausedUntil { return pausedUntil - now }
        guard case .limited(let limit) = rate else { return .zero }
        let begin = begin ?? now
        let due = max(given, allowance(at: now - begin - Self.catchUp, limit))
        let earliest = max(begin + instant(of: due, limit), windowOpens(limit, for: count))
        return max(earliest - now, .zero)
    }

    /// Takes one start. `wait` must have allowed it.
    mutating func take(at now: Duration) {
        guard case .limited(let limit) = rate else { return }
        let begin = self.begin ?? now
        self.begin = begin
        given = max(given, allowance(at: now - begin - Self.catchUp, limit)) + 1
        if starts.count < limit {
            starts.append(now)
        } else {
            starts[oldest] = now
            oldest = (oldest + 1) % starts.count
        }
    }

    /// The last `count` starts were delayed and happen only now.
    mutating func postpone(_ count: Int, to now: Duration) {
        let count = min(count, starts.count)
        for back in 1..<(count + 1) {
            starts[(oldest - back + 2 * starts.count) % starts.count] = now
        }
    }

    /// The time from which that many more starts keep the sliding second within the limit.
    private func windowOpens(_ limit: Int, for count: Int) -> Duration {
        let leaving = starts.count + count - limit
        return leaving <= 0 ? .zero : starts[(oldest + leaving - 1) % starts.count] + .seconds(1)
    }

    /// How many starts the rate allows until that long after the first. During the ramp this is the area of a triangle.
    private func allowance(at elapsed: Duration, _ limit: Int) -> Double {
        let (elapsed, ramp, limit) = (max(0, elapsed.seconds), ramp.seconds, Double(limit))
        return elapsed < ramp ? limit * elapsed * elapsed / (2 * ramp) : limit * (elapsed - ramp / 2)
    }

    /// How long after the first start the allowance reaches that number. The inverse of `allowance`.
    private func instant(of starts: Double, _ limit: Int) -> Duration {
        let (ramp, limit) = (ramp.seconds, Double(limit))
        let seconds =
            starts < limit * ramp / 2 ? (2 * starts * ramp / limit).squareRoot() : starts / limit + ramp / 2
        return .nanoseconds(Int64((seconds * 1e9).rounded(.up)))
    }
}
