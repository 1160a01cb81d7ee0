package import FCM

/// What planning needs of a state, for machines that must not have the state itself. Of members it says only how many
/// there are. It holds no registration, no fingerprint, no name of a group and nothing that a message says. It has many
/// parts, because each table of the state has its sizes here.
package struct StateSnapshot: Hashable, Sendable {
    package var identity: RecordedState.Identity
    package var serial: Int64
    /// When it was taken.
    package var time: Date
    package var sizes = Sizes()
    package var occurrences: [OccurrenceID: Occurrence] = [:]
    package var watermarks: [String: Watermark] = [:]
    package var formerNames: [String: Set<String>] = [:]
    package var pauses = Pauses()
    package var topicAPI: RecordedState.FoundTopicAPI?
    package var sendQuota: RecordedState.SendQuota?
    package var lastRun: RecordedRun?
    /// The last runs whose reports are beside the state, the newest first.
    package var runs: [RecordedRun] = []
    /// By audience.
    package var lists: [String: KnownList] = [:]
    /// `nil` if doctor never looked where the state is.
    package var checkup: RecordedCheckup?
    /// Who worked on the state, in words. `nil` if that is not known.
    package var workers: [String]?
    /// Campaigns of which `test` sent something.
    package var tested: Set<String> = []
    package var audienceSizes: [String: Int] = [:]
    package var goneAudiences: [String: Int] = [:]
    package var waited: [OccurrenceID: Date] = [:]
    /// By resource, as in `RecordedState`. `nil` if an older herald took it, which did not note them.
    package var approvals: [String: Approved]?

    package init(identity: RecordedState.Identity, serial: Int64, time: Date) {
        (self.identity, self.serial, self.time) = (identity, serial, time)
    }

    /// How many recipients are where.
    package struct Sizes: Hashable, Sendable {
        package var topics: [TopicName: Topic] = [:]
        /// By `digest(of:)`.
        package var groups: [String: Group] = [:]
        /// All recipients that the state has given a number.
        package var known = 0
        /// Recipients whose current registration is dead.
        package var dead = 0
        /// Dead registrations, current or not.
        package var tombstones = 0

        package init() {}
    }

    /// The sizes of a `RecordedTopic`, without dead recipients.
    package struct Topic: Hashable, Sendable {
        package var managed = 0
        package var subscribing = 0
        /// With dead ones: FCM may still send to them.
        package var preexisting = 0
        package var adopted = 0
        package var left = 0
        package var awaitsFile = false
        /// Memberships of herald's own that recipients have with an earlier registration. They are in no other figure.
        package var former = 0

        package init() {}
    }

    /// The sizes of a `RecordedGroup`, without dead recipients.
    package struct Group: Hashable, Sendable {
        package var members = 0
        package var adding = 0
        package var hasKey = false
        /// Those of them who are in it with an earlier registration.
        package var former = 0

        package init() {}
    }

    /// What was approved. Who did it is a person's name.
    package struct Approved: Hashable, Sendable {
        package var digest: String
        package var size: Int?

        package init(digest: String, size: Int?) { (self.digest, self.size) = (digest, size) }
    }

    package struct Occurrence: Hashable, Sendable {
        /// With counts instead of a ledger, and without the target and the classes.
        package var recorded: RecordedOccurrence
        /// What came of the one request to the whole target. The counts have it too. `nil` for one that is finished, or
        /// whose recipients get a request each.
        package var whole: LedgerEntry?

        package init(_ recorded: RecordedOccurrence, whole: LedgerEntry? = nil) {
            (self.recorded, self.whole) = (recorded, whole)
        }
    }
}
