import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlannerTopicTests {
    @Test func `subscribes whom the files list and the state does not have`() {
        var world = World()
        world.want("tides", [1, 2, 3])
        world.state.topics["tides"] = .init(managed: [2])
        #expect(world.plan().works == [.subscribe("tides", [1, 3])])
    }

    @Test func `unsubscribes whom herald owns and the files no longer list`() {
        var world = World()
        world.want("tides", [2])
        world.state.topics["tides"] = .init(managed: [1, 2, 3])
        #expect(world.plan().works == [.unsubscribe("tides", [1, 3])])
    }

    @Test func `plans nothing where the state has what the files list`() {
        var world = World()
        world.want("tides", [1, 2, 3])
        world.state.topics["tides"] = .init(managed: [1, 2], found: [3])
        #expect(world.plan().doesNothing)
    }

    @Test func `plans nothing for a topic without subscribers`() {
        var world = World()
        world.want("tides", [])
        #expect(world.plan().doesNothing)
    }

    @Test func `leaves members alone where prune is off, and still subscribes`() {
        var world = World()
        world.want("tides", [3], prune: false)
        world.state.topics["tides"] = .init(managed: [1, 2])
        #expect(world.plan().works == [.subscribe("tides", [3])])
    }

    @Test func `unsubscribes all it owns of a topic whose file is gone`() {
        var world = World()
        world.state.topics["tides"] = .init(managed: [1, 2], found: [3])
        #expect(world.plan().works == [.unsubscribe("tides", [1, 2])])
    }

    @Test(arguments: [[], [3], [3, 4]] as [RecipientSet])
    func `never touches members found there`(_ listed: RecipientSet) {
        var world = World()
        world.want("tides", listed)
        world.state.topics["tides"] = .init(found: [3, 4])
        #expect(world.plan().doesNothing)
    }

    @Test func `asks again for those whose answer was never recorded`() {
        var world = World()
        world.want("tides", [1, 2])
        world.state.topics["tides"] = .init(managed: [1], subscribing: [2])
        #expect(world.plan().works == [.subscribe("tides", [2])])
    }

    @Test(arguments: [true, false])
    func `unsubscribes those whose answer was never recorded once the files drop them`(isDeclared: Bool) {
        var world = World()
        if isDeclared { world.want("tides", [1]) }
        world.state.topics["tides"] = .init(managed: isDeclared ? [1] : [], subscribing: [2])
        #expect(world.plan().works == [.unsubscribe("tides", [2])])
    }

    @Test func `leaves out the dead and counts them`() {
        var world = World()
        world.list([1, 2, 3])
        world.want("tides", [1, 2, 3])
        world.state.dead = [2, 9]
        let plan = world.plan()
        let overview = world.overview
        #expect(plan.works == [.subscribe("tides", [1, 3])])
        #expect(overview.deadListed == 1)
    }

    @Test(arguments: [nil, "tides", "ebb"] as [TopicName?])
    func `of a renamed topic everybody joins the new before anybody leaves the old, and no guard asks`(
        _ sentTo: TopicName?
    ) throws {
        var world = World()
        var topic = DesiredTopic(name: "tides", members: RecipientSet(1...20))
        topic.previousNames = ["ebb"]
        world.desired.topics = [topic]
        if let sentTo { world.want(.tide(to: .topic(sentTo))) }
        var old = RecordedTopic(managed: RecipientSet(1...19), found: [30], subscribing: [20])
        old.changed = .after(-86_400)
        world.state.topics["ebb"] = old
        let plan = world.plan()
        let changes = plan.works.filter { if case .send = $0 { false } else { true } }
        #expect(changes == [.subscribe("tides", RecipientSet(1...20)), .unsubscribe("ebb", RecipientSet(1...20))])
        #expect(plan.refusals.isEmpty)
        world.carryOut(plan)
        #expect(world.plan().doesNothing)
        #expect(world.state.topics["ebb"]?.preexisting == [30], "who was there before is not ours to move")
    }

    @Test func `a name that another topic has again is nobody's previous one`() {
        var world = World()
        var topic = DesiredTopic(name: "tides", members: [1])
        topic.previousNames = ["ebb"]
        world.desired.topics = [topic, DesiredTopic(name: "ebb", members: [2])]
        world.state.topics["ebb"] = .init(managed: [1, 2])
        #expect(world.plan().works == [.unsubscribe("ebb", [1]), .subscribe("tides", [1])])
    }

    @Test(arguments: [nil, [1, 3]] as [RecipientSet?])
    func `the dead left by themselves, whatever the state says of them`(_ listed: RecipientSet?) {
        var world = World()
        if let listed { world.want("tides", listed) }
        world.state.topics["tides"] = .init(managed: [1], subscribing: [2])
        var group = RecordedGroup()
        group.key = NotificationKey(rawValue: "key")
        group.adding = [2]
        world.state.groups["chris"] = group
        world.state.dead = [1, 2, 3]
        #expect(world.plan().doesNothing)
    }

    @Test func `sends that wait for no topic come first by their time, topics go by name, leaves before joins`() {
        var world = World()
        world.want(.tide("late", at: .after(-10)))
        world.want("b", [2])
        world.want(.tide("early", at: .after(-20)))
        world.want("a", [2])
        world.want(.tide("at-once"))
        world.state.topics["a"] = .init(managed: [1])
        world.state.topics["b"] = .init(managed: [1])
        world.state.topics["aa"] = .init(managed: [1])
        #expect(
            world.plan().steps.map(\.id) == [
                "send:early@2025-12-01T07:59:40Z", "send:late@2025-12-01T07:59:50Z", "send:at-once@once",
                "unsubscribe:a", "subscribe:a", "unsubscribe:aa", "unsubscribe:b", "subscribe:b",
            ])
    }

    @Test func `is bound to the state it was made against`() {
        var world = World()
        world.state.serial = 12
        #expect(world.plan().state == .init(lineage: "lineage", serial: 12))
        world.hasState = false
        #expect(world.plan().state == nil)
    }

    @Test func `says how long the rates make a step last`() {
        var world = World()
        world.settings.fcm.subscriptionRate = .limited(100)
        world.settings.fcm.rate = .limited(10)
        world.settings.fcm.ramp = .zero
        world.want("tides", RecipientSet(1...250))
        var campaign = Campaign.tide()
        world.want(campaign, for: RecipientSet(1...25))
        campaign.name = .init("slow")
        campaign.delivery.rate = .limited(5)
        world.want(campaign, for: RecipientSet(1...25))
        let seconds = Dictionary(uniqueKeysWithValues: world.plan().steps.map { ($0.id, $0.seconds) })
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
