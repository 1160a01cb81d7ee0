package import FCM

/// What herald did: the memberships it manages, the outcomes of every occurrence, and what it must not do again. It is
/// complete, or a snapshot. It has many parts, because each table of the state is one.
package struct RecordedState: Hashable, Sendable {
    package var identity: Identity
    /// Increases with every recorded effect.
    package var serial: Int64 = 0
    package var topics: [TopicName: RecordedTopic] = [:]
    package var groups: [GroupName: RecordedGroup] = [:]
    package var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
    /// Recipients whose current registration FCM declared dead.
    package var dead: RecipientSet = []
    /// Those among them that are dead because of a state from before deaths were noted for registrations.
    package var migratedDead: RecipientSet = []
    /// Numbers for memberships that were made with an earlier registration of a recipient, and that recipient. Only the
    /// registration that joined can leave.
    package var formers: [RecipientID: RecipientID] = [:]
    package var spentPlans: Set<String> = []
    /// How many recipients each audience had at the end of the last apply.
    package var audienceSizes: [String: Int] = [:]
    /// By campaign. Only those that repeat, or that are in local time, have a watermark.
    package var watermarks: [String: Watermark] = [:]
    /// The names that a campaign's history had before it was renamed. A name that was carried over once is free for
    /// another campaign.
    package var formerNames: [String: Set<String>] = [:]
    package var pauses = Pauses()
    /// Which of FCM's two APIs changes memberships in this project. `nil` until a run has found out.
    package var topicAPI: FoundTopicAPI?
    /// The messages that the project may send in a minute. `nil` until FCM has refused some, and said so.
    package var sendQuota: SendQuota?
    /// Trial sends, oldest first. They are not occurrences.
    package var tests: [RecordedTest] = []
    /// The git commits that were applied, in the order in which they last were.
    package var commits: [AppliedCommit] = []
    /// What was approved last, by `kind:name`. Empty if nobody ever approved.
    package var approvals: [String: RecordedApproval] = [:]
    /// What was noted last.
    package var notes: [StateNote: String] = [:]
    /// What runs and commands left.
    package var stamps = Stamps()
    /// When messages that count for caps started. It outlives the occurrences.
    package var starts: [OccurrenceID: Partition<MessageStart>] = [:]
    /// Since when every message that counts is in there. `nil` if the last run had no caps.
    package var countingSince: Date?
    /// When FCM was asked last which topics a registration follows. Those that are in no set were never asked for.
    package var observed = Partition<Date>()
    /// One more than the highest number given out.
    package var nextRecipient = KnownRecipient.firstID

    package init(identity: Identity) { self.identity = identity }

    /// What a state is bound to when it is created. Using it for anything else is an error.
    package struct Identity: Hashable, Sendable {
        /// The unique id of this state.
        package var lineage: String
        package var project: String
        package var endpoint: EndpointKind
        package var created: Date
        /// The workspace's name. Only a state in a file may have none; then none is compared.
        package var workspace: String?

        package init(
            lineage: String, project: String, endpoint: EndpointKind, created: Date, workspace: String? = nil
        ) {
            self.lineage = lineage
            self.project = project
            self.endpoint = endpoint
            self.created = created
            self.workspace = workspace
        }
    }

    package struct FoundTopicAPI: Hashable, Sendable {
        package var api: TopicAPI
        package var at: Date

        package init(_ api: TopicAPI, at: Date) {
            self.api = api
            self.at = at
        }
    }

    package struct SendQuota: Hashable, Sendable {
        package var perMinute: Int
        /// When FCM told it last.
        package var at: Date

        /// No project has another quota.
        package static let possible = ErrorBody.possibleLimits

        package init(perMinute: Int, at: Date) {
            self.perMinute = perMinute
            self.at = at
        }

        package var rate: Rate { .limited(max(1, perMinute / 60)) }
    }

    /// What plans, runs and `state show` read. Finished occurrences have counts only.
    package var snapshot: RecordedState {
        var copy = self
        copy.occurrences = occurrences.mapValues(\.summary)
        return copy
    }
}
