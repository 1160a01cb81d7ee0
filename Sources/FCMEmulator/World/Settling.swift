import FCM

/// Changes of subscriptions that were accepted and that fan-out does not know of yet.
struct Settling: Sendable {
    /// How long fan-out takes to know of changes from now on, in seconds.
    var delay: TimeInterval
    /// In the order in which they came. None comes into effect before those that came before it.
    private var changes: ArraySlice<Change> = []
    /// Subscriptions that have changes to come, as fan-out sees them.
    private var known: [Registration: [TopicName: Known]] = [:]

    struct Change: Sendable {
        let registration: Registration
        let topic: TopicName
        let joins: Bool
        let due: Date
    }

    private struct Known {
        var isMember: Bool
        var outstanding: Int
    }

    init(delay: TimeInterval) { self.delay = delay }

    /// Whether fan-out has the registration on the topic; `nil` where that is as recorded.
    func isMember(_ registration: Registration, of topic: TopicName) -> Bool? { known[registration]?[topic]?.isMember }

    /// All that have changes to come.
    var registrations: Set<Registration> { Set(known.keys) }

    /// The topics on which a registration has changes to come.
    func topics(of registration: Registration) -> [TopicName] { known[registration].map { Array($0.keys) } ?? [] }

    /// - Parameter wasMember: what was recorded before.
    mutating func add(
        _ registration: Registration, _ topic: TopicName, joins: Bool, wasMember: Bool, at now: Date
    ) {
        guard delay > 0 else { return }
        changes.append(Change(registration: registration, topic: topic, joins: joins, due: now + delay))
        let before = Known(isMember: wasMember, outstanding: 0)
        known[registration, default: [:]][topic, default: before].outstanding += 1
    }

    /// The next change that has come due.
    func next(at now: Date) -> Change? { changes.first.flatMap { $0.due <= now ? $0 : nil } }

    /// Lets the next change come into effect.
    mutating func apply() {
        guard let change = changes.popFirst(), var state = known[change.registration]?[change.topic] else { return }
        state.isMember = change.joins
        state.outstanding -= 1
        known[change.registration]?[change.topic] = state.outstanding > 0 ? state : nil
        if known[change.registration]?.isEmpty == true { known[change.registration] = nil }
        // A slice keeps what was cut off until it is copied.
        if changes.startIndex > 1000, changes.startIndex > changes.count { changes = ArraySlice(Array(changes)) }
    }
}
