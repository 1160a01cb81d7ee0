package import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What herald did: the memberships it owns, what came of every occurrence, and what it must not do again.
package struct Record: Hashable, Sendable {
    package var identity: Identity
    /// Moves with every recorded effect.
    package var serial: Int64 = 0
    package var topics: [TopicName: RecordedTopic] = [:]
    package var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
    /// Tombstones: what FCM declared dead.
    package var dead: RecipientSet = []
    package var spentPlans: Set<String> = []
    /// How many recipients each audience had at the end of the last apply.
    package var audienceSizes: [String: Int] = [:]
    /// The instant up to which a campaign's occurrences are dealt with; only cron campaigns have one.
    package var watermarks: [String: Date] = [:]
    /// One more than the highest number given.
    package var nextRecipient: RecipientID = 1

    package init(identity: Identity) { self.identity = identity }

    /// What a record is bound to when it is made. Any other use of it is refused.
    package struct Identity: Hashable, Sendable {
        /// Names this record among all others.
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

    package static let firstRecipient: RecipientID = 1
}

/// Where calls go: Google's servers, or a stand-in for them.
package enum EndpointKind: String, Hashable, Sendable {
    case fcm, emulator
}

/// A topic's subscribers, as far as herald has to do with them.
package struct RecordedTopic: Hashable, Sendable {
    /// Subscribed by herald, and so its to unsubscribe.
    package var owned: RecipientSet = []
    /// There before herald came; never unsubscribed by it.
    package var found: RecipientSet = []
    /// Asked for, and no answer recorded: FCM may have them, and then through herald.
    package var subscribing: RecipientSet = []
    /// When a membership last changed; a send waits for FCM to settle.
    package var changed: Date?

    package init() {}

    package var isEmpty: Bool { owned.isEmpty && found.isEmpty && subscribing.isEmpty }
}

/// In what relation a recipient stands to a topic.
package enum Membership: Int, Hashable, Sendable, CaseIterable {
    case subscribing = 0
    case owned = 1
    case found = 2
}

extension RecordedTopic {
    package subscript(membership: Membership) -> RecipientSet {
        get {
            switch membership {
            case .subscribing: subscribing
            case .owned: owned
            case .found: found
            }
        }
        set {
            switch membership {
            case .subscribing: subscribing = newValue
            case .owned: owned = newValue
            case .found: found = newValue
            }
        }
    }
}
