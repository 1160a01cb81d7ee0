import FCM

/// Accepted changes of subscriptions that topic sends and lists of subscriptions do not see yet.
struct PropagationDelay: Sendable {
    /// In order of arrival. No change takes effect before an earlier one.
    private var changes: ArraySlice<Change> = []
    /// The subscriptions with pending changes, as they are seen.
    private var known: [Registration: [TopicName: Known]] = [:]

    struct Change: Sendable {
        let registration: Registration
        let topic: TopicName
        /// When it joined. `nil` if it leaves.
        let joined: Date?
        let due: Date
    }

    private struct Known {
        /// When it joined. `nil` if it is seen as no member.
        var joined: Date?
        var outstanding: Int
    }

    /// Whether topic sends see the registration on the topic. `nil` if there is no pending change.
    func isMember(_ registration: Registration, of topic: TopicName) -> Bool? {
        known[registration]?[topic].map { $0.joined != nil }
    }

    /// The subscriptions that are seen.
    ///
    /// - Parameter recorded: those that were accepted.
    func seen(_ recorded: [TopicName: Date], of registration: Registration) -> [TopicName: Date] {
        var topics = recorded
        for (topic, state) in known[registration] ?? [:] { topics[topic] = state.joined }
        return topics
    }

    /// All registrations with pending changes.
    var registrations: Set<Registration> { Set(known.keys) }

    /// The topics on which a registration has pending changes.
    func topics(of registration: Registration) -> [TopicName] { known[registration].map { Array($0.keys) } ?? [] }

    /// - Parameters:
    ///   - joined: when it joined, before and after the change. `nil` if it is no member.
    ///   - seconds: how long the change takes.
    mutating func add(
        _ registration: Registration, _ topic: TopicName, joined: (before: Date?, after: Date?), at now: Date,
        taking seconds: TimeInterval
    ) {
        guard seconds > 0 else { return }
        changes.append(Change(registration: registration, topic: topic, joined: joined.after, due: now + seconds))
        let before = Known(joined: joined.before, outstanding: 0)
        known[registration, default: [:]][topic, default: before].outstanding += 1
    }

    /// Forgets all changes of a registration.
    mutating func forget(_ registration: Registration) {
        guard known.removeValue(forKey: registration) != nil else { return }
        changes.removeAll { $0.registration == registration }
    }

    /// The next change, if it is due.
    func next(at now: Date) -> Change? { changes.first.flatMap { $0.due <= now ? $0 : nil } }

    /// Makes the next change take effect.
    mutating func apply() {
        guard let change = changes.popFirst(), var state = known[change.registration]?[change.topic] else { return }
        state.joined = change.joined
        state.outstanding -= 1
        known[change.registration]?[change.topic] = state.outstanding > 0 ? state : nil
        if known[change.registration]?.isEmpty == true { known[change.registration] = nil }
        // A slice keeps its removed elements in memory until it is copied.
        if changes.startIndex > 1000, changes.startIndex > changes.count { changes = ArraySlice(Array(changes)) }
    }
}
