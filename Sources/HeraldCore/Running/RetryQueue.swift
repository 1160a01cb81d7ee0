/// The recipients of a step that wait for another attempt, and what is known about those that had one.
struct RetryQueue {
    private struct Attempted {
        var attempts: Int
        var firstAttempt: Duration
        var mayHaveTakenEffect: Bool
        var wasUnauthenticated = false
        /// The last attempts, if the server has answered no request at all since they began.
        var unanswered: Row?
    }

    /// Consecutive attempts during which the server answered no request at all.
    struct Row {
        var count: Int
        var began: Duration

        /// Includes the attempt that just failed.
        ///
        /// - Parameter answered: when the server last answered anybody.
        init(of id: RecipientID, in retries: RetryQueue, answered: Duration?, now: Duration) {
            let known = retries.attempted[id]?.unanswered
            if let known, answered.map({ $0 <= known.began }) ?? true {
                self = Row(count: known.count + 1, began: known.began)
            } else {
                self = Row(count: 1, began: now)
            }
        }

        private init(count: Int, began: Duration) {
            self.count = count
            self.began = began
        }
    }

    private var attempted: [RecipientID: Attempted] = [:]
    /// A binary heap with the earliest first.
    private var waiting: [Waiting] = []
    /// In the order in which they became ready.
    private var ready: [Addressee] = []
    private var firstReady = 0
    private var inserted = 0

    private struct Waiting {
        var ready: Duration
        /// Of entries ready at the same time, the one inserted first comes first.
        var order: Int
        var addressee: Addressee

        static func < (one: Waiting, other: Waiting) -> Bool { (one.ready, one.order) < (other.ready, other.order) }
    }

    var isEmpty: Bool { waiting.isEmpty && readyCount == 0 }
    /// When the first recipient that is not ready yet becomes ready.
    var nextReady: Duration? { waiting.first?.ready }
    /// As of the last `ripen`.
    var readyCount: Int { ready.count - firstReady }

    /// Whether the recipient has failed before and may be tried again.
    func knows(_ id: RecipientID) -> Bool { attempted[id] != nil }

    /// Moves the recipients that are ready by now to the ready ones.
    mutating func ripen(at now: Duration) {
        while let next = waiting.first, next.ready <= now {
            ready.append(next.addressee)
            removeFirst()
        }
    }

    mutating func takeReady(_ count: Int) -> ArraySlice<Addressee> {
        let taken = ready[firstReady...].prefix(count)
        firstReady += taken.count
        if firstReady == ready.count { (ready, firstReady) = ([], 0) }
        return taken
    }

    mutating func insert(
        _ addressee: Addressee, readyAt ready: Duration, now: Duration, mayHaveTakenEffect: Bool, unanswered: Row?
    ) {
        let id = addressee.id
        var entry =
            attempted[id] ?? Attempted(attempts: 0, firstAttempt: now, mayHaveTakenEffect: false)
        entry.attempts += 1
        entry.mayHaveTakenEffect = entry.mayHaveTakenEffect || mayHaveTakenEffect
        entry.unanswered = unanswered
        attempted[id] = entry
        enqueue(addressee, readyAt: ready)
    }

    private mutating func enqueue(_ addressee: Addressee, readyAt ready: Duration) {
        inserted += 1
        waiting.append(Waiting(ready: ready, order: inserted, addressee: addressee))
        var place = waiting.count - 1
        while place > 0, waiting[place] < waiting[(place - 1) / 2] {
            waiting.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func removeFirst() {
        let last = waiting.removeLast()
        guard !waiting.isEmpty else { return }
        waiting[0] = last
        var place = 0
        while true {
            let children = (2 * place + 1)..<min(2 * place + 3, max(2 * place + 1, waiting.count))
            guard let child = children.min(by: { waiting[$0] < waiting[$1] }), waiting[child] < waiting[place] else {
                return
            }
            waiting.swapAt(place, child)
            place = child
        }
    }

    /// How many attempts have failed so far.
    func attempts(of id: RecipientID) -> Int { attempted[id]?.attempts ?? 0 }

    /// Whether there was an attempt whose answer does not tell whether it had an effect.
    func mayHaveTakenEffect(_ id: RecipientID) -> Bool { attempted[id]?.mayHaveTakenEffect ?? false }

    /// Puts back a recipient whose attempt does not count, to be tried at once.
    ///
    /// - Parameter wasUnauthenticated: its access token was refused. A recipient gets this second chance only once.
    mutating func putBack(_ addressee: Addressee, now: Duration, wasUnauthenticated: Bool = false) {
        if wasUnauthenticated {
            let id = addressee.id
            var entry =
                attempted[id] ?? Attempted(attempts: 0, firstAttempt: now, mayHaveTakenEffect: false)
            entry.wasUnauthenticated = true
            attempted[id] = entry
        }
        enqueue(addressee, readyAt: now)
    }

    /// Whether the access token of an earlier attempt was refused.
    func wasUnauthenticated(_ id: RecipientID) -> Bool { attempted[id]?.wasUnauthenticated ?? false }

    /// None of these waits for another attempt any more.
    ///
    /// - Returns: who of them did.
    mutating func remove(_ members: RecipientSet) -> RecipientSet {
        let all = waiting
        let addressees: [Addressee] = all.map(\.addressee) + ready[firstReady...]
        let removed = RecipientSet(addressees.map(\.id).filter { members.contains($0) })
        if removed.isEmpty { return removed }
        ready = ready[firstReady...].filter { !members.contains($0.id) }
        (firstReady, waiting) = (0, [])
        for entry in all where !members.contains(entry.addressee.id) { enqueue(entry.addressee, readyAt: entry.ready) }
        attempted = attempted.filter { !members.contains($0.key) }
        return removed
    }

    /// The recipient needs no more attempts.
    mutating func forget(_ id: RecipientID) { attempted[id] = nil }

    func elapsed(of id: RecipientID, at now: Duration) -> Duration {
        attempted[id].map { now - $0.firstAttempt } ?? .zero
    }
}
