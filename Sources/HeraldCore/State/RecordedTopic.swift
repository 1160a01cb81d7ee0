/// A topic's subscribers, as far as herald has to do with them.
package struct RecordedTopic: Hashable, Sendable {
    package var recipients = Partition<Membership>()
    /// When a membership last changed; a send waits for FCM to settle.
    package var changed: Date?

    package init() {}

    /// Subscribed by herald, and so its to unsubscribe.
    package var managed: RecipientSet {
        get { recipients[.managed] }
        set { recipients[.managed] = newValue }
    }

    /// There before herald came; never unsubscribed by it.
    package var preexisting: RecipientSet {
        get { recipients[.preexisting] }
        set { recipients[.preexisting] = newValue }
    }

    /// Asked for, and no answer recorded: FCM may have them, and then through herald.
    package var subscribing: RecipientSet {
        get { recipients[.subscribing] }
        set { recipients[.subscribing] = newValue }
    }

    package var isEmpty: Bool { recipients.isEmpty }
}

/// In what relation a recipient stands to a topic.
package enum Membership: Int, Hashable, Sendable, CaseIterable {
    case subscribing = 0
    case managed = 1
    case preexisting = 2
}
