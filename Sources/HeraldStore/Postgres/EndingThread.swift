internal import Foundation
internal import Synchronization

/// A thread that can be waited for until it is gone.
///
/// When a process ends, OpenSSL cleans up what it keeps for each thread. If a thread that has used it is still ending
/// then, both free the same memory.
final class EndingThread: Sendable {
    private let state = Mutex(State.unstarted)

    private enum State {
        case unstarted
        case running(pthread_t)
        case joining([CheckedContinuation<Void, Never>])
        case gone
    }

    /// Starts it, and returns once `body` has told that it has begun, or throws why it could not. Whoever starts one must
    /// wait for it.
    func begin(_ body: @escaping @Sendable (_ tell: (Result<Void, any Error>) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            start { body { continuation.resume(with: $0) } }
        }
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        state.withLock { state in
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { Work.run($0) }, work.toOpaque())
            precondition(code == 0, "the system has no thread left")
            state = .running(thread)
        }
    }

    /// Waits until it is gone. It must have been told to end.
    func join() async {
        await withCheckedContinuation { continuation in
            let thread: pthread_t? = state.withLock { state in
                switch state {
                case .running(let thread):
                    state = .joining([continuation])
                    return thread
                case .joining(let waiting): state = .joining(waiting + [continuation])
                case .unstarted, .gone: continuation.resume()
                }
                return nil
            }
            if let thread { DispatchQueue(label: "herald.join").async { self.finish(thread) } }
        }
    }

    private func finish(_ thread: pthread_t) {
        pthread_join(thread, nil)
        let waiting = state.withLock { state in
            guard case .joining(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
            state = .gone
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
            return nil
        }
    }
}
