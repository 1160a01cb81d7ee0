/// What limits one step's requests: the rate of the run, its campaign's own rate if it has one, and pauses that FCM asks
/// for its topic or target alone. Other steps share both rates, so the caller passes their limiters in.
package struct RateBudget: Sendable {
    /// A pause for this step alone.
    private var pausedUntil: Duration = .zero

    package init() {}

    /// Lets nothing of the step start before that time.
    mutating func pause(until instant: Duration) { pausedUntil = max(pausedUntil, instant) }

    /// Lets nothing start for the length of the pause.
    package mutating func pause(_ pause: RetryPolicy.Pause, at now: Duration, _ shared: inout RateLimiter) {
        let end = now + pause.length
        if pause.isOfStep { pausedUntil = max(pausedUntil, end) } else { shared.pause(until: end) }
    }

    /// Like `RateLimiter.reserve`. A start is taken from both limiters or from neither.
    package func reserve(
        _ wanted: Int, at now: Duration, from shared: inout RateLimiter, _ own: inout RateLimiter?
    ) -> (granted: Int, wait: Duration) {
        var granted = 0
        while granted < wanted {
            let wait = wait(at: now, for: 1, shared, own)
            guard wait == .zero else { return (granted, granted == 0 ? wait : .zero) }
            shared.take(at: now)
            own?.take(at: now)
            granted += 1
        }
        return (granted, .zero)
    }

    /// Like `reserve`, for the starts of one batch request: all of them or none.
    ///
    /// - Returns: How long to wait before asking again. Zero if the starts were taken.
    package func reserve(
        batch count: Int, at now: Duration, from shared: inout RateLimiter, _ own: inout RateLimiter?
    ) -> Duration {
        let wait = wait(at: now, for: count, shared, own)
        guard wait == .zero else { return wait }
        for _ in 0..<count {
            shared.take(at: now)
            own?.take(at: now)
        }
        return .zero
    }

    private func wait(at now: Duration, for count: Int, _ shared: RateLimiter, _ own: RateLimiter?) -> Duration {
        max(pausedUntil - now, shared.wait(at: now, for: count), own?.wait(at: now, for: count) ?? .zero)
    }
}
