import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlannerTopicTests {
    @Test func `subscribes whom the files list and the state does not have`() {
        var scenario = PlanScenario()
        scenario.want("tides", [1, 2, 3])
        scenario.state.topics["tides"] = .init(managed: [2])
        #expect(scenario.plan().works == [.subscribe("tides", [1, 3])])
    }

    @Test func `unsubscribes whom herald owns and the files no longer list`() {
        var scenario = PlanScenario()
        scenario.want("tides", [2])
        scenario.state.topics["tides"] = .init(managed: [1, 2, 3])
        #expect(scenario.plan().works == [.unsubscribe("tides", [1, 3])])
    }

    @Test func `plans nothing where the state has what the files list`() {
        var scenario = PlanScenario()
        scenario.want("tides", [1, 2, 3])
        scenario.state.topics["tides"] = .init(managed: [1, 2], found: [3])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `plans nothing for a topic without subscribers`() {
        var scenario = PlanScenario()
        scenario.want("tides", [])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `leaves members alone where prune is off, and still subscribes`() {
        var scenario = PlanScenario()
        scenario.want("tides", [3], prune: false)
        scenario.state.topics["tides"] = .init(managed: [1, 2])
        #expect(scenario.plan().works == [.subscribe("tides", [3])])
    }

    @Test func `unsubscribes all it owns of a topic whose file is gone`() {
        var scenario = PlanScenario()
        scenario.state.topics["tides"] = .init(managed: [1, 2], found: [3])
        #expect(scenario.plan().works == [.unsubscribe("tides", [1, 2])])
    }

    @Test(arguments: [[], [3], [3, 4]] as [RecipientSet])
    func `never touches members found there`(_ listed: RecipientSet) {
        var scenario = PlanScenario()
        scenario.want("tides", listed)
        scenario.state.topics["tides"] = .init(found: [3, 4])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `asks again for those whose answer was never recorded`() {
        var scenario = PlanScenario()
        scenario.want("tides", [1, 2])
        scenario.state.topics["tides"] = .init(managed: [1], subscribing: [2])
        #expect(scenario.plan().works == [.subscribe("tides", [2])])
    }

    @Test(arguments: [true, false])
    func `unsubscribes those whose answer was never recorded once the files drop them`(isDeclared: Bool) {
        var scenario = PlanScenario()
        if isDeclared { scenario.want("tides", [1]) }
        scenario.state.topics["tides"] = .init(managed: isDeclared ? [1] : [], subscribing: [2])
        #expect(scenario.plan().works == [.unsubscribe("tides", [2])])
    }

    @Test func `leaves out the dead and counts them`() {
        var scenario = PlanScenario()
        scenario.list([1, 2, 3])
        scenario.want("tides", [1, 2, 3])
        scenario.state.dead = [2, 9]
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.works == [.subscribe("tides", [1, 3])])
        #expect(overview.deadListed == 1)
    }

    @Test(arguments: [nil, "tides", "ebb"] as [TopicName?])
    func `of a renamed topic everybody joins the new before anybody leaves the old`(
        _ sentTo: TopicName?
    ) throws {
        var scenario = PlanScenario()
        var topic = DesiredTopic(name: "tides", members: RecipientSet(1...20))
        topic.previousNames = ["ebb"]
        scenario.desired.topics = [topic]
        if let sentTo { scenario.want(.tide(to: .topic(sentTo))) }
        var old = RecordedTopic(managed: RecipientSet(1...19), found: [30], subscribing: [20])
        old.changed = .after(-86_400)
        scenario.state.topics["ebb"] = old
        let plan = scenario.plan()
        let changes = plan.works.filter { if case .send = $0 { false } else { true } }
        #expect(changes == [.subscribe("tides", RecipientSet(1...20)), .unsubscribe("ebb", RecipientSet(1...20))])
        #expect(plan.refusals.isEmpty)
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
        #expect(scenario.state.topics["ebb"]?.preexisting == [30], "who was there before is not ours to move")
    }

    @Test func `whoever is in a renamed topic with an earlier registration joins with the newest one`() {
        var scenario = PlanScenario()
        let former = KnownRecipient.firstFormer
        var topic = DesiredTopic(name: "tides", members: [1])
        topic.prune = false
        topic.previousNames = ["ebb"]
        scenario.desired.topics = [topic]
        scenario.state.topics["ebb"] = .init(managed: [1, 3, former])
        scenario.state.formers = [former: 2]
        #expect(
            scenario.plan().works == [.subscribe("tides", [1, 2, 3]), .unsubscribe("ebb", [1, 3, former])])
    }

    /// Recipients 2 and 3 are also in it with earlier registrations. The newest one of 2 is dead.
    @Test(arguments: [[], [2]] as [RecipientSet])
    func `whose newest registration is dead moves to a new name with the earlier one`(_ suppressed: RecipientSet) {
        var scenario = PlanScenario()
        let (former, other) = (KnownRecipient.firstFormer, KnownRecipient.firstFormer + 1)
        scenario.desired.topics = [
            DesiredTopic(name: "tides", members: [1], prune: false, previousNames: ["ebb"])
        ]
        scenario.desired.suppressed = suppressed
        scenario.state.topics["ebb"] = .init(managed: [1, former, other])
        scenario.state.formers = [former: 2, other: 3]
        scenario.state.dead = [2]
        let joining: RecipientSet = suppressed.isEmpty ? [1, 3, former] : [1, 3]
        #expect(
            scenario.plan().works == [.subscribe("tides", joining), .unsubscribe("ebb", [1, former, other])])
        scenario.carryOut(scenario.plan())
        #expect(scenario.plan().works.isEmpty)
        #expect(scenario.state.topics["tides"]?.managed == joining)
    }

    @Test func `the earlier registration moves on to each further name`() {
        var scenario = PlanScenario()
        let former = KnownRecipient.firstFormer
        scenario.state.topics["ebb"] = .init(managed: [former])
        scenario.state.formers = [former: 2]
        scenario.state.dead = [2]
        for names in [["tides", "ebb"], ["neap", "ebb", "tides"]] as [[TopicName]] {
            scenario.desired.topics = [
                DesiredTopic(name: names[0], members: [], prune: false, previousNames: Array(names.dropFirst()))
            ]
            scenario.carryOut(scenario.plan())
        }
        #expect(scenario.state.topics.filter { !$0.value.managed.isEmpty }.mapValues(\.managed) == ["neap": [former]])
    }

    /// A list names recipient 2 by a dead registration, and the state knows a living one.
    @Test(arguments: [true, false])
    func `whom lists name by dead registrations only leaves where no list names them`(isMember: Bool) {
        var scenario = PlanScenario()
        scenario.want("tides", isMember ? [1, 2, 3] : [1, 3])
        scenario.desired.registrations.dead = [2, 3]
        scenario.state.topics["tides"] = .init(managed: [1, 2])
        #expect(scenario.plan().works == (isMember ? [] : [.unsubscribe("tides", [2])]))
    }

    /// As above, and the topic was called 'ebb' before.
    @Test(arguments: [true, false], [true, false])
    func `whom lists name by dead registrations only moves to a topic's new name`(isMember: Bool, prune: Bool) {
        var scenario = PlanScenario()
        scenario.desired.topics = [
            DesiredTopic(
                name: "tides", members: isMember ? [1, 2, 3] : [1, 3], prune: prune, previousNames: ["ebb"])
        ]
        scenario.desired.registrations.dead = [2, 3]
        scenario.state.topics["ebb"] = .init(managed: [1, 2])
        let joining: RecipientSet = isMember || !prune ? [1, 2] : [1]
        #expect(scenario.plan().works == [.subscribe("tides", joining), .unsubscribe("ebb", [1, 2])])
        scenario.carryOut(scenario.plan())
        #expect(scenario.plan().works.isEmpty)
    }

    /// Of twenty, ten are named by dead registrations only. The guard stops at more than 30 %.
    @Test func `whoever moves to a topic's new name does not count as leaving`() {
        var scenario = PlanScenario()
        scenario.desired.topics = [
            DesiredTopic(name: "tides", members: RecipientSet(1...20), previousNames: ["ebb"])
        ]
        scenario.desired.registrations.dead = RecipientSet(11...20)
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...20))
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `a name that another topic has again is no previous name`() {
        var scenario = PlanScenario()
        var topic = DesiredTopic(name: "tides", members: [1])
        topic.previousNames = ["ebb"]
        scenario.desired.topics = [topic, DesiredTopic(name: "ebb", members: [2])]
        scenario.state.topics["ebb"] = .init(managed: [1, 2])
        #expect(scenario.plan().works == [.unsubscribe("ebb", [1]), .subscribe("tides", [1])])
    }

    @Test(arguments: [nil, [1, 3]] as [RecipientSet?])
    func `the dead left by themselves, whatever the state says of them`(_ listed: RecipientSet?) {
        var scenario = PlanScenario()
        if let listed { scenario.want("tides", listed) }
        scenario.state.topics["tides"] = .init(managed: [1], subscribing: [2])
        var group = RecordedGroup()
        group.key = NotificationKey(rawValue: "key")
        group.adding = [2]
        scenario.state.groups["chris"] = group
        scenario.state.dead = [1, 2, 3]
        #expect(scenario.plan().doesNothing)
    }

    @Test func `sends that wait for no topic come first by their time, topics go by name, leaves before joins`() {
        var scenario = PlanScenario()
        scenario.want(.tide("late", at: .after(-10)))
        scenario.want("b", [2])
        scenario.want(.tide("early", at: .after(-20)))
        scenario.want("a", [2])
        scenario.want(.tide("at-once"))
        scenario.state.topics["a"] = .init(managed: [1])
        scenario.state.topics["b"] = .init(managed: [1])
        scenario.state.topics["aa"] = .init(managed: [1])
        #expect(
            scenario.plan().steps.map(\.id) == [
                "send:early@2025-12-01T07:59:40Z", "send:late@2025-12-01T07:59:50Z", "send:at-once@once",
                "unsubscribe:a", "subscribe:a", "unsubscribe:aa", "unsubscribe:b", "subscribe:b",
            ])
    }

    @Test func `is bound to the state it was made against`() {
        var scenario = PlanScenario()
        scenario.state.serial = 12
        #expect(scenario.plan().state == .init(lineage: "lineage", serial: 12))
        scenario.hasState = false
        #expect(scenario.plan().state == nil)
    }

    @Test func `says how long the rates make a step last`() {
        var scenario = PlanScenario()
        scenario.settings.fcm.subscriptionRate = .limited(100)
        scenario.settings.fcm.rate = .limited(10)
        scenario.settings.fcm.ramp = .zero
        scenario.want("tides", RecipientSet(1...250))
        var campaign = Campaign.tide()
        scenario.want(campaign, for: RecipientSet(1...25))
        campaign.name = .init("slow")
        campaign.delivery.rate = .limited(5)
        scenario.want(campaign, for: RecipientSet(1...25))
        let seconds = Dictionary(uniqueKeysWithValues: scenario.plan().steps.map { ($0.id, $0.seconds) })
        #expect(seconds == ["subscribe:tides": 3, "send:tide@once": 3, "send:slow@once": 5])
    }
}

extension RecordedTopic {
    init(managed: RecipientSet = [], found: RecipientSet = [], subscribing: RecipientSet = []) {
        self.init()
        self.managed = managed
        self.preexisting = found
        self.subscribing = subscribing
    }
}
