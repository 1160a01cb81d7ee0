/// What one step's requests must respect besides the rate of the run: the step's own rate where it has one, and pauses
/// that FCM asks for its topic or target alone. The rate of the run is lent to it.
package struct RateBudget: Sendable {
    private var own: RateLimiter?
    /// Of this step alone.
    private var pausedUntil: Duration = .zero

    package init(own: Rate? = nil) { self.own = own.map { RateLimiter($0) } }

    /// No start for as long as that.
    package mutating func pause(_ pause: RetryPolicy.Pause, at now: Duration, _ shared: inout RateLimiter) {
        let end = now + pause.length
        if pause.isOfStep { pausedUntil = max(pausedUntil, end) } else { shared.pause(until: end) }
    }

    /// As `RateLimiter.reserve`; a start is taken from both or from none.
    package mutating func reserve(
        _ wanted: Int, at now: Duration, from shared: inout RateLimiter
    ) -> (granted: Int, wait: Duration) {
        var granted = 0
        while granted < wanted {
            let wait = wait(at: now, for: 1, shared)
            guard wait == .zero else { return (granted, granted == 0 ? wait : .zero) }
            shared.take(at: now)
            own?.take(at: now)
            granted += 1
        }
        return (granted, .zero)
    }

    /// As `reserve`, for starts that are one request: all of them or none.
    ///
    /// - Returns: How long to wait before asking again; zero when they were taken.
    package mutating func reserve(batch count: Int, at now: Duration, from shared: inout RateLimiter) -> Duration {
        let wait = wait(at: now, for: count, shared)
        guard wait == .zero else { return wait }
        for _ in 0..<count {
            shared.take(at: now)
            own?.take(at: now)
        }
        return .zero
    }

    private func wait(at now: Duration, for count: Int, _ shared: RateLimiter) -> Duration {
        max(pausedUntil - now, shared.wait(at: now, for: count), own?.wait(at: now, for: count) ?? .zero)
    }

    package func largestBatch(_ shared: RateLimiter) -> Int { min(shared.largestBatch, own?.largestBatch ?? .max) }
    package func block(_ shared: RateLimiter) -> Int { min(shared.block, own?.block ?? .max) }

    /// The last `count` starts were held up, by what had to be written down first, and happen only now.
    mutating func postpone(_ count: Int, to now: Duration, _ shared: inout RateLimiter) {
        shared.postpone(count, to: now)
        own?.postpone(count, to: now)
    }
}
