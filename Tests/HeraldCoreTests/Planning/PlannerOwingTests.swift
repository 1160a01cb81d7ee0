import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// An occurrence knows whom it is for since it began.
struct PlannerOwingTests {
    private static let targets: [Campaign.Target] = [.audience("anglers"), .registrations([.fid(1)])]

    /// A send for recipients 1 to 4 that stopped after the first two.
    private func halfDone(
        _ campaign: Campaign, begun: Date = .after(-60), for members: RecipientSet = [1, 2, 3, 4]
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1, 2])
        scenario.state.occurrences[campaign.id]?.begun = begun
        scenario.state.apply([.assign(campaign.id, Partition(disjoint: [MessageClass(): members]))])
        return scenario
    }

    @Test(arguments: targets, [nil, Date.after(-60)] as [Date?])
    func `a send that begins records whom it is for`(_ target: Campaign.Target, _ due: Date?) throws {
        var scenario = PlanScenario()
        scenario.want(.tide(to: target, at: due))
        let send = try #require(scenario.plan().sends.first)
        #expect(send.assignment == Partition(disjoint: [MessageClass(): [1, 2, 3]]))
        #expect(send.classes.isEmpty)
    }

    @Test(arguments: targets)
    func `who is listed later is no part of it`(_ target: Campaign.Target) {
        let campaign = Campaign.tide(to: target)
        var scenario = halfDone(campaign)
        scenario.want(campaign, for: [1, 2, 3, 4, 5, 6])
        #expect(scenario.plan().sends.map(\.members) == [[3, 4]])
    }

    @Test(arguments: targets)
    func `who left the list is skipped, and gets it when they are back`(_ target: Campaign.Target) throws {
        let campaign = Campaign.tide(to: target)
        var scenario = halfDone(campaign)
        scenario.want(campaign, for: [1, 2, 3])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [3])
        #expect(send.leftOut.gone == [4])
        #expect(send.staysOpen)
        #expect(scenario.plan().steps.first?.work.planned == 2)
        scenario.person = 4
        #expect(scenario.overview.waits.map(\.reason).first?.hasPrefix("they are not on its list now") == true)

        // Nobody of the rest is listed: the occurrence goes on, and says so.
        scenario.state.apply([.outcome(campaign.id, [3], .accepted)])
        scenario.desired.sends[0].members = [1, 7]
        let plan = scenario.plan()
        #expect(plan.steps.isEmpty && plan.over.isEmpty)
        let warning = "tide@once is half done, and 1 recipient of it left the list"
        #expect(scenario.overview.warnings.contains { $0.hasPrefix(warning) && $0.hasSuffix("--abandon'") })
        scenario.desired.sends[0].members = [1, 4, 7]
        #expect(scenario.plan().sends.map(\.members) == [[4]])
    }

    @Test func `whoever is listed and dead did not leave the list`() throws {
        let campaign = Campaign.tide()
        var scenario = halfDone(campaign, for: [1, 2, 3, 4, 5])
        scenario.want(campaign, for: [1, 2, 3, 4])
        scenario.state.dead = [4]
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [3])
        #expect(send.leftOut.gone == [5] && send.leftOut.dead == [4])
        let report = StepReport(try #require(plan.steps.first))
        #expect(report.planned == 3 && report.skipped == 2)
        #expect(report.leftOut.words == "skipped: 1 not on the list any more, 1 with a dead registration")
        #expect(send.wordsOfSkipped == report.leftOut.words, "the plan says it, too")
    }

    @Test func `an open occurrence does not wait for whoever was erased, and their outcomes stay`() throws {
        let campaign = Campaign.tide()
        var scenario = halfDone(campaign, for: [1, 2, 3, 4, 5, 6])
        scenario.state.apply([
            .outcome(campaign.id, [4], .again), .reject(campaign.id, [5], code: "X"),
            .outcome(campaign.id, [5], .again), .outcome(campaign.id, [6], .deferred),
        ])
        scenario.want(campaign, for: [1, 2])
        #expect(scenario.plan().over.isEmpty)
        scenario.state.apply(scenario.state.changes(erasing: [3, 4, 5, 6]))
        let plan = scenario.plan()
        #expect(plan.over == [campaign.id] && plan.sends.isEmpty)
        let ledger = try #require(scenario.state.occurrences[campaign.id]?.ledger)
        #expect(ledger[.skipped] == [3] && ledger[.unknown] == [4] && ledger[.rejected] == [5, 6])
        #expect(ledger.codes["X"] == [5] && ledger.codes[Ledger.refusal] == [6])
    }

    @Test func `what has not begun is not begun by erasing one of those whom it is for`() {
        let campaign = Campaign.tide()
        var scenario = PlanScenario()
        scenario.began(campaign)
        scenario.state.apply([.assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2]]))])
        scenario.state.apply(scenario.state.changes(erasing: [2]))
        let occurrence = scenario.state.occurrences[campaign.id]
        #expect(occurrence?.isUnbegun == true && occurrence?.classes.all == [1])
    }

    @Test func `whoever was erased is not known any more`() {
        var state = RecordedState(identity: .sample())
        state.nextRecipient = 70_010
        for members in [[3, 4, 5], [70_000], [6, 1]] as [RecipientSet] { state.apply(state.changes(erasing: members)) }
        #expect(state.erased == [1, 3, 4, 5, 6, 70_000] && state.knownCount == 70_003)
        #expect(state.known.count == 70_003 && state.known.intersection(state.erased).isEmpty)
    }

    @Test(arguments: [
        "[[0,3],[2,900]]", "[[1,4294967295]]", "[[9,2]]", "{}", "[",
        "[[-1,99999999999999999999]]",
    ])
    func `a note of erased people that somebody wrote hides nobody else and costs nothing`(_ note: String) {
        var state = RecordedState(identity: .sample())
        state.nextRecipient = 5
        state.notes[.erased] = note
        #expect((0...4).contains(state.knownCount) && state.erased.count + state.knownCount == 4)
    }

    @Test func `when it is too late for them to come back, they are accounted for and it ends`() throws {
        let campaign = Campaign.tide(at: .after(-7300))
        var scenario = halfDone(campaign)
        scenario.want(campaign, for: [1, 2])
        let plan = scenario.plan()
        #expect(plan.missed.isEmpty && plan.over.isEmpty)
        let send = try #require(plan.sends.first)
        #expect(send.members.isEmpty && send.leftOut.gone == [3, 4] && !send.staysOpen)
        #expect(plan.steps.first?.work.planned == 2)
    }

    @Test(arguments: [59, 60])
    func `without a schedule, expires_after counts from when it began`(_ minutes: Int) {
        var campaign = Campaign.tide()
        campaign.delivery.expiresAfter = .seconds(3600)
        var scenario = halfDone(campaign, begun: .after(-60 * minutes))
        scenario.want(campaign, for: [1, 2, 3, 4])
        let plan = scenario.plan()
        if minutes < 60 {
            #expect(plan.sends.map { $0.limits(begun: PlanScenario.now).expiry } == [.after(60)])
        } else {
            #expect(plan.sends.isEmpty)
            #expect(plan.missed.map(\.occurrence) == [campaign.id])
        }
    }

    /// A run died after it had opened the occurrence, and before it tried anybody.
    private func opened(_ campaign: Campaign, at begun: Date) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.began(campaign)
        scenario.state.occurrences[campaign.id]?.begun = begun
        return scenario
    }

    @Test func `what tried nobody before its time was moved is late by its new time only`() {
        var scenario = opened(.tide(at: .after(-7300)), at: .after(-7300))
        let moved = Campaign.tide(at: PlanScenario.now)
        scenario.want(moved)
        let plan = scenario.plan()
        #expect(plan.missed.isEmpty && plan.sends.map(\.occurrence) == [moved.id])

        let late = scenario.plan(at: .after(7300))
        #expect(late.sends.isEmpty && late.missed.map(\.occurrence) == [moved.id])
        scenario.carryOut(late)
        #expect(scenario.plan(at: .after(7301)).missed.isEmpty)
    }

    @Test func `what tried nobody before its schedule was removed is told once as too old`() {
        var campaign = Campaign.tide()
        campaign.delivery.expiresAfter = .seconds(3600)
        var timed = campaign
        timed.schedule.times = .at(.after(-3600))
        var scenario = opened(timed, at: .after(-3600))
        scenario.want(campaign)
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty && plan.missed.map(\.occurrence) == [campaign.id])
        scenario.carryOut(plan)
        #expect(scenario.plan(at: .after(1)).missed.isEmpty)
    }

    @Test(arguments: [Resolution.resend, .retry(code: "UNREGISTERED")])
    func `an occurrence that is reopened is for those who were tried, also where nobody else was`(
        _ way: Resolution
    ) throws {
        let campaign = Campaign.tide()
        var scenario = PlanScenario()
        scenario.began(campaign, finished: true)
        scenario.state.apply([
            .assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2]])),
            way == .resend ? .outcome(campaign.id, [1], .unknown) : .reject(campaign.id, [1], code: "UNREGISTERED"),
        ])
        scenario.want(campaign, for: [1, 2, 3])
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: way, campaign: campaign, at: PlanScenario.now))
        #expect(scenario.state.occurrences[campaign.id]?.isUnbegun == false)
        #expect(scenario.plan().sends.map(\.members) == [[1]])

        // Another message does not take its place.
        scenario.desired.sends[0].campaign = .tide(title: "Low tide")
        #expect(scenario.plan().sends.isEmpty)
        #expect(scenario.plan().held.map(\.occurrence) == [campaign.id])
    }

    @Test func `an occurrence of an older herald goes on with everybody who is listed, and is theirs from then on`()
        throws
    {
        let campaign = Campaign.tide()
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1])
        scenario.want(campaign, for: [1, 2, 3])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [2, 3])
        #expect(send.assignment == Partition(disjoint: [MessageClass(): [1, 2, 3]]))
    }

    /// The target becomes an audience of 4 and 5, and then the first one again.
    @Test func `whom another target does not have is skipped, until a target has them again`() throws {
        let first = Campaign.tide()
        var scenario = halfDone(first, for: [1, 2, 3, 4])
        var other = first
        other.target = Located(.audience("sailors"))
        scenario.want(other, for: [4, 5])
        func goOn(_ campaign: Campaign) throws {
            scenario.state.apply(
                try scenario.state.changes(resolving: first.id, by: .goOn, campaign: campaign, at: PlanScenario.now))
        }
        try goOn(other)
        #expect(scenario.state.occurrences[first.id]?.codes == ["not_tried": [3, 4]])
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [4, 5] && plan.sends.count == 1)
        scenario.state.apply(try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at).opening)
        // The run stops before it comes to 4.
        scenario.state.apply([.outcome(first.id, [5], .accepted)])
        #expect(scenario.state.occurrences[first.id]?.codes == ["not_tried": [3]])
        #expect(scenario.plan().sends.map(\.members) == [[4]])
        scenario.desired.sends[0] = DesiredSend(campaign: first, members: [1, 2, 3, 4])
        try goOn(first)
        #expect(scenario.plan().sends.map(\.members) == [[3, 4]])
    }
}
