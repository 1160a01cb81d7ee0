package import FCM

/// What herald did: the memberships it owns, what came of every occurrence, and what it must not do again.
package struct RecordedState: Hashable, Sendable {
    package var identity: Identity
    /// Moves with every recorded effect.
    package var serial: Int64 = 0
    package var topics: [TopicName: RecordedTopic] = [:]
    package var groups: [GroupName: RecordedGroup] = [:]
    package var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
    /// Tombstones: what FCM declared dead.
    package var dead: RecipientSet = []
    package var spentPlans: Set<String> = []
    /// How many recipients each audience had at the end of the last apply.
    package var audienceSizes: [String: Int] = [:]
    /// By campaign; only cron campaigns have one.
    package var watermarks: [String: Watermark] = [:]
    package var pauses = Pauses()
    /// Which of FCM's two APIs changes memberships in this project, once that was found out.
    package var topicAPI: TopicAPI?
    /// Trial sends, oldest first. They are no occurrences.
    package var tests: [RecordedTest] = []
    /// One more than the highest number given.
    package var nextRecipient: RecipientID = 1

    package init(identity: Identity) { self.identity = identity }

    /// What a state is bound to when it is made. Any other use of it is refused.
    package struct Identity: Hashable, Sendable {
        /// Names this state among all others.
        package var lineage: String
        package var project: String
        package var endpoint: EndpointKind
        package var created: Date

        package init(lineage: String, project: String, endpoint: EndpointKind, created: Date) {
            self.lineage = lineage
            self.project = project
            self.endpoint = endpoint
            self.created = created
        }
    }
}

/// Where calls go: Google's servers, or a stand-in for them.
package enum EndpointKind: String, Hashable, Sendable {
    case fcm, emulator
}

/// How far a cron campaign's occurrences are dealt with. It never moves back.
package struct Watermark: Hashable, Sendable {
    /// Only later occurrences can be due.
    package var at: Date
    /// What decided when it fires (`Schedule.text`), so that a changed schedule is seen.
    package var schedule: String
    /// When that schedule would have fired next after `at`.
    package var next: Date?

    package init(at: Date, schedule: String, next: Date?) {
        self.at = at
        self.schedule = schedule
        self.next = next
    }
}

/// What a person wants not to go out until they say so.
package struct Pauses: Hashable, Sendable {
    package var everything = false
    package var campaigns: Set<String> = []

    package init() {}

    package func include(_ campaign: String) -> Bool { everything || campaigns.contains(campaign) }
}

/// One use of `test`.
package struct RecordedTest: Hashable, Sendable {
    package var campaign: String
    package var at: Date
    package var accepted: Int
    package var rejected: Int
    package var unknown: Int

    package init(campaign: String, at: Date, accepted: Int, rejected: Int, unknown: Int) {
        self.campaign = campaign
        self.at = at
        self.accepted = accepted
        self.rejected = rejected
        self.unknown = unknown
    }
}

/// A device group as far as herald made it what it is: FCM lists neither groups nor members.
package struct RecordedGroup: Hashable, Sendable {
    /// The last one FCM gave; absent while its making is asked for and not answered.
    package var key: NotificationKey?
    package var members: RecipientSet = []
    /// Asked for, and no answer recorded: they may be members.
    package var adding: RecipientSet = []

    package init() {}
}

/// A topic's subscribers, as far as herald has to do with them.
package struct RecordedTopic: Hashable, Sendable {
    /// Subscribed by herald, and so its to unsubscribe.
    package var managed: RecipientSet = []
    /// There before herald came; never unsubscribed by it.
    package var preexisting: RecipientSet = []
    /// Asked for, and no answer recorded: FCM may have them, and then through herald.
    package var subscribing: RecipientSet = []
    /// When a membership last changed; a send waits for FCM to settle.
    package var changed: Date?

    package init() {}

    package var isEmpty: Bool { managed.isEmpty && preexisting.isEmpty && subscribing.isEmpty }
}

/// In what relation a recipient stands to a topic.
package enum Membership: Int, Hashable, Sendable, CaseIterable {
    case subscribing = 0
    case managed = 1
    case preexisting = 2
}

extension RecordedTopic {
    package subscript(membership: Membership) -> RecipientSet {
        get {
            switch membership {
            case .subscribing: subscribing
            case .managed: managed
            case .preexisting: preexisting
            }
        }
        set {
            switch membership {
            case .subscribing: subscribing = newValue
            case .managed: managed = newValue
            case .preexisting: preexisting = newValue
            }
        }
    }
}
