/// A topic's subscribers, as far as herald knows them.
package struct RecordedTopic: Hashable, Sendable {
    package var recipients = Partition<Membership>()
    /// When a membership last changed. Sends wait for the propagation delay after it.
    package var changed: Date?

    package init() {}

    /// Subscribed by herald, so herald may unsubscribe them.
    package var managed: RecipientSet {
        get { recipients[.managed] }
        set { recipients[.managed] = newValue }
    }

    /// Subscribed before herald asked. herald never unsubscribes them.
    package var preexisting: RecipientSet {
        get { recipients[.preexisting] }
        set { recipients[.preexisting] = newValue }
    }

    /// A request to subscribe or unsubscribe them left, and no answer is recorded. If they are subscribed, herald did it.
    package var subscribing: RecipientSet {
        get { recipients[.subscribing] }
        set { recipients[.subscribing] = newValue }
    }

    /// Whether nobody is in it, as far as plans know.
    package var isEmpty: Bool { managed.isEmpty && preexisting.isEmpty && subscribing.isEmpty }
}

/// How a recipient relates to a topic.
package enum Membership: Int, Hashable, Sendable, CaseIterable {
    case subscribing = 0
    case managed = 1
    case preexisting = 2
    case forgotten = 3
}
