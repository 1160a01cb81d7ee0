/// The recipients of a step that wait for another attempt, and what is known of those that had one.
struct RetryQueue {
    private struct Attempted {
        var attempts: Int
        var firstAttempt: Duration
        var mayHaveTakenEffect: Bool
        /// Whether the last answer was FCM's no.
        var wasDenied: Bool
        var wasUnauthenticated = false
    }

    private var attempted: [RecipientID: Attempted] = [:]
    /// By readiness, the nearest last.
    private var waiting: [(ready: Duration, id: RecipientID)] = []

    var isEmpty: Bool { waiting.isEmpty }
    var nextReady: Duration? { waiting.last?.ready }

    /// Whether it has failed before and may be tried again.
    func knows(_ id: RecipientID) -> Bool { attempted[id] != nil }

    func countReady(at now: Duration) -> Int {
        waiting.reversed().prefix { $0.ready <= now }.count
    }

    mutating func takeReady(_ count: Int, at now: Duration) -> [RecipientID] {
        var ids: [RecipientID] = []
        while ids.count < count, let next = waiting.last, next.ready <= now {
            ids.append(next.id)
            waiting.removeLast()
        }
        return ids
    }

    mutating func insert(
        _ id: RecipientID, readyAt ready: Duration, now: Duration, mayHaveTakenEffect: Bool, wasDenied: Bool
    ) {
        var entry =
            attempted[id]
            ?? Attempted(attempts: 0, firstAttempt: now, mayHaveTakenEffect: false, wasDenied: false)
        entry.attempts += 1
        entry.mayHaveTakenEffect = entry.mayHaveTakenEffect || mayHaveTakenEffect
        entry.wasDenied = wasDenied
        attempted[id] = entry
        enqueue(id, readyAt: ready)
    }

    private mutating func enqueue(_ id: RecipientID, readyAt ready: Duration) {
        let place = waiting.partitioningIndex { $0.ready <= ready }
        waiting.insert((ready, id), at: place)
    }

    /// Attempts that failed so far.
    func attempts(of id: RecipientID) -> Int { attempted[id]?.attempts ?? 0 }

    /// Whether an attempt went out whose answer says nothing of its effect.
    func mayHaveTakenEffect(_ id: RecipientID) -> Bool { attempted[id]?.mayHaveTakenEffect ?? false }

    /// Whether its next attempt is a second push, should FCM have delivered although it said no.
    func wasDenied(_ id: RecipientID) -> Bool { attempted[id]?.wasDenied ?? false }

    /// Puts back one whose attempt does not count, to be tried at once.
    ///
    /// - Parameter wasUnauthenticated: its access token was refused, which happens to nobody twice.
    mutating func putBack(_ id: RecipientID, now: Duration, wasUnauthenticated: Bool = false) {
        if wasUnauthenticated {
            var entry =
                attempted[id]
                ?? Attempted(attempts: 0, firstAttempt: now, mayHaveTakenEffect: false, wasDenied: false)
            entry.wasUnauthenticated = true
            attempted[id] = entry
        }
        enqueue(id, readyAt: now)
    }

    /// Whether the access token of an earlier attempt was refused.
    func wasUnauthenticated(_ id: RecipientID) -> Bool { attempted[id]?.wasUnauthenticated ?? false }

    /// It needs no more attempts.
    mutating func forget(_ id: RecipientID) { attempted[id] = nil }

    func elapsed(of id: RecipientID, at now: Duration) -> Duration {
        attempted[id].map { now - $0.firstAttempt } ?? .zero
    }
}

extension Array {
    /// The first index from which the predicate holds, which must hold from there to the end.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
