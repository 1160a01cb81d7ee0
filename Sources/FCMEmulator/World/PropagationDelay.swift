import FCM

/// Accepted changes of subscriptions that topic sends do not see yet.
struct PropagationDelay: Sendable {
    /// How long changes from now on take.
    var seconds: TimeInterval
    /// In order of arrival. No change takes effect before an earlier one.
    private var changes: ArraySlice<Change> = []
    /// The subscriptions with pending changes, as topic sends see them.
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

    init(seconds: TimeInterval) { self.seconds = seconds }

    /// Whether topic sends see the registration on the topic. `nil` if there is no pending change.
    func isMember(_ registration: Registration, of topic: TopicName) -> Bool? { known[registration]?[topic]?.isMember }

    /// All registrations with pending changes.
    var registrations: Set<Registration> { Set(known.keys) }

    /// The topics on which a registration has pending changes.
    func topics(of registration: Registration) -> [TopicName] { known[registration].map { Array($0.keys) } ?? [] }

    /// - Parameter wasMember: the recorded membership before the change.
    mutating func add(
        _ registration: Registration, _ topic: TopicName, joins: Bool, wasMember: Bool, at now: Date
    ) {
        guard seconds > 0 else { return }
        changes.append(Change(registration: registration, topic: topic, joins: joins, due: now + seconds))
        let before = Known(isMember: wasMember, outstanding: 0)
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
        state.isMember = change.joins
        state.outstanding -= 1
        known[change.registration]?[change.topic] = state.outstanding > 0 ? state : nil
        if known[change.registration]?.isEmpty == true { known[change.registration] = nil }
        // A slice keeps its removed elements in memory until it is copied.
        if changes.startIndex > 1000, changes.startIndex > changes.count { changes = ArraySlice(Array(changes)) }
    }
}
