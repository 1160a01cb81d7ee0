package import FCM

/// What `apply` will do, and nothing else. It has many parts, because each kind of news that a plan has is one.
package struct Plan: Hashable, Sendable {
    /// The time it was made for.
    package var at: Date
    package var workspaceDigest: String
    /// The state it was made from, and that state's serial. `nil` without a state.
    package var state: StateMark?
    /// In the order in which they begin. A send comes after the memberships it waits for and before all others.
    package var steps: [Step] = []
    /// When the next send comes due that is not in the plan.
    package var nextDue: Date?
    package var missed: [Missed] = []
    /// Occurrences that `catch_up` leaves out because a later one is sent. That is no failure.
    package var superseded: [Missed] = []
    /// Occurrences in local time that are over and had nobody, because everybody on the list joined too late, or because
    /// seeds had no wave to start with. That is no failure, since they are no part of it.
    package var joinedLate: [Missed] = []
    /// How many more there are than these lists have.
    package var unlisted = Unlisted()
    /// Occurrences that have no recipient left to be tried, but whose end is not in the state because of a crash.
    package var over: [OccurrenceID] = []
    package var held: [Held] = []
    /// What the state notes apart from steps: for caps, of stages, and of members who left by themselves.
    package var notes: [StateChange] = []
    /// Due sends that may not start yet.
    package var waiting: [Waiting] = []
    /// Campaigns that the state knows under an earlier name.
    package var renames: [Rename] = []
    /// Topics that were renamed, with the names they have now.
    var successors: [TopicName: TopicName] = [:]
    /// How far each cron campaign is dealt with once all its steps have begun.
    package var watermarks: [String: Watermark] = [:]
    /// Campaigns that are or were in local time: what the plan found by looking at whose clocks came to them.
    var looks: [String: Look] = [:]
    /// Campaigns of which a clock that was fast left times that are later than the machine's own.
    package var silenced: [Silenced] = []
    package var refusals: [GuardRefusal] = []
    /// Those of them because of which a run leaves something out.
    package var withheld: [GuardRefusal] = []
    /// Whether approvals are required, and nobody approved `herald.yaml` as it is.
    package var hasUnapprovedSettings = false
    /// What nobody approved, where `approval: required` is set. Its steps are blocked.
    package var unapproved: [Unapproved] = []
    /// The recorded sizes of audiences whose new size a guard blocks.
    package var refusedSizes: [String: Int] = [:]
    /// See `RecordedState.refusedMembers`.
    var refusedMembers: [String: Int] = [:]
    /// Audiences whose size is compared with what another one had, or with their own of long ago.
    var inheriting: Set<String> = []
    /// The sizes that stay recorded because the guard was not overridden, or because the plan does not judge them.
    package var keptSizes: [String: Int] = [:]
    /// The audiences whose lists it judges, and whose sizes it records. `nil` for all.
    package var judgedAudiences: Set<String>?
    /// How large audiences were that are gone. `nil` if the state knows it.
    package var goneSizes: [String: Int]?

    package struct StateMark: Hashable, Sendable {
        package var lineage: String
        package var serial: Int64
        /// Recipients below this number are known to the state and keep their number for good.
        package var firstNew = KnownRecipient.firstID
    }

    package struct Rename: Hashable, Sendable {
        package var old: String
        package var new: String
    }

    /// One unit of work: all joins or all leaves of one topic, some of a group, or the sends of one occurrence.
    package struct Step: Hashable, Sendable {
        package var work: Work
        /// For readers. It has no effect on the run.
        package var reason: String
        /// The least time it takes at the allowed rates.
        package var seconds = 0
        /// How much of that time the ramp costs.
        package var rampSeconds = 0
        /// For leaves: the topic that all of them must have joined before.
        package var successor: TopicName?
        /// Those of them who leave in any case, because `suppress` takes them out of both topics.
        package var atOnce = RecipientSet()
        /// Why this step is blocked: by a guard, or because nobody approved it. The other steps are done.
        package var refusal: String?
        /// Who approved it, where `approval: required` is set.
        package var approver: String?
        /// For joins: whether herald adopts those whom FCM has as subscribers already.
        package var adopts = false
    }

    package enum Work: Hashable, Sendable {
        case subscribe(TopicName, RecipientSet)
        case unsubscribe(TopicName, RecipientSet)
        case adopt(Adoption)
        case group(GroupChange)
        case send(Send)
    }

    /// Whom others subscribed becomes herald's, or is theirs again. It needs no request.
    package struct Adoption: Hashable, Sendable {
        package enum Action: String, Hashable, Sendable {
            case adopt
            case giveBack = "return"
        }

        package var topic: TopicName
        /// The name that the files have for it.
        package var declared: TopicName
        package var action: Action
        package var members: RecipientSet
        /// How many members of the topic others subscribed, those who are adopted included.
        package var all: Int
    }

    /// One call about a device group.
    package struct GroupChange: Hashable, Sendable {
        package enum Action: String, Hashable, Sendable {
            case create = "group_create"
            case add = "group_add"
            case remove = "group_remove"
            /// Removes all members. FCM then forgets the group.
            case delete = "group_delete"
        }

        package var group: GroupName
        package var action: Action
        package var members: RecipientSet
        /// The number of this step among the steps of the same group and action, from 1.
        package var part = 1
    }

    /// The sends of one occurrence. It has many parts, because a plan holds all that a run needs.
    package struct Send: Hashable, Sendable {
        package var campaign: String
        package var occurrence: OccurrenceID
        package var revision: Int
        package var due: Date?
        /// Since when somebody of its members may start, as far as their clock, their window and their stage say. `nil`
        /// without a due time.
        package var startable: Date?
        /// When its first run began it. `nil` if this run begins it.
        package var begun: Date?
        package var target: Campaign.Target
        package var contentDigest: String
        package var content: MessageContent
        /// No run begins or resumes it after this time. One that is under way goes on.
        package var deadline: Date?
        /// When the first of its members is too late, where their clocks or windows differ. A saved plan holds no longer.
        package var firstDeadline: Date?
        package var delivery: Campaign.Delivery
        /// The recipients that requests are for.
        package var members: RecipientSet
        /// Recipients that a crash left between intent and outcome, or whom `on_error: hold` stops by now. This run records
        /// them as unknown.
        package var discovered: RecipientSet
        /// Members that FCM refused in an earlier run. If FCM delivered all the same, they get the message twice.
        package var deferred: RecipientSet = []
        /// Whom FCM refused for now in an earlier run. The file holds that by now, so this run records them as unknown.
        package var refusedAndHeld = RecipientSet()
        /// Members whose outcome is unknown, and who are sent it again.
        package var repeated: RecipientSet = []
        /// What the state has of those whom a person has tried again. Who is not reached keeps it.
        package var again = Ledger()
        /// How many people it reaches: `members`, or a topic's subscribers.
        package var recipients: Int
        /// Whether those are all. An app may subscribe its users to a topic itself.
        package var isCounted = true
        /// How many people the whole occurrence is for: who was tried, who may be sent it now or later, and whose clock
        /// has not reached it. A snapshot says only between which bounds that is.
        package var whole = 0...0
        /// Whether an earlier run has begun the occurrence.
        package var isResumed: Bool
        /// Which of the members gets which text of a personal campaign. Empty for other campaigns.
        package var classes = Partition<MessageClass>()
        /// What the state must learn before the first request: whom the occurrence is for, holdouts included. `nil` if it
        /// knows, or if one request reaches everybody.
        package var assignment: Partition<MessageClass>?
        /// Those of them who were skipped as no part of it (`Ledger.released`).
        package var returning = RecipientSet()
        /// Until when members may start, where their window closes.
        package var closings = Partition<Date>()
        /// Whether the occurrence goes on after this step: some whom it is for wait for their window, or left the list and
        /// may come back.
        package var staysOpen = false
        /// In local time: whether the list may lack somebody whose clock is ahead. Then it stays open as *done*.
        package var mayGrow = false
        package var leftOut = Plan.LeftOut()
        /// How its messages count for caps. `nil` if they do not.
        package var counting: StartCounting?
        /// When earlier messages of it started that may have arrived. They count, whatever becomes of a repeat.
        package var earlierStarts = Partition<MessageStart>()
        /// Those of the members who are seeds. Their local times, windows and caps do not count, and they fill no cap.
        package var seeds = RecipientSet()
        /// Whom the run skips for good.
        package var skipped = Partition<SkipReason>()
        /// Those of them who keep the outcome that they have, because they were tried before.
        package var keepingOutcome = RecipientSet()
        /// What is told of those of the skipped for whom no run came in time. `nil` if that is nobody.
        package var missed: Missed?
        /// Whether an earlier run has told that of somebody else of the occurrence. It is news, and a failure, once.
        package var hasMissedBefore = false
        /// Whom FCM refused for now in an earlier run, and who is not tried again. They may have got it: they end rejected.
        package var refused = RecipientSet()
        /// Those of the undecided whom FCM refused for now in an earlier run: if a cap stops them, they end as rejected.
        package var refusedIfStopped = RecipientSet()
        /// Those of the skipped whom caps stop only if earlier sends of the plan start. Before the send begins the run
        /// decides; who is still in here then is not skipped, and waits for the next plan.
        package var undecided = RecipientSet()
        /// `nil` if it is due at the same instant for all.
        package var waves: Waves?
        /// `nil` if it opens to everybody at once.
        package var staging: Staging?
        /// The stages as the state is to know them, where the file has none any more and the rest opens. `nil` if it knows.
        package var restOpening: [RecordedStage]?
        /// Whether a person lets it go on, although herald had stopped it.
        package var liftsHalt = false
    }

    /// An occurrence that was due and is not sent, to anybody or to some.
    package struct Missed: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var due: Date
        package var reason: String
        /// What to record if the state has nothing about it yet, so that it is reported only once.
        package var unrecorded: RecordedOccurrence?
        /// Until when its campaign was dealt with before. After `state rewind` that is another time.
        package var mark: Date?
        /// Whether it is too late for some only. A step accounts for them, and the occurrence does not end by that.
        package var isPartial = false

        /// `tide@once was not sent: it is later than max_lateness allows`
        var words: String { "\(occurrence) was not sent\(isPartial ? " to everybody" : ""): \(reason)" }
    }

    /// By campaign.
    package struct Unlisted: Hashable, Sendable {
        package var missed: [String: Int] = [:]
        package var superseded: [String: Int] = [:]
    }

    /// Something that must be approved before its steps are done.
    package struct Unapproved: Hashable, Sendable {
        package var resource: Definition.Key
        package var reason: String

        var sentence: String { "\(resource.words) is not approved: \(reason)" }
    }

    /// An occurrence that goes on by itself.
    package struct Waiting: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var campaign: String
        package var target: Campaign.Target
        /// Whose clock its schedule goes by.
        package var zone: Zone
        /// What it waits for.
        package var reason: String
        package var until: Date
        /// How many people wait.
        package var recipients: Int
        /// Whether those are all; see `Plan.Send.isCounted`.
        package var isCounted: Bool
        /// Whether caps may stop some of them.
        var isCapped: Bool
        /// Whether the campaign's next stage opens then.
        package var opensStage = false
        /// `nil` if it opens to everybody at once, or if nobody knows who is in which stage.
        package var stages: StageTable?

        init(_ send: Send, in zone: Zone, for reason: String, until: Date, recipients: Int) {
            (occurrence, campaign, target, isCounted) = (send.occurrence, send.campaign, send.target, send.isCounted)
            (self.zone, self.reason, self.until, self.recipients) = (zone, reason, until, recipients)
            isCapped = send.delivery.isCapped(to: send.target)
        }
    }

    package struct Held: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var reason: String
        package var resolve: String
        /// How many recipients would get it if nothing held it.
        package var remaining: Int
        package var kind = Kind.held
        /// Whether its occurrence is over, so that no run at work brings an answer for it.
        package var hasEnded = false
        /// The command of `resolve` that certainly sends nothing twice, or to nobody who should not get it.
        package var command = ""
        /// The guard that a person overrides for this step to let it go on. `nil` if no override does.
        package var override: Guard?
        /// As in `Waiting`.
        package var stages: StageTable?

        package enum Kind: String, Hashable, Sendable {
            /// A person paused it.
            case paused
            /// It waits because something may have arrived.
            case unknown
            /// herald stopped it.
            case halted
            /// Its file changed or went while it was half done, or its next stage waits for a person.
            case held
        }
    }
}

extension Plan {
    /// A run waits no longer than that for a stage, and for nothing else.
    static let stagePatience = Duration.seconds(60)

    /// When the next stage opens that a send waits for.
    private var nextStage: Date? { waiting.filter(\.opensStage).map(\.until).min() }

    /// Whether a stage opens so soon that a run waits for it.
    package func awaitsStage(at now: Date) -> Bool {
        nextStage.map { $0.timeIntervalSince(now) <= Self.stagePatience.seconds } ?? false
    }

    /// Whether applying it changes nothing.
    package var isEmpty: Bool { steps.isEmpty && missed.isEmpty && superseded.isEmpty && joinedLate.isEmpty }

    func judges(audience: String) -> Bool { judgedAudiences?.contains(audience) ?? true }

    package var missedCount: Int { missed.count + unlisted.missed.values.reduce(0, +) }
    package var supersededCount: Int { superseded.count + unlisted.superseded.values.reduce(0, +) }
}

extension Plan.Work {
    /// How many recipients the step accounts for.
    package var planned: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .adopt(let adoption): adoption.members.count
        case .group(let change): change.members.count
        case .send(let send):
            send.members.count + send.discovered.count + send.refused.count + send.leftOut.count
                + send.skipped.all.count
        }
    }

    /// How many requests it takes if nothing goes wrong. Batches need fewer.
    package var requests: Int {
        switch self {
        case .subscribe(_, let members), .unsubscribe(_, let members): members.count
        case .adopt: 0
        case .group: 1
        case .send(let send): send.members.count
        }
    }
}
