package import FCM

/// How the topics that one registration follows at FCM differ from those that the state has.
struct SubscriptionDifference: Hashable, Sendable {
    /// The state has it, FCM does not.
    var left: Set<TopicName> = []
    /// FCM has it, a file says who belongs to the topic, and the state knows nothing of it.
    var foreign: Set<TopicName> = []

    var isEmpty: Bool { left.isEmpty && foreign.isEmpty }

    /// Whether there is nothing in it that the other one does not have.
    func isPart(of other: SubscriptionDifference) -> Bool {
        left.isSubset(of: other.left) && foreign.isSubset(of: other.foreign)
    }
}

/// The topics that a call is about, with the subscriptions that the state has.
package struct ExpectedSubscriptions: Hashable, Sendable {
    private var topics: [TopicName: Topic] = [:]

    private struct Topic: Hashable, Sendable {
        /// Subscribed, as far as the state knows.
        var subscribers: RecipientSet
        /// A request may have subscribed them, or they were subscribed when they looked dead.
        var doubtful: RecipientSet
        var isFilled: Bool
    }

    /// - Parameters:
    ///   - names: the topics that are looked at.
    ///   - filled: the topics of which files say who belongs there.
    ///   - members: only these are looked at. `nil` for all.
    package init(
        of names: some Sequence<TopicName>, filled: Set<TopicName>, among members: RecipientSet? = nil,
        in state: RecordedState
    ) {
        for name in names {
            let recorded = state.topics[name]
            let subscribers = recorded?.subscribers ?? []
            topics[name] = Topic(
                subscribers: members.map(subscribers.intersection) ?? subscribers,
                doubtful: recorded?.recipients.union(of: [.subscribing, .forgotten]) ?? [],
                isFilled: filled.contains(name))
        }
    }

    package var names: [TopicName] { topics.keys.sorted() }

    /// Whom the state has as subscribers of a topic.
    package func subscribers(of topic: TopicName) -> RecipientSet { topics[topic]?.subscribers ?? [] }

    /// The registrations that can be asked for: those with a subscription to any of the topics.
    package var everybody: RecipientSet {
        topics.values.reduce(into: RecipientSet()) { $0.formUnion($1.subscribers) }
    }

    /// The topics that the state has for a registration.
    func topics(of id: RecipientID) -> [TopicName] { topics.filter { $0.value.subscribers.contains(id) }.map(\.key) }

    /// - Parameter following: all topics that the registration follows at FCM.
    /// - Returns: Besides, the topics on which both agree that it follows them.
    func compare(
        _ id: RecipientID, following: Set<TopicName>
    ) -> (same: [TopicName], difference: SubscriptionDifference) {
        var (same, difference): ([TopicName], SubscriptionDifference) = ([], .init())
        for (name, topic) in topics {
            switch (topic.subscribers.contains(id), following.contains(name)) {
            case (true, true): same.append(name)
            case (true, false): difference.left.insert(name)
            case (false, true) where topic.isFilled && !topic.doubtful.contains(id): difference.foreign.insert(name)
            case (false, _): break
            }
        }
        return (same, difference)
    }
}
