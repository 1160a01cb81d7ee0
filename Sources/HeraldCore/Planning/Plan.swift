package import FCM

/// What `apply` will do, and nothing else.
package struct Plan: Hashable, Sendable {
    /// The instant it was made for.
    package var at: Date
    package var workspaceDigest: String
    /// Which state it was made against, and at what point of that state's life; absent without a state.
    package var state: StateMark?
    /// In the order in which they are begun: a send comes after the memberships it waits for and before all others.
    package var steps: [Step] = []
    /// When the next send comes due that the plan does not have yet.
    package var nextDue: Date?
    package var missed: [Missed] = []
    /// Occurrences of which nobody is left to be tried, and whose end a crash kept from the state.
    package var over: [OccurrenceID] = []
    package var held: [Held] = []
    /// Campaigns that the state knows by an earlier name.
    package var renames: [Rename] = []
    /// How far each cron campaign is dealt with when all its steps are begun.
    package var watermarks: [String: Watermark] = [:]
    package var refusals: [GuardRefusal] = []
    /// The recorded sizes of audiences whose new ones a guard refuses.
    package var refusedSizes: [String: Int] = [:]
    /// Those that stay recorded, since the guard was not overridden.
    package var keptSizes: [String: Int] = [:]

    package struct StateMark: Hashable, Sendable {
        package var lineage: String
        package var serial: Int64
        /// Lower numbers are recipients that the state knows, each the same for good.
        package var firstNew = KnownRecipient.firstID
    }

    package struct Rename: Hashable, Sendable {
        package var old: String
        package var new: String
    }

    /// One unit of work: all of one topic's joins or leaves, some of a group's, or one occurrence's sends.
    package struct Step: Hashable, Sendable {
        package var work: Work
        /// For readers; it never steers the run.
        package var reason: String
        /// How long the rates make it last, at least.
        package var seconds = 0
        /// Of those, what it would not take if the rate were there from the start.
        package var rampSeconds = 0
        /// Of leaves: the topic that everybody is to have joined before.
        package var successor: TopicName?
        /// Why a guard does not let it be done; the steps around it are.
        package var refusal: String?
    }

    package enum Work: Hashable, Sendable {
        case subscribe(TopicName, RecipientSet)
        case unsubscribe(TopicName, RecipientSet)
        case group(GroupChange)
        case send(Send)
    }

    /// One call about a device group.
    package struct GroupChange: Hashable, Sendable {
        package enum Action: String, Hashable, Sendable {
            case create = "group_create"
            case add = "group_add"
            case remove = "group_remove"
            /// Removes everybody, whereupon FCM forgets the group.
            case delete = "group_delete"
        }

        package var group: GroupName
        package var action: Action
        package var members: RecipientSet
        /// Of several steps of one group and action, which one it is, from 1.
        package var part = 1
    }

    package struct Send: Hashable, Sendable {
        package var campaign: String
        package var occurrence: OccurrenceID
        package var revision: Int
        package var due: Date?
        package var target: Campaign.Target
        package var contentDigest: String
        package var content: MessageContent
        /// Nothing starts after it.
        package var deadline: Date?
        package var expiresAfter: Duration?
        package var rate: Rate?
        package var stopWhenRejectedPercent: Int
        package var onUnknown: Campaign.OnUnknown
        /// How a device group is reached; of no meaning for other targets.
        package var groupMembers: Campaign.Members = .key
        /// Whom requests go to.
        package var members: RecipientSet
        /// Left by a crash between intent and outcome; this run records them as unknown.
        package var discovered: RecipientSet
        /// Of the members, whom FCM refused in an earlier run: should it have delivered all the same, they get it twice.
        package var deferred: RecipientSet = []
        /// How many people it is for: `members`, or a topic's subscribers.
        package var recipients: Int
        /// Whether the state has the occurrence open.
        package var isResumed: Bool
    }

    package struct Missed: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var due: Date
        package var reason: String
        /// What the state is to keep of it, where it has nothing yet, so that it is missed once and not for ever.
        package var unrecorded: RecordedOccurrence?
    }

    package struct Held: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var reason: String
        package var resolve: String
        /// Recipients who would be sent to if nothing held it.
        package var remaining: Int
    }
}

extension Plan {
    /// Whether applying it changes anything.
    package var isEmpty: Bool { steps.isEmpty && missed.isEmpty }
}

extension Plan.Send {
    /// The same with nobody to send to, only what a crash left to account for.
    func withoutRequests(leftByCrash discovered: RecipientSet) -> Plan.Send {
        var copy = self
        copy.members = []
        copy.recipients = 0
        copy.discovered = discovered
        return copy
    }
}

extension Plan.Work {
    /// Recipients the step accounts for.
    package var planned: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .group(let change): change.members.count
        case .send(let send): send.members.count + send.discovered.count
        }
    }

    /// How many requests it takes when nothing goes wrong; with batches, fewer.
    package var requests: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .group: 1
        case .send(let send): send.members.count
        }
    }
}

extension Plan {
    /// The campaign's message to a few registrations, as no occurrence of it.
    package init(testing campaign: Campaign, on registrations: [RecipientID: Registration], at now: Date) {
        let send = Send(
            campaign: campaign.name.value, occurrence: OccurrenceID(rawValue: "\(campaign.name.value)@test"),
            revision: campaign.revision, due: nil, target: .registrations(Array(registrations.values)),
            contentDigest: campaign.contentDigest, content: campaign.content, deadline: nil,
            expiresAfter: campaign.delivery.expiresAfter, rate: campaign.delivery.rate,
            stopWhenRejectedPercent: 100, onUnknown: .hold, members: RecipientSet(registrations.keys.sorted()),
            discovered: [], recipients: registrations.count, isResumed: false)
        self.init(at: now, workspaceDigest: "", state: nil)
        steps = [Step(work: .send(send), reason: "a test")]
    }
}

extension Plan {
    /// The first so many recipients of each send, as a dry run takes them; nobody of one that reaches a whole target.
    package func sample(_ count: Int) -> RecipientSet {
        let sample = steps.reduce(into: RecipientSet()) { sample, step in
            if case .send(let send) = step.work { sample.formUnion(RecipientSet(send.members.prefix(count))) }
        }
        return sample.subtracting(.target)
    }
}
