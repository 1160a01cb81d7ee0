/// How many requests may be under way at once. The number grows while answers come as fast as before. It shrinks when
/// they take longer, when the server refuses, and when answers do not come. It holds no clock and does no I/O.
///
/// It starts small and doubles with every round until something goes wrong. After that it grows by a sixteenth a round
/// (after TCP's slow start and congestion avoidance, RFC 5681 §3.1).
struct Window: Hashable, Sendable {
    /// What the result of a request says about the server.
    enum Outcome: Hashable, Sendable, CaseIterable {
        /// The server is well, whatever the answer says.
        case answered
        /// The server asks for less: 429, 503, 500.
        case deferred
        /// The server answers, and nobody can tell what came of the request: a proxy before it fails.
        case open
        /// There is no answer.
        case lost
    }

    /// The size of a new window.
    static let start = 16
    /// In seconds. A latency this close to the shortest one means nothing.
    private static let tolerance = 0.05
    /// After this many answers the shortest latency is raised by a tenth, so that an old value is forgotten.
    private static let memory = 4096

    /// The window never grows beyond this.
    let cap: Int
    private(set) var limit: Int
    /// Consecutive rounds of requests of which nobody can tell what came. A round counts if its requests left after those
    /// before were known.
    private(set) var lostRounds = 0

    /// Below this size the window doubles each round.
    private var threshold: Int
    /// Progress towards growing by one.
    private var credit = 0
    /// In seconds.
    private var shortest = Double.infinity
    private var usual = 0.0
    private var answers = 0
    /// Requests before this one left before the window last shrank, so their results say nothing new about it.
    private var firstOfRound = 0
    /// Requests before this one left before it last shrank because nobody could tell what came of one.
    private var firstSinceLoss = 0
    private var started = 0

    init(cap: Int) {
        self.cap = max(1, cap)
        limit = min(self.cap, Self.start)
        threshold = self.cap
    }

    /// The number of the request that starts now.
    mutating func start() -> Int {
        defer { started += 1 }
        return started
    }

    /// Takes in the result of a request.
    ///
    /// - Parameters:
    ///   - serial: the number that the request got when it started.
    ///   - isFull: whether the window is what keeps more requests from starting.
    mutating func note(_ outcome: Outcome, after latency: Duration, serial: Int, isFull: Bool) {
        switch outcome {
        case .answered:
            lostRounds = 0
            measure(latency.seconds)
            if isSlow { shrink(to: limit - limit / 8, serial) } else if isFull { grow() }
        case .deferred:
            lostRounds = 0
            shrink(to: limit / 2, serial)
        case .open:
            shrinkByLoss(to: limit / 2, serial)
        case .lost:
            // Every request under way may become unknown, so far fewer may be under way at once.
            shrinkByLoss(to: limit / 8, serial)
        }
    }

    private var isSlow: Bool { usual > 2 * shortest && usual > shortest + Self.tolerance }

    private mutating func measure(_ latency: Double) {
        answers += 1
        if answers % Self.memory == 0 { shortest *= 1.1 }
        shortest = min(shortest, latency)
        usual += (latency - usual) / (answers < 16 ? Double(answers) : 16)
    }

    private mutating func grow() {
        credit += limit < threshold ? limit : max(1, limit / 16)
        guard credit >= limit else { return }
        credit = 0
        limit = min(cap, limit + 1)
    }

    /// Does nothing if the request left before the window last shrank.
    private mutating func shrink(to smaller: Int, _ serial: Int) {
        guard serial >= firstOfRound else { return }
        firstOfRound = started
        credit = 0
        limit = max(1, smaller)
        threshold = limit
    }

    /// A server may be slow or refuse before it falls silent. What shrank the window for that since the request left does
    /// not count.
    private mutating func shrinkByLoss(to smaller: Int, _ serial: Int) {
        guard serial >= firstSinceLoss else { return }
        firstOfRound = firstSinceLoss
        shrink(to: smaller, serial)
        firstSinceLoss = started
        lostRounds += 1
    }
}
