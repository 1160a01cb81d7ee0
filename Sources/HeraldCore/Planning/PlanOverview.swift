package import FCM

/// What people see in addition to a plan's steps. It has no effect: a run uses the plan alone. It has many parts, because
/// each kind of news that a plan has for people is one.
package struct PlanOverview: Hashable, Sendable {
    /// Sorted by time. If some are left out, the next send of each campaign has priority.
    package var upcoming: [Upcoming] = []
    /// How many upcoming sends are not listed.
    package var upcomingOmitted = 0
    package var warnings: [String] = []
    /// Those of the warnings that say what waits until it is known who is in an audience.
    package var undecided: [String] = []
    /// How many rows of lists name an installation that is already counted.
    package var collapsed = 0
    /// Whom filters of audiences leave out for a time, or for a value of another type.
    package var leftOut: [LeftOut] = []
    /// By topic: how many the files list and are left out, because they left by themselves. Only topics that have some.
    package var leftByThemselves: [TopicName: Int] = [:]
    /// How many recipients on the lists FCM declared dead. `nil` if that is not known.
    package var deadListed: Int? = 0
    package var figures = Figures.exact
    /// When the snapshot was taken that it was planned from. `nil` if it was planned from the state itself.
    package var snapshot: Date?
    /// By campaign: recipients whose row names no time zone, so that their window goes by the default one.
    package var zonesDefaulted: [String: Int] = [:]
    /// By campaign that is due once and sends to each person: the occurrence of its revision, if that has begun.
    package var begun: [String: OccurrenceID] = [:]
    /// With campaigns under the names that they have now.
    package var pauses = Pauses()
    /// Groups that no file declares, and that herald cannot delete without the project's number.
    package var undeletable: [GroupName] = []
    /// Guards that could not be judged, and so refuse nothing.
    package var unjudged: [UnjudgedGuard] = []
    /// The personal campaigns that were planned, by name. Empty where lists were not read.
    package var personal: [PersonalOverview] = []

    /// What the person waits for who was asked about (`Planner.Input.person`), by time.
    package var waits: [Wait] = []
    /// Whether that person is left out, because they have no living registration.
    package var isPersonDead = false

    /// Why somebody has not got an occurrence that they are to get.
    package struct Wait: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var reason: String
        /// When that may change. `nil` if a person decides, or if nobody knows.
        package var until: Date?
    }

    /// How many upcoming sends are listed at most, unless more campaigns have a next one.
    static let shownUpcoming = 100

    /// How far its numbers of recipients and members are to be believed.
    package enum Figures: Hashable, Sendable {
        case exact
        /// From a snapshot: recipients are at most so many, and changes of members are what the sizes differ by.
        case estimated
        /// Lists were not read.
        case unknown
    }

    package struct Upcoming: Hashable, Sendable {
        package var occurring: Occurring
        package var target: Campaign.Target
        package var recipients: Int
        /// Whether those are all; see `Plan.Send.isCounted`.
        package var isCounted = true
        /// How many of them caps stop, as far as that is foreseen. What else comes before it may stop more. `nil` if no
        /// cap stops anybody.
        var capped: Int?
        /// In local time, who is reached when.
        package var waves: [Plan.Wave] = []
        /// In local time, those who are sent the next one, by the instant at which their clock comes to it. For later
        /// ones it is empty: a large list would be kept once for each.
        var coming = Partition<Date>()
        /// How the next send of a campaign opens up. `nil` if it opens to everybody at once, or has begun.
        package var stages: Plan.StageTable?
        /// Set on the last one of a campaign that is listed: what comes after it, and is not.
        var further: Further?

        /// The others, of whom caps may stop more.
        var reach: Int { recipients - (capped ?? 0) }
    }

    /// Sends of one campaign that are only counted.
    struct Further: Hashable, Sendable {
        var count: Int
        /// When the last of them is.
        var last: LocalTime

        static func + (one: Further, other: Further) -> Further {
            Further(count: one.count + other.count, last: max(one.last, other.last))
        }
    }

    /// Sends that are to come, wait or are held, and that nobody approved where that is required.
    package private(set) var unapproved: [Plan.Unapproved] = []
    /// Why, by campaign. There may be ten thousand.
    private var reasons: [String: String] = [:]

    mutating func add(_ unapproved: Plan.Unapproved) {
        self.unapproved.append(unapproved)
        reasons[unapproved.resource.name] = unapproved.reason
    }

    /// What people are told beside a send that is to come.
    package func note(of upcoming: Upcoming) -> String {
        let campaign = upcoming.occurring.campaign
        let unapproved = reasons[campaign].map { "not approved: \($0)" } ?? ""
        let (capped, all) = (upcoming.capped ?? 0, count(upcoming.recipients, "recipient"))
        let caps = capped > 0 ? "frequency caps stop \(capped.grouped) of \(all)" : ""
        return [upcoming.occurring.note, caps, unapproved, pauses.include(campaign) ? "paused" : ""]
            .filter { !$0.isEmpty }.joined(separator: "; ")
    }

    package init() {}
}

/// A plan, and what people see of it before they approve it.
package struct Proposal: Hashable, Sendable {
    package var plan: Plan
    package var overview: PlanOverview

    package init(_ plan: Plan, _ overview: PlanOverview = PlanOverview()) {
        self.plan = plan
        self.overview = overview
    }
}
