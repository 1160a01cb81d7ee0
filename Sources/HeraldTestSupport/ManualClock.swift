internal import Synchronization

/// A clock that stands still until something sleeps on it, and then jumps to the time to wake up. In this simulated
/// time an hour's backoff takes no time.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let time = Mutex(Duration.zero)

    private let tick: Duration
    private let isQuiet: @Sendable () -> Bool

    /// - Parameters:
    ///   - tick: How much time each reading of the clock takes: a program is not infinitely fast.
    ///   - isQuiet: Whether time may pass. Otherwise a thread that the machine delays would look late.
    package init(tick: Duration = .zero, isQuiet: @escaping @Sendable () -> Bool = { true }) {
        self.tick = tick
        self.isQuiet = isQuiet
    }

    package var now: Instant {
        let offset = time.withLock { time in
            defer { time += tick }
            return time
        }
        return Instant(offset: offset)
    }
    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        // Everything that can run without time passing runs first.
        for _ in 0..<10 { await Task.yield() }
        while !isQuiet() {
            try Task.checkCancellation()
            await Task.yield()
        }
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
    }

    package func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
