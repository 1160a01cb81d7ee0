internal import NIOCore

/// When exchanges are given up. They all have the same time, so the first to begin is the first to be late.
struct Deadlines {
    private var line = CircularBuffer<(deadline: NIODeadline, attempt: AttemptID)>()

    var first: NIODeadline? { line.first?.deadline }

    var count: Int { line.count }

    mutating func append(_ attempt: AttemptID, at deadline: NIODeadline) { line.append((deadline, attempt)) }

    /// Takes out those that are late, in their order.
    mutating func takeLate(at now: NIODeadline) -> [AttemptID] {
        var late: [AttemptID] = []
        while let first = line.first, first.deadline <= now { late.append(line.removeFirst().attempt) }
        return late
    }

    /// Forgets exchanges that are over, where they are most of the line.
    mutating func compact<Value>(keeping current: [AttemptID: Value]) {
        guard line.count > 2 * current.count + 64 else { return }
        line.removeAll { current[$0.attempt] == nil }
    }
}
