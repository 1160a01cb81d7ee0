internal import FCM
internal import Synchronization

/// Answers on their way from whatever thread they come on to the step that waits for them, many at a time.
final class Inbox: Sendable {
    /// Requests that started together.
    final class Block: Sendable {
        let addressees: [Addressee]
        /// Since the run began.
        let started: Duration

        init(_ addressees: [Addressee], started: Duration) {
            (self.addressees, self.started) = (addressees, started)
        }
    }

    /// Whom one request asked: some neighbours of a block.
    struct Asked: Sendable {
        let block: Block
        let places: Range<Int>
        /// The number that the window gave it.
        let serial: Int

        var addressees: ArraySlice<Addressee> { block.addressees[places] }
    }

    struct Answer: Sendable {
        let asked: Asked
        let exchange: Exchange
    }

    private struct State {
        var answers: [Answer] = []
        var needed = 1
        var waiter: CheckedContinuation<Void, Never>?

        /// Whoever waits, when there is enough for him.
        mutating func satisfied() -> CheckedContinuation<Void, Never>? {
            guard answers.count >= needed else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    func add(_ asked: Asked, _ exchange: Exchange) {
        let waiter = state.withLock { state in
            state.answers.append(Answer(asked: asked, exchange: exchange))
            return state.satisfied()
        }
        waiter?.resume()
    }

    /// Everything that has come.
    func take() -> [Answer] {
        state.withLock { state in
            defer { state.answers.removeAll(keepingCapacity: true) }
            return state.answers
        }
    }

    /// From how many answers on a wait ends; to wake for each would cost more than the answers.
    func expect(_ count: Int) {
        let waiter = state.withLock { state in
            state.needed = max(1, count)
            return state.satisfied()
        }
        waiter?.resume()
    }

    /// Ends when there are as many as expected, or when the task is cancelled. One at a time waits.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = state.withLock { state in
                    state.waiter = continuation
                    if Task.isCancelled { state.needed = 0 }
                    return state.satisfied()
                }
                waiter?.resume()
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
