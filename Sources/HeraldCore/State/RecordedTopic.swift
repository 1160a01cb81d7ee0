/// A topic's subscribers, as far as herald knows them.
package struct RecordedTopic: Hashable, Sendable {
    package var recipients = Partition<Membership>()
    /// When a membership last changed. Sends wait for the propagation delay after it.
    package var changed: Date?
    /// Whether it was imported and no file has declared it since. Until one does, only who is suppressed leaves it.
    package var awaitsFile = false

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

    /// Subscribed before herald asked, and herald's own since the files say `adopt: true`.
    package var adopted: RecipientSet {
        get { recipients[.adopted] }
        set { recipients[.adopted] = newValue }
    }

    /// Were subscribed, and FCM says that they are not any more. herald did not unsubscribe them.
    package var left: RecipientSet {
        get { recipients[.left] }
        set { recipients[.left] = newValue }
    }

    /// A request to subscribe or unsubscribe them left, and no answer is recorded. If they are subscribed, herald did it.
    package var subscribing: RecipientSet {
        get { recipients[.subscribing] }
        set { recipients[.subscribing] = newValue }
    }

    /// Whom FCM has as subscribers, as far as the state knows.
    package var subscribers: RecipientSet { recipients.union(of: [.managed, .adopted, .preexisting]) }

    /// Whether nobody is in it, as far as plans know.
    package var isEmpty: Bool { managed.isEmpty && preexisting.isEmpty && adopted.isEmpty && subscribing.isEmpty }
}

/// How a recipient relates to a topic.
package enum Membership: Int, Hashable, Sendable, CaseIterable {
    case subscribing = 0
    case managed = 1
    case preexisting = 2
    case forgotten = 3
    case left = 4
    case adopted = 5
}
