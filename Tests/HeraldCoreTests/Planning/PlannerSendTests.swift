import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlannerSendTests {
    // MARK: Due

    @Test func `without a schedule it is due at once`() throws {
        var world = World()
        world.want(.tide(), for: [1, 2, 3])
        let send = try #require(world.plan().sends.first)
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
        var world = World()
        world.want(campaign)
        #expect(world.plan().sends.map(\.occurrence.rawValue) == [name])
    }

    /// Seconds between due time and now; the default `max_lateness` is two hours.
    @Test(arguments: [(-1, false, false), (0, true, false), (7200, true, false), (7201, false, true)])
    func `is due from its time until max_lateness has passed`(_ lateness: Int, _ isDue: Bool, _ isMissed: Bool) {
        var world = World()
        world.want(.tide(at: .after(-lateness)))
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.sends.isEmpty != isDue)
        #expect(plan.missed.isEmpty != isMissed)
        #expect(overview.upcoming.isEmpty == (lateness >= 0))
    }

    @Test func `before its time it is coming up`() throws {
        var world = World()
        for (name, wait, members) in [("later", 7200, [1]), ("sooner", 3600, [1, 2])] as [(String, Int, RecipientSet)] {
            var campaign = Campaign.tide(name, at: .after(wait))
            campaign.schedule.zone = try #require(Zone(named: "Europe/Rome"))
            world.want(campaign, for: members)
        }
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.isEmpty)
        #expect(overview.upcoming.map(\.occurring.campaign) == ["sooner", "later"])
        #expect(overview.upcoming.map(\.occurring.at) == [.after(3600), .after(7200)])
        #expect(overview.upcoming.map(\.recipients) == [2, 1])
        #expect(overview.upcoming.map(\.occurring.zone.name) == ["Europe/Rome", "Europe/Rome"])
        #expect(overview.upcoming.map(\.occurring.local.hour) == [10, 11])
    }

    @Test func `shows a hundred of what comes up and counts the rest`() {
        var world = World()
        for number in 1...103 { world.want(.tide("c\(number)", at: .after(number))) }
        let overview = world.overview
        #expect(overview.upcoming.map(\.occurring.campaign) == (1...100).map { "c\($0)" })
        #expect(overview.upcomingOmitted == 3)
    }

    @Test func `nothing starts after the due time and max_lateness`() {
        var world = World()
        var campaign = Campaign.tide(at: .after(-60))
        campaign.schedule.maxLateness = .seconds(600)
        world.want(campaign)
        #expect(world.plan().sends.map(\.deadline) == [.after(540)])
    }

    @Test func `an occurrence too late is missed once`() {
        var world = World()
        world.want(.tide(at: .after(-10_000)))
        let plan = world.plan()
        #expect(plan.missed.map(\.due) == [.after(-10_000)])
        #expect(plan.steps.isEmpty)
        world.carryOut(plan)
        #expect(world.plan().doesNothing)
    }

    @Test func `what was missed and never began is due at its new time`() {
        var world = World()
        world.want(.tide(at: .after(-10_000)))
        world.carryOut(world.plan())
        world.desired.sends = []
        world.want(.tide(at: .after(-1)))
        #expect(world.plan().sends.map(\.due) == [.after(-1)])
    }

    @Test(arguments: [nil, .after(-60), .after(-10_000)] as [Date?])
    func `a disabled campaign plans nothing`(_ due: Date?) {
        var world = World()
        world.want(.tide(at: due, enabled: false))
        #expect(world.plan().doesNothing)
    }

    @Test func `leaves out the dead`() {
        var world = World()
        world.want(.tide(), for: [1, 2, 3])
        world.state.dead = [2]
        #expect(world.plan().sends.map(\.members) == [[1, 3]])
        #expect(world.plan().sends.map(\.recipients) == [2])
    }

    // MARK: Topics

    @Test func `one request reaches a topic and all who will be subscribed`() throws {
        var world = World()
        world.want("tides", [1, 2, 3])
        world.state.topics["tides"] = .init(managed: [3, 4], found: [5])
        world.want(.tide(to: .topic("tides")))
        let step = try #require(world.plan().steps.last)
        #expect(step.work.planned == 1)
        #expect(step.work.requests == 1)
        #expect(world.plan().sends.map(\.members) == [[0]])
        #expect(world.plan().sends.map(\.recipients) == [4], "1, 2 and 3 by the files, 5 found there; 4 leaves")
    }

    // MARK: Begun

    @Test func `what was finished is not sent again`() {
        var world = World()
        world.want(.tide(), for: [1, 2, 3])
        world.began(.tide(), accepted: [1, 2], finished: true)
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.doesNothing)
        #expect(overview.warnings.isEmpty)
        #expect(plan.held.isEmpty)
    }

    @Test func `what is half done goes on with those not tried`() throws {
        var world = World()
        world.want(.tide(), for: [1, 2, 3, 4, 5])
        world.began(.tide(), accepted: [1], rejected: [2], unknown: [3])
        let send = try #require(world.plan().sends.first)
        #expect(send.members == [4, 5])
        #expect(send.recipients == 2)
        #expect(send.isResumed)
    }

    @Test(arguments: [
        Campaign.tide(title: "Low tide"), .tide(to: .topic("tides")), .tide(at: .after(-60)),
        .tide(at: .after(60)),
    ])
    func `a changed campaign that was sent plans nothing and names revision`(_ changed: Campaign) {
        var world = World()
        world.began(.tide(), accepted: [1, 2, 3], finished: true)
        world.want(changed)
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.doesNothing)
        #expect(overview.upcoming.isEmpty)
        #expect(overview.warnings.count == 1)
        #expect(overview.warnings.allSatisfy { $0.contains("'tide'") && $0.contains("revision: 2") })
    }

    @Test func `a change is warned of too where a crash kept the end from being recorded`() {
        var world = World()
        world.began(.tide(), accepted: [1, 2, 3])
        world.want(.tide(title: "Low tide"), for: [1, 2, 3])
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.doesNothing)
        #expect(overview.warnings.count { $0.contains("revision: 2") } == 1)
    }

    @Test func `another revision sends to everybody again`() {
        var world = World()
        world.began(.tide(), accepted: [1, 2, 3], finished: true)
        world.want(.tide(revision: 2, title: "Low tide"), for: [1, 2, 3])
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.sends.map(\.occurrence.rawValue) == ["tide@once#2"])
        #expect(plan.sends.map(\.members) == [[1, 2, 3]])
        #expect(overview.warnings.isEmpty)
    }

    @Test func `what is half done is shown when its campaign goes on to another revision`() {
        var world = World()
        world.began(.tide(), accepted: [1])
        world.want(.tide(revision: 2), for: [1, 2, 3])
        let plan = world.plan()
        #expect(plan.sends.map(\.occurrence.rawValue) == ["tide@once#2"])
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test(arguments: [
        Campaign.tide(title: "Low tide"), .tide(to: .topic("tides")), .tide(at: .after(-60)),
        .tide(at: .after(60)), .tide(enabled: false),
    ])
    func `what is half done and changed or disabled is held`(_ changed: Campaign) {
        var world = World()
        world.began(.tide(), accepted: [1])
        world.want(changed, for: [1, 2, 3])
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.doesNothing)
        #expect(overview.upcoming.isEmpty)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test func `what is half done is held when its file vanishes`() {
        var world = World()
        world.began(.tide(), accepted: [1])
        world.began(.tide("done"), accepted: [1], finished: true)
        let plan = world.plan()
        #expect(plan.doesNothing)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
    }

    @Test func `what is half done and too late is missed, never sent`() {
        var world = World()
        let campaign = Campaign.tide(at: .after(-7201))
        world.began(campaign, accepted: [1])
        world.want(campaign, for: [1, 2, 3])
        let plan = world.plan()
        #expect(plan.steps.isEmpty)
        #expect(plan.missed.map(\.occurrence) == [campaign.id])
        world.carryOut(plan)
        #expect(world.plan().doesNothing)
        #expect(world.state.occurrences[campaign.id]?.accepted == [1])
    }

    @Test func `what a crash left of a send that is too late is still accounted for`() throws {
        var world = World()
        let campaign = Campaign.tide(at: .after(-7201))
        world.began(campaign, accepted: [1], intended: [2, 3])
        world.want(campaign, for: [1, 2, 3, 4])
        let plan = world.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members.isEmpty)
        #expect(send.discovered == [2, 3])
        #expect(plan.missed.map(\.occurrence) == [campaign.id])
        #expect(plan.held.map(\.occurrence) == [campaign.id])
    }

    @Test func `an occurrence whose end a crash kept from the state is over`() {
        var world = World()
        world.began(.tide(), accepted: [1, 2])
        world.want(.tide(), for: [1, 2])
        let plan = world.plan()
        #expect(plan.isEmpty)
        #expect(plan.over.map(\.rawValue) == ["tide@once"])
    }

    @Test func `another audience entry after the end is not sent to`() {
        var world = World()
        world.began(.tide(), accepted: [1], finished: true)
        world.want(.tide(), for: [1, 2])
        #expect(world.plan().doesNothing)
    }

    // MARK: Unknown

    @Test(arguments: [true, false])
    func `unknown outcomes are held and shown, finished or not`(isFinished: Bool) {
        var world = World()
        world.began(.tide(), accepted: [1], unknown: [2, 3], finished: isFinished)
        world.want(.tide(), for: [1, 2, 3])
        let plan = world.plan()
        #expect(plan.doesNothing)
        #expect(plan.held.map(\.occurrence.rawValue) == ["tide@once"])
        #expect(plan.held.allSatisfy { $0.reason.contains("2 may or may not have got it") })
    }

    @Test func `intents without outcome are discovered, not sent again`() throws {
        var world = World()
        world.began(.tide(), accepted: [1], intended: [2, 3])
        world.want(.tide(), for: [1, 2, 3, 4])
        let plan = world.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [4])
        #expect(send.discovered == [2, 3])
        #expect(plan.works.map(\.planned) == [3])
        #expect(plan.works.map(\.requests) == [1])
    }

    @Test func `on_unknown: resend sends again to unknown and discovered, and to nobody else`() throws {
        var world = World()
        let campaign = Campaign.tide(onUnknown: .resend)
        world.began(campaign, accepted: [1], rejected: [2], unknown: [3, 7], intended: [4, 8])
        world.want(campaign, for: [1, 2, 3, 4, 5])
        let send = try #require(world.plan().sends.first)
        #expect(send.members == [3, 4, 5])
        #expect(send.discovered == [8], "8 is no member any more: nothing is sent, but its intent is settled")
    }

    @Test func `an unknown topic send is held`() {
        var world = World()
        let campaign = Campaign.tide(to: .topic("tides"))
        world.began(campaign, unknown: .target)
        world.want(campaign)
        #expect(world.plan().doesNothing)
        #expect(world.plan().held.count == 1)
    }

    // MARK: --campaign

    @Test func `--campaign plans its send and its target's topic only`() {
        var world = World()
        world.want("tides", [1])
        world.want("winds", [1])
        world.state.topics["gone"] = .init(managed: [1])
        world.want(.tide("tide", to: .topic("tides")))
        world.want(.tide("wind", to: .topic("winds")))
        world.want(.tide("both", to: .audience("anglers")))
        world.began(.tide("vanished"), accepted: [1])
        world.only = ["tide"]
        let plan = world.plan()
        #expect(plan.steps.map(\.id) == ["subscribe:tides", "send:tide@once"])
        #expect(plan.held.isEmpty)
        world.only = ["both"]
        #expect(world.plan().steps.map(\.id) == ["send:both@once"])
    }
}
