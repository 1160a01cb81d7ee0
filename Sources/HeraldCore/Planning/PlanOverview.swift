internal import FCM

/// What people are shown beside a plan's steps. It steers nothing: a run is made from the plan alone.
package struct PlanOverview: Hashable, Sendable {
    /// By time; the next one of each campaign is among them.
    package var upcoming: [Upcoming] = []
    /// Upcoming sends beyond those listed.
    package var upcomingOmitted = 0
    package var warnings: [String] = []
    /// Rows of lists that name an installation which is counted already.
    package var collapsed = 0
    /// Recipients that lists name and FCM declared dead.
    package var deadListed = 0
    /// Whether lists were left unread, so that nobody can tell how many are meant.
    package var listsSkipped = false

    /// The most upcoming sends that are listed.
    static let shownUpcoming = 100

    package struct Upcoming: Hashable, Sendable {
        package var occurring: Occurring
        package var target: Campaign.Target
        package var recipients: Int
    }

    package init() {}
}

/// A plan, and what is shown of it before it is approved.
package struct Proposal: Hashable, Sendable {
    package var plan: Plan
    package var overview: PlanOverview

    package init(_ plan: Plan, _ overview: PlanOverview = PlanOverview()) {
        self.plan = plan
        self.overview = overview
    }
}
