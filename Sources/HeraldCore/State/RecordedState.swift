package import FCM

/// What herald did: the memberships it manages, what came of every occurrence, and what it must not do again. It is whole,
/// or a snapshot.
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
    package var nextRecipient = KnownRecipient.firstID

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

    /// What plans, runs and `state show` read: of finished occurrences no more than counts.
    package var snapshot: RecordedState {
        var copy = self
        copy.occurrences = occurrences.mapValues(\.summary)
        return copy
    }
}
