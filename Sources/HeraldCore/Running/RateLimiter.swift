/// Says how many requests may start now. It holds no clock and never sleeps.
///
/// Starts are spread evenly; a caller that comes late may make up for at most `catchUp`. Besides, the instants of the
/// last starts are kept, so that in no sliding second there are more than the rate, whatever the caller does.
package struct RateLimiter: Sendable {
    /// How far behind its spacing a lane may be and still make up for it.
    private static let catchUp: Duration = .milliseconds(20)

    private let rate: Rate
    private let ramp: Duration
    private var begin: Duration?
    private var nextSlot: Duration = .zero
    private var pausedUntil: Duration = .zero
    /// The instants of the last `limit` starts, a ring.
    private var starts: [Duration] = []
    private var oldest = 0

    /// - Parameter ramp: the rate grows linearly from 0 over this long, counted from the first request.
    package init(_ rate: Rate, ramp: Duration = .zero) {
        self.rate = rate
        self.ramp = ramp
    }

    /// No start before that instant.
    package mutating func pause(until instant: Duration) { pausedUntil = max(pausedUntil, instant) }

    /// Takes up to `wanted` starts. When it gives none, `wait` says how long to wait before asking again.
    ///
    /// - Parameter now: time since any fixed instant; never decreases.
    package mutating func reserve(_ wanted: Int, at now: Duration) -> (granted: Int, wait: Duration) {
        if now < pausedUntil { return (0, pausedUntil - now) }
        guard case .limited(let limit) = rate else { return (wanted, .zero) }
        let begin = self.begin ?? now
        self.begin = begin
        nextSlot = max(nextSlot, now - Self.catchUp, begin)
        var granted = 0
        while granted < wanted {
            let earliest = max(nextSlot, windowOpens(limit))
            if earliest > now { return (granted, granted == 0 ? earliest - now : .zero) }
            nextSlot = max(nextSlot, earliest) + spacing(at: now - begin, limit)
            note(now, limit)
            granted += 1
        }
        return (granted, .zero)
    }

    /// The instant from which one more start keeps the sliding second within the limit.
    private func windowOpens(_ limit: Int) -> Duration {
        starts.count < limit ? .zero : starts[oldest] + .seconds(1)
    }

    private mutating func note(_ instant: Duration, _ limit: Int) {
        if starts.count < limit {
            starts.append(instant)
        } else {
            starts[oldest] = instant
            oldest = (oldest + 1) % limit
        }
    }

    /// The time between two starts; during the ramp the rate is the share of it that has passed, from one thousandth.
    private func spacing(at elapsed: Duration, _ limit: Int) -> Duration {
        let share = elapsed >= ramp ? 1 : max(elapsed / ramp, 0.001)
        return .nanoseconds(Int64(1e9 / (Double(limit) * share)))
    }
}

/// What one step's requests must respect: the rate of the whole run, and the step's own where it has one.
package struct Lane: Sendable {
    package var shared: RateLimiter
    package var own: RateLimiter?

    package init(shared: RateLimiter, own: RateLimiter? = nil) {
        self.shared = shared
        self.own = own
    }

    package mutating func pause(until instant: Duration) { shared.pause(until: instant) }

    /// As `RateLimiter.reserve`. Starts that only one of the two grants are lost to that one: slower, never faster.
    package mutating func reserve(_ wanted: Int, at now: Duration) -> (granted: Int, wait: Duration) {
        guard let (granted, wait) = own?.reserve(wanted, at: now) else { return shared.reserve(wanted, at: now) }
        return granted == 0 ? (0, wait) : shared.reserve(granted, at: now)
    }
}
