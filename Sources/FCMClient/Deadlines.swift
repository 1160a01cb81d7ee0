internal import NIOCore

/// The deadlines of all exchanges. The timeout is the same for all, so they expire in the order in which they began.
struct Deadlines {
    private var line = CircularBuffer<(deadline: NIODeadline, attempt: AttemptID)>()

    var first: NIODeadline? { line.first?.deadline }

    var count: Int { line.count }

    mutating func append(_ attempt: AttemptID, at deadline: NIODeadline) { line.append((deadline, attempt)) }

    /// Removes the expired ones and returns them in order.
    mutating func takeLate(at now: NIODeadline) -> [AttemptID] {
        var late: [AttemptID] = []
        while let first = line.first, first.deadline <= now { late.append(line.removeFirst().attempt) }
        return late
    }

    /// Removes exchanges that have ended, once they are more than half of the queue.
    mutating func compact<Value>(keeping current: [AttemptID: Value]) {
        guard line.count > 2 * current.count + 64 else { return }
        line.removeAll { current[$0.attempt] == nil }
    }
}
