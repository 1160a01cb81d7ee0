import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlannerSendTests {
    // MARK: Due

    @Test func `without a schedule it is due at once`() throws {
        var scenario = PlanScenario()
        scenario.want(.tide(), for: [1, 2, 3])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.occurrence.rawValue == "tide@once")
        #expect(send.members == [1, 2, 3])
        #expect(send.recipients == 3)
        #expect(send.deadline == nil)
        #expect(!send.isResumed)
    }

    @Test(arguments: [
        (Campaign.tide(), "tide@once"),
        (.tide(revision: 2), "tide@once#2"),
        (.tide(at: .after(-60)), "tide@2025-12-01T07:59:00Z"),
        (.tide(at: .after(-60), revision: 12), "tide@2025-12-01T07:59:00Z#12"),
    ])
    func `the occurrence is named by campaign, time and revision`(_ campaign: Campaign, _ name: String) {
        var scenario = PlanScenario()
        scenario.want(campaign)
        #expect(scenario.plan().sends.map(\.occurrence.rawValue) == [name])
    }

    /// Seconds between due time and now. The default `max_lateness` is two hours.
    @Test(arguments: [(-1, false, false), (0, true, false), (7200, true, false), (7201, false, true)])
    func `is due from its time until max_lateness has passed`(_ lateness: Int, _ isDue: Bool, _ isMissed: Bool) {
        var scenario = PlanScenario()
        scenario.want(.tide(at: .after(-lateness)))
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.sends.isEmpty != isDue)
        #expect(plan.missed.isEmpty != isMissed)
        #expect(overview.upcoming.isEmpty == (lateness >= 0))
    }

    @Test func `before its time it is coming up`() throws {
        var scenario = PlanScenario()
        for (name, wait, members) in [("later", 7200, [1]), ("sooner", 3600, [1, 2])] as [(String, Int, RecipientSet)] {
            var campaign = Campaign.tide(name, at: .after(wait))
            campaign.schedule.zone = try #require(Zone(named: "Europe/Rome"))
            scenario.want(campaign, for: members)
        }
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.isEmpty)
        #expect(overview.upcoming.map(\.occurring.campaign) == ["sooner", "later"])
        #expect(overview.upcoming.map(\.occurring.at) == [.after(3600), .after(7200)])
        #expect(overview.upcoming.map(\.recipients) == [2, 1])
        #expect(overview.upcoming.map(\.occurring.zone.name) == ["Europe/Rome", "Europe/Rome"])
        #expect(overview.upcoming.map(\.occurring.local.hour) == [10, 11])
    }

    @Test func `nothing starts after the due time and max_lateness`() {
        var scenario = PlanScenario()
        var campaign = Campaign.tide(at: .after(-60))
        campaign.schedule.maxLateness = .seconds(600)
        scenario.want(campaign)
        #expect(scenario.plan().sends.map(\.deadline) == [.after(540)])
    }

    @Test func `an occurrence too late is missed once`() {
        var scenario = PlanScenario()
        scenario.want(.tide(at: .after(-10_000)))
        let plan = scenario.plan()
        #expect(plan.missed.map(\.due) == [.after(-10_000)])
        #expect(plan.steps.isEmpty)
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
    }

    /// It had another time when it left 2 without an answer, or a cron.
    @Test(arguments: [true, false])
    func `what went out at an earlier time asks for its decision until somebody gives it`(isFinished: Bool) {
        var scenario = PlanScenario()
        let (earlier, campaign) = (Campaign.tide(at: .after(-7200)), Campaign.tide(at: .after(-3600)))
        scenario.began(earlier, accepted: [1], unknown: [2], finished: true)
        scenario.began(campaign, accepted: isFinished ? [1, 2, 3] : [1], finished: isFinished)
        scenario.want(campaign)
        let plan = scenario.plan()
        #expect(plan.held.map(\.occurrence) == [earlier.id] && plan.held.map(\.kind) == [.unknown])
        #expect(plan.sends.map(\.members) == (isFinished ? [] : [[2, 3]]))
    }

    @Test func `what was missed and never began is due at its new time`() {
        var scenario = PlanScenario()
        scenario.want(.tide(at: .after(-10_000)))
        scenario.carryOut(scenario.plan())
        scenario.desired.sends = []
        scenario.want(.tide(at: .after(-1)))
        #expect(scenario.plan().sends.map(\.due) == [.after(-1)])
    }

    @Test(arguments: [nil, .after(-60), .after(-10_000)] as [Date?])
    func `a disabled campaign plans nothing`(_ due: Date?) {
        var scenario = PlanScenario()
        scenario.want(.tide(at: due, enabled: false))
        #expect(scenario.plan().doesNothing)
    }

    @Test func `leaves out the dead`() {
        var scenario = PlanScenario()
        scenario.want(.tide(), for: [1, 2, 3])
        scenario.state.dead = [2]
        #expect(scenario.plan().sends.map(\.members) == [[1, 3]])
        #expect(scenario.plan().sends.map(\.recipients) == [2])
    }

    // MARK: Topics

    @Test func `one request reaches a topic and all who will be subscribed`() throws {
        var scenario = PlanScenario()
        scenario.want("tides", [1, 2, 3])
        scenario.state.topics["tides"] = .init(managed: [3, 4], found: [5])
        scenario.want(.tide(to: .topic("tides")))
        let step = try #require(scenario.plan().steps.last)
        #expect(step.work.planned == 1)
        #expect(step.work.requests == 1)
        #expect(scenario.plan().sends.map(\.members) == [[0]])
        #expect(scenario.plan().sends.map(\.recipients) == [4], "1, 2 and 3 by the files, 5 found there; 4 leaves")
    }

    // MARK: Begun

    @Test func `what was finished is not sent again`() {
        var scenario = PlanScenario()
        scenario.want(.tide(), for: [1, 2, 3])
        scenario.began(.tide(), accepted: [1, 2], finished: true)
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.doesNothing)
        #expect(overview.warnings.isEmpty)
        #expect(plan.held.isEmpty)
    }

    @Test func `what is half done goes on with those not tried`() throws {
        var scenario = PlanScenario()
        scenario.want(.tide(), for: [1, 2, 3, 4, 5])
        scenario.began(.tide(), accepted: [1], rejected: [2], unknown: [3])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [4, 5])
        #expect(send.recipients == 2)
        #expect(send.isResumed)
    }

    @Test(arguments: [
        Campaign.tide(title: "Low tide"), .tide(to: .topic("tides")), .tide(at: .after(-60)),
        .tide(at: .after(60)),
    ])
    func `a changed campaign that was sent plans nothing and names revision`(_ changed: Campaign) {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1, 2, 3], finished: true)
        scenario.want(changed)
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.doesNothing)
        #expect(overview.upcoming.isEmpty)
        #expect(overview.warnings.count == 1)
        #expect(overview.warnings.allSatisfy { $0.contains("'tide'") && $0.contains("revision: 2") })
    }

    @Test func `a change is warned of too where a crash kept the end from being recorded`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1, 2, 3])
        scenario.want(.tide(title: "Low tide"), for: [1, 2, 3])
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.doesNothing)
        #expect(overview.warnings.count { $0.contains("revision: 2") } == 1)
    }

    @Test func `another revision sends to everybody again`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1, 2, 3], finished: true)
        scenario.want(.tide(revision: 2, title: "Low tide"), for: [1, 2, 3])
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.sends.map(\.occurrence.rawValue) == ["tide@once#2"])
        #expect(plan.sends.map(\.members) == [[1, 2, 3]])
        #expect(overview.warnings.isEmpty)
    }

    @Test func `what is half done is shown when its campaign goes on to another revision`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1])
        scenario.want(.tide(revision: 2), for: [1, 2, 3])
        let plan = scenario.plan()
        #expect(plan.sends.map(\.occurrence.rawValue) == ["tide@once#2"])
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test(arguments: [
        Campaign.tide(title: "Low tide"), .tide(to: .topic("tides")), .tide(at: .after(-60)),
        .tide(at: .after(60)), .tide(enabled: false),
    ])
    func `what is half done and changed or disabled is held`(_ changed: Campaign) {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1])
        scenario.want(changed, for: [1, 2, 3])
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.doesNothing)
        #expect(overview.upcoming.isEmpty)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test func `what is half done is held when its file vanishes`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1])
        scenario.began(.tide("done"), accepted: [1], finished: true)
        let plan = scenario.plan()
        #expect(plan.doesNothing)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test func `what is half done and too late is missed, never sent`() {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(at: .after(-7201))
        scenario.began(campaign, accepted: [1])
        scenario.want(campaign, for: [1, 2, 3])
        let plan = scenario.plan()
        #expect(plan.steps.isEmpty)
        #expect(plan.missed.map(\.occurrence) == [campaign.id])
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
        #expect(scenario.state.occurrences[campaign.id]?.accepted == [1])
    }

    @Test func `what a crash left of a send that is too late is still accounted for`() throws {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(at: .after(-7201))
        scenario.began(campaign, accepted: [1], intended: [2, 3])
        scenario.want(campaign, for: [1, 2, 3, 4])
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members.isEmpty)
        #expect(send.discovered == [2, 3])
        #expect(plan.missed.map(\.occurrence) == [campaign.id])
        #expect(plan.held.map(\.occurrence) == [campaign.id])
    }

    @Test func `an occurrence whose end a crash kept from the state is over`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1, 2])
        scenario.want(.tide(), for: [1, 2])
        let plan = scenario.plan()
        #expect(plan.isEmpty)
        #expect(plan.over.map(\.rawValue) == ["tide@once"])
    }

    @Test func `another audience entry after the end is not sent to`() {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1], finished: true)
        scenario.want(.tide(), for: [1, 2])
        #expect(scenario.plan().doesNothing)
    }

    // MARK: Unknown

    @Test(arguments: [true, false])
    func `unknown outcomes are held and shown, finished or not`(isFinished: Bool) {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1], unknown: [2, 3], finished: isFinished)
        scenario.want(.tide(), for: [1, 2, 3])
        let plan = scenario.plan()
        #expect(plan.doesNothing)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
        #expect(plan.held.allSatisfy { $0.reason.contains("2 recipients may or may not have got it") })
    }

    @Test func `intents without outcome are discovered, not sent again`() throws {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1], intended: [2, 3])
        scenario.want(.tide(), for: [1, 2, 3, 4])
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [4])
        #expect(send.discovered == [2, 3])
        #expect(plan.works.map(\.planned) == [3])
        #expect(plan.works.map(\.requests) == [1])
    }

    @Test func `on_unknown: resend sends again to unknown and discovered, and to nobody else`() throws {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(onUnknown: .resend)
        scenario.began(campaign, accepted: [1], rejected: [2], unknown: [3, 7], intended: [4, 8])
        scenario.want(campaign, for: [1, 2, 3, 4, 5])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [3, 4, 5])
        #expect(send.discovered == [8], "8 is no member any more: nothing is sent, but its intent is settled")
    }

    @Test func `whom resend cannot reach any more is held by the plan that ends it`() {
        var scenario = PlanScenario()
        var campaign = Campaign.tide()
        campaign.delivery.onUnknown = .resend
        scenario.began(campaign, accepted: [1], unknown: [2])
        scenario.want(campaign, for: [1])
        let plan = scenario.plan()
        #expect(plan.over == [campaign.id] && plan.held.map(\.kind) == [.unknown])
        scenario.carryOut(plan)
        #expect(scenario.plan().held == plan.held)
    }

    @Test func `an unknown topic send is held`() {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(to: .topic("tides"))
        scenario.began(campaign, unknown: .target)
        scenario.want(campaign)
        #expect(scenario.plan().doesNothing)
        #expect(scenario.plan().held.count == 1)
    }

    // MARK: --campaign

    @Test func `--campaign plans its send and its target's topic only`() {
        var scenario = PlanScenario()
        scenario.want("tides", [1])
        scenario.want("winds", [1])
        scenario.state.topics["gone"] = .init(managed: [1])
        scenario.want(.tide("tide", to: .topic("tides")))
        scenario.want(.tide("wind", to: .topic("winds")))
        scenario.want(.tide("both", to: .audience("anglers")))
        scenario.began(.tide("vanished"), accepted: [1])
        scenario.only = ["tide"]
        let plan = scenario.plan()
        #expect(plan.steps.map(\.id) == ["subscribe:tides", "send:tide@once"])
        #expect(plan.held.isEmpty)
        scenario.only = ["both"]
        #expect(scenario.plan().steps.map(\.id) == ["send:both@once"])
    }
}
