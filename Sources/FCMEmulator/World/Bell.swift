import Synchronization

/// Wakes those who wait for something to happen. Rung often while nobody listens, it is heard once.
final class Bell: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    func ring() { listeners.withLock { for listener in $0.all.values { listener.yield() } } }

    /// One ring comes at once. It ends when whoever listens is cancelled or gone.
    func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.all[number] = nil }
        }
        continuation.yield()
        return stream
    }
}
