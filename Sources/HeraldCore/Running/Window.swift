/// How many requests may be under way at once: more and more while answers come as quickly as they did, fewer when they
/// take longer, when the server refuses, and when they do not come. It holds no clock and does no I/O.
///
/// It begins small, doubles with every round until something goes wrong, and from then on grows by a sixteenth a
/// round (after TCP's slow start and congestion avoidance, RFC 5681 §3.1).
struct Window: Hashable, Sendable {
    /// What became of a request, as far as it tells how the server is.
    enum Outcome: Hashable, Sendable, CaseIterable {
        /// It was answered; whatever the answer says, the server is well.
        case answered
        /// The server asks for less: 429, 503, 500.
        case deferred
        case lost
    }

    /// Where it begins.
    static let start = 16
    /// Latency below this above the shortest is no sign of anything.
    private static let tolerance = 0.05
    /// After so many answers the shortest latency counts for a tenth more, so that an old one is forgotten.
    private static let memory = 4096

    /// More are never under way.
    let cap: Int
    private(set) var limit: Int
    /// Rounds of losses with no answer between: requests that left after the losses before them were known.
    private(set) var lostRounds = 0

    /// Up to here it doubles.
    private var threshold: Int
    /// What has gathered of the answers that make it grow by one.
    private var credit = 0
    /// Seconds.
    private var shortest = Double.infinity
    private var usual = 0.0
    private var answers = 0
    /// What left before this one tells nothing new about a window that was made smaller meanwhile.
    private var firstOfRound = 0
    private var started = 0

    init(cap: Int) {
        self.cap = max(1, cap)
        limit = min(self.cap, Self.start)
        threshold = self.cap
    }

    /// The number of a request that starts.
    mutating func start() -> Int {
        defer { started += 1 }
        return started
    }

    /// Takes in what became of a request.
    ///
    /// - Parameters:
    ///   - serial: the number it was given when it started.
    ///   - isFull: whether the window is what keeps more from starting.
    mutating func note(_ outcome: Outcome, after latency: Duration, serial: Int, isFull: Bool) {
        switch outcome {
        case .answered:
            lostRounds = 0
            measure(latency.seconds)
            if isSlow { shrink(to: limit - limit / 8, serial) } else if isFull { grow() }
        case .deferred:
            lostRounds = 0
            shrink(to: limit / 2, serial)
        case .lost:
            // Whatever is in it may become unknown: much less at once.
            if shrink(to: limit / 8, serial) { lostRounds += 1 }
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

    /// `false`: the request left before the window was made smaller last.
    @discardableResult
    private mutating func shrink(to smaller: Int, _ serial: Int) -> Bool {
        guard serial >= firstOfRound else { return false }
        firstOfRound = started
        credit = 0
        limit = max(1, smaller)
        threshold = limit
        return true
    }
}
