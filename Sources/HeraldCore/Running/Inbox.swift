internal import FCM
internal import Synchronization

/// Collects answers from any thread for the step that waits for them, many at a time.
final class Inbox: Sendable {
    /// Requests that started together.
    final class Block: Sendable {
        let addressees: [Addressee]
        /// When their intents were made.
        let started: Moment

        init(_ addressees: [Addressee], started: Moment) {
            (self.addressees, self.started) = (addressees, started)
        }
    }

    /// The recipients of one request: a range of the block.
    struct Asked: Sendable {
        let block: Block
        let places: Range<Int>
        /// The number that the window gave to the request.
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

        /// The waiting step, if there are enough answers for it.
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

    func take() -> [Answer] {
        state.withLock { state in
            defer { state.answers.removeAll(keepingCapacity: true) }
            return state.answers
        }
    }

    /// Sets how many answers end a wait. Waking for each answer would cost more than the answers do.
    func expect(_ count: Int) {
        let waiter = state.withLock { state in
            state.needed = max(1, count)
            return state.satisfied()
        }
        waiter?.resume()
    }

    /// Returns when there are as many answers as expected, or when the task is cancelled. Only one caller may wait at a
    /// time.
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
