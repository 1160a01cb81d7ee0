import Synchronization

/// Wakes tasks that wait for a change. Several rings before a listener looks count as one.
final class Bell: Sendable {
    private struct Listeners {
        var last = 0
        var all: [Int: AsyncStream<Void>.Continuation] = [:]
        var areSentAway = false
    }

    private let listeners = Mutex(Listeners())

    func ring() { listeners.withLock { for listener in $0.all.values { listener.yield() } } }

    /// Ends all listening, now and in future.
    func putAway() {
        let all = listeners.withLock { listeners in
            listeners.areSentAway = true
            return listeners.all.values
        }
        for listener in all { listener.finish() }
    }

    /// The first ring comes at once. The stream ends when the listener is cancelled or gone, or when the bell is put
    /// away.
    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners -> Int? in
            guard !listeners.areSentAway else { return nil }
            listeners.last += 1
            listeners.all[listeners.last] = continuation
            return listeners.last
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.all[number] = nil }
        }
        continuation.yield()
        return stream
    }
}
