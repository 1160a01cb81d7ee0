import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `looks_renamed` sees a campaign that was sent before under another name, whatever was renamed with it.
struct PlannerTwinTests {
    /// A state in which `old` was sent, and files that do not declare it any more.
    private func scenario(
        _ old: Campaign, audiences: Set<String> = ["others"], topics: [TopicName] = []
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.began(old, accepted: [1, 2, 3], finished: true)
        scenario.desired.audienceSizes = Dictionary(uniqueKeysWithValues: audiences.map { ($0, 3) })
        scenario.desired.topics = topics.map { DesiredTopic(name: $0, members: [1]) }
        return scenario
    }

    private func condition(_ text: String) throws -> Campaign.Target { .condition(try Condition(parsing: text)) }

    private func group(_ name: String) throws -> Campaign.Target { .group(try #require(GroupName(rawValue: name))) }

    private func expectTwin(_ scenario: PlanScenario, _ sourceLocation: SourceLocation = #_sourceLocation) {
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == [.looksRenamed], sourceLocation: sourceLocation)
        #expect(plan.refusals.allSatisfy { $0.message.contains("old@once") }, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 2])
    func `campaign and audience renamed at once, and its revision raised`(_ revision: Int) {
        var scenario = scenario(.tide("old", to: .audience("anglers")), audiences: ["fishers"])
        scenario.want(.tide("new", to: .audience("fishers"), revision: revision))
        expectTwin(scenario)
    }

    @Test func `campaign and topic renamed at once, alone or in a condition`() throws {
        for (before, after) in [
            (Campaign.Target.topic("ebb"), Campaign.Target.topic("tides")),
            (
                try condition("'ebb' in topics && 'flood' in topics"),
                try condition("'tides' in topics && 'flood' in topics")
            ),
        ] {
            var scenario = scenario(.tide("old", to: before), topics: ["tides", "flood"])
            scenario.want(.tide("new", to: after))
            expectTwin(scenario)
        }
    }

    @Test(arguments: [Campaign.Members.key, .each])
    func `campaign and group renamed at once`(_ members: Campaign.Members) throws {
        var (old, new) = (Campaign.tide("old", to: try group("g")), Campaign.tide("new", to: try group("h")))
        (old.delivery.members, new.delivery.members) = (members, members)
        var scenario = scenario(old)
        scenario.desired.groups = [DesiredGroup(name: try #require(GroupName(rawValue: "h")), members: [1])]
        scenario.want(new)
        expectTwin(scenario)
    }

    @Test func `a topic in place of an audience that is gone`() {
        var scenario = scenario(.tide("old", to: .audience("anglers")), topics: ["tides"])
        scenario.want(.tide("new", to: .topic("tides")))
        expectTwin(scenario)
    }

    @Test(arguments: [("anglers", "anglers"), ("anglers", "fishers")])
    func `a name that is used again with a revision it never had`(_ before: String, _ after: String) {
        var scenario = scenario(.tide("old", to: .audience(before), revision: 3), audiences: [after])
        // The name was that of another campaign, which was sent too.
        scenario.began(.tide("new", to: .audience("others"), title: "Low tide"), accepted: [1], finished: true)
        scenario.desired.audienceSizes["others"] = 3
        scenario.want(.tide("new", to: .audience(after), revision: 3))
        #expect(scenario.plan().refusals.map(\.kind) == [.looksRenamed])
    }

    @Test func `a copy for some of those whom the campaign went to, once it goes to others`() {
        var scenario = scenario(.tide("old", to: .audience("all")), audiences: ["italy", "england"])
        scenario.want(.tide("old", to: .audience("italy")))
        scenario.want(.tide("new", to: .audience("england")))
        expectTwin(scenario)
    }

    @Test func `a snapshot shows the twin, or that it cannot be seen`() throws {
        for before in [Campaign.Target.audience("anglers"), .topic("ebb"), try condition("'ebb' in topics")] {
            var scenario = scenario(.tide("old", to: before), audiences: ["fishers"])
            scenario.state.audienceSizes = ["anglers": 3]
            scenario.state.topics["ebb"] = .init(found: [1])
            scenario.want(.tide("new", to: .audience("fishers")))
            let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
            let forecast = Planner.forecast(
                from: snapshot, of: scenario.desired, scenario.settings, at: PlanScenario.now
            ).proposal
            let isRefused = forecast.plan.refusals.map(\.kind) == [.looksRenamed]
            let isTold = forecast.overview.unjudged.contains {
                $0.kind == .looksRenamed && $0.names == ["campaign 'new'"]
            }
            #expect(isRefused != isTold)
            #expect(isRefused == before.topics.isEmpty || before == .topic("ebb"))
        }
    }

    // MARK: The everyday

    @Test func `the same message to two audiences that both are declared`() {
        var scenario = scenario(.tide("old", to: .audience("anglers")), audiences: ["anglers", "fishers"])
        scenario.want(.tide("old", to: .audience("anglers")))
        scenario.want(.tide("new", to: .audience("fishers")))
        #expect(scenario.plan().refusals.isEmpty)
        // The first one's file may be gone by now, as long as its audience is there.
        scenario.desired.sends.removeFirst()
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `the real thing after a trial on listed registrations`() {
        var scenario = scenario(.tide("old", to: .registrations([.fid(1)])), audiences: ["anglers"])
        scenario.want(.tide("new", to: .audience("anglers")))
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `a copy for others, of a campaign whose audience was renamed`() {
        var scenario = scenario(.tide("old", to: .audience("anglers")), audiences: ["fishers", "others"])
        scenario.desired.audiencePreviousNames = ["fishers": ["anglers"]]
        scenario.want(.tide("old", to: .audience("fishers")))
        scenario.want(.tide("new", to: .audience("others")))
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `a new revision of a campaign, with its message or another`() {
        for title in ["High tide", "Low tide"] {
            var scenario = scenario(.tide("mine", to: .audience("anglers")), audiences: ["anglers"])
            scenario.want(.tide("mine", to: .audience("anglers"), revision: 2, title: title))
            #expect(scenario.plan().refusals.isEmpty)
            #expect(scenario.plan().sends.map(\.revision) == [2])
        }
    }

    @Test func `another message to an audience in place of one that is gone`() {
        var scenario = scenario(.tide("old", to: .audience("anglers")), audiences: ["fishers"])
        scenario.want(.tide("new", to: .audience("fishers"), title: "Low tide"))
        #expect(scenario.plan().refusals.isEmpty)
    }
}
