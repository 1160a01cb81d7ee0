import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A topic's new name: nobody is lost on the way, and no guard is passed by it.
struct PlannerRenameTests {
    /// The topic 'tides', which was called 'ebb' and 'spring' before.
    private func scenario(_ members: RecipientSet, prune: Bool = true) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.desired.topics = [
            DesiredTopic(name: "tides", members: members, prune: prune, previousNames: ["ebb", "spring"])
        ]
        return scenario
    }

    @Test func `without pruning everybody moves, also those whom the list has no more`() {
        var scenario = scenario([1, 2, 3], prune: false)
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...19), subscribing: [20])
        scenario.want(.tide(to: .topic("tides")))
        let plan = scenario.plan()
        let changes = plan.works.filter { if case .send = $0 { false } else { true } }
        #expect(changes == [.subscribe("tides", RecipientSet(1...20)), .unsubscribe("ebb", RecipientSet(1...20))])
        #expect(plan.steps.map(\.successor) == [nil, nil, "tides"])
        #expect(plan.sends.map(\.recipients) == [20])
        #expect(plan.refusals.isEmpty, "nobody leaves")
        scenario.carryOut(plan)
        #expect(scenario.plan().works.isEmpty)
        #expect(scenario.state.topics["tides"]?.managed == RecipientSet(1...20))
    }

    /// Of 20 under the earlier name. The default limit is 30 %. The new name has many others, which do not count.
    @Test(arguments: [(14, nil), (13, 35), (0, 100)] as [(RecipientID, Int?)], [[], RecipientSet(100...999)])
    func `who leaves on the way counts for the guard, however large the new topic is`(
        _ staying: (RecipientID, Int?), _ others: RecipientSet
    ) {
        let (count, percent) = staying
        var scenario = scenario(others.union(RecipientSet((1...20).prefix(Int(count)))))
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...20))
        scenario.state.topics["tides"] = .init(managed: others)
        let refusals = scenario.plan().refusals
        #expect(refusals.map(\.actual) == (percent.map { [$0] } ?? []))
        #expect(refusals.allSatisfy { $0.kind == .maxUnsubscribePercent && $0.name == "ebb" })
    }

    @Test func `a topic takes the members of all its earlier names, each once`() {
        var scenario = scenario([1], prune: false)
        scenario.state.topics["ebb"] = .init(managed: [1, 2], found: [7])
        scenario.state.topics["spring"] = .init(managed: [2, 3, 4])
        scenario.state.topics["tides"] = .init(managed: [5], found: [3])
        scenario.state.dead = [4]
        #expect(
            scenario.plan().works == [
                .subscribe("tides", [1, 2]), .unsubscribe("ebb", [1, 2]), .unsubscribe("spring", [2, 3]),
            ])
        scenario.carryOut(scenario.plan())
        #expect(scenario.plan().works.isEmpty)
        #expect(scenario.state.topics["ebb"]?.preexisting == [7], "who was there before is not ours to move")
    }

    @Test func `a chain of renames keeps everybody, however far it got`() {
        var scenario = scenario([], prune: false)
        scenario.state.topics["ebb"] = .init(managed: [1, 2])
        scenario.carryOut(scenario.plan())
        scenario.desired.topics = [
            DesiredTopic(name: "neap", members: [], prune: false, previousNames: ["ebb", "tides"])
        ]
        scenario.state.topics["ebb"] = .init(managed: [3])
        scenario.carryOut(scenario.plan())
        #expect(scenario.state.topics["neap"]?.managed == [1, 2, 3])
        #expect(scenario.state.topics.filter { !$0.value.managed.isEmpty }.count == 1)
    }

    @Test func `an earlier name that is declared again keeps its members`() {
        var scenario = scenario([1], prune: false)
        scenario.want("ebb", [2])
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...10))
        let plan = scenario.plan()
        #expect(plan.works == [.unsubscribe("ebb", RecipientSet(3...10).union([1])), .subscribe("tides", [1])])
        #expect(plan.refusals.map(\.name) == ["ebb"])
    }

    @Test(arguments: [("tide", true), ("wind", false)])
    func `--campaign moves the members of its own target only`(_ name: String, _ moves: Bool) {
        var scenario = scenario([1])
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...10))
        scenario.want(.tide("tide", to: .topic("tides")))
        scenario.want(.tide("wind", to: .audience("all")))
        scenario.only = [name]
        let plan = scenario.plan()
        #expect(plan.steps.map(\.id).contains("unsubscribe:ebb") == moves)
        #expect(plan.refusals.isEmpty != moves)
    }

    // MARK: Taken back

    struct TakenBack: Sendable {
        var listed = RecipientSet(1...6)
        var drift = Topic.Drift.keep
        var isKnown = true
        var joining = RecipientSet(1...6)
        var reason = "the topic is new"
    }

    /// The topic 'tides' was called 'ebb' until now. 2 left it by themselves.
    @Test(arguments: [
        TakenBack(joining: [1, 3, 4, 5, 6], reason: "the topic has its earlier name again"),
        TakenBack(drift: .restore, reason: "the topic has its earlier name again"),
        // Another topic, which was never called so, or is of others.
        TakenBack(isKnown: false), TakenBack(listed: [2, 3, 8, 9], joining: [2, 3, 8, 9]),
    ])
    func `whoever left a topic stays out of it when a new name is taken back`(_ example: TakenBack) {
        var scenario = PlanScenario()
        scenario.desired.topics = [DesiredTopic(name: "tides", members: example.listed, drift: example.drift)]
        if example.isKnown { scenario.state.topics["tides"] = RecordedTopic() }
        scenario.state.topics["ebb"] = .init(managed: [1, 3, 4, 5, 6])
        scenario.state.topics["ebb"]?.left = [2]
        let plan = scenario.plan()
        #expect(plan.works == [.unsubscribe("ebb", [1, 3, 4, 5, 6]), .subscribe("tides", example.joining)])
        #expect(plan.steps.last?.reason == example.reason)
        scenario.state.apply(plan.notes)
        scenario.carryOut(plan)
        #expect(scenario.state.topics["tides"]?.left == example.listed.subtracting(example.joining))
        scenario.state.apply(scenario.plan().notes)
        #expect(scenario.state.topics["ebb"]?.left == [])
        let next = scenario.plan()
        #expect(next.doesNothing && next.notes.isEmpty)
    }

    // MARK: Left out by a guard

    private static let workspace = {
        var workspace = Workspace(audiences: [Audience(name: .init("anglers"), source: .inline([]))])
        workspace.topics = [Topic(name: .init("tides"), subscribers: [.init("anglers")], previousNames: [.init("ebb")])]
        workspace.groups = [Group(name: .init("tides"), members: .inline([]))]
        return workspace
    }()

    @Test func `a guard that keeps people in a topic keeps them under its earlier names`() {
        var scenario = scenario(RecipientSet(1...5))
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...20))
        let plan = scenario.plan()
        let withheld = plan.withholding(plan.refusals, in: Self.workspace).steps.filter { $0.refusal != nil }
        #expect(withheld.map(\.id) == ["subscribe:tides", "unsubscribe:ebb"], "and nobody joins the new one")
    }

    @Test(arguments: [
        ("'tides' in topics", true), ("'wind' in topics && !('tides' in topics)", true), ("'wind' in topics", false),
    ])
    func `nothing goes to a new name, or to all but it, while a guard keeps people under the earlier one`(
        _ condition: String, _ isHeld: Bool
    ) throws {
        let campaigns = [
            Campaign.tide("now", to: .condition(try Condition(parsing: condition))),
            .tide("late", to: .condition(try Condition(parsing: condition)), at: .after(-3 * 86_400)),
        ]
        var (scenario, workspace) = (scenario(RecipientSet(1...5)), Self.workspace)
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...20))
        for campaign in campaigns { scenario.want(campaign, for: .target) }
        workspace.campaigns = campaigns
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.name) == ["ebb"] && plan.missed.map(\.occurrence) == [campaigns[1].id])
        let withheld = plan.withholding(plan.refusals, in: workspace)
        #expect(withheld.steps.first { $0.id == "send:now@once" }.map { $0.refusal != nil } == isHeld)
        #expect(withheld.missed.isEmpty == isHeld, "nothing is missed meanwhile")
    }

    /// They are listed again. The guard is about the new name, and so no note of that is made.
    @Test func `a guard that keeps people in a topic keeps who left its earlier names`() {
        var scenario = scenario(RecipientSet(1...5).union([30]))
        scenario.state.topics["tides"] = .init(managed: RecipientSet(1...20))
        var earlier = RecordedTopic()
        earlier.recipients = Partition(disjoint: [.left: [30]])
        scenario.state.topics["ebb"] = earlier
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.name) == ["tides"])
        let withheld = plan.withholding(plan.refusals, in: Self.workspace)
        scenario.state.apply(withheld.notes)
        #expect(scenario.state.topics["ebb"]?.left == [30])
        // The list is right again.
        scenario.desired.topics[0].members = RecipientSet(1...20).union([30])
        #expect(scenario.plan().works.isEmpty)
    }

    @Test func `an audience that collapsed empties no topic by way of a new name`() {
        var scenario = scenario([])
        scenario.state.topics["ebb"] = .init(managed: RecipientSet(1...9))
        scenario.state.audienceSizes = ["anglers": 100]
        scenario.desired.audienceSizes = ["anglers": 0]
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == [.audienceCollapse])
        let withheld = plan.withholding(plan.refusals, in: Self.workspace).steps.filter { $0.refusal != nil }
        #expect(withheld.map(\.id) == ["unsubscribe:ebb"])
    }

    @Test func `an emptied list of people who want no promotions holds promotions, and nothing else`() {
        var scenario = PlanScenario()
        var promo = Campaign.tide("promo", to: .audience("all"))
        promo.suppressed = [.init("no-promo")]
        let news = Campaign.tide("news", to: .audience("all"))
        scenario.want(promo, for: [1, 2])
        scenario.want(news, for: [1, 2])
        scenario.state.audienceSizes = ["no-promo": 100]
        scenario.desired.audienceSizes = ["no-promo": 0]
        var workspace = Workspace(audiences: [Audience(name: .init("no-promo"), source: .inline([]))])
        workspace.campaigns = [promo, news]
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == [.audienceCollapse])
        let withheld = plan.withholding(plan.refusals, in: workspace).steps.filter { $0.refusal != nil }
        #expect(withheld.map(\.id) == ["send:promo@once"])
    }

    @Test(arguments: [true, false])
    func `a topic and a group of one name are left out apart`(_ isTopic: Bool) throws {
        var scenario = PlanScenario()
        let (few, many) = (RecipientSet(1...10), RecipientSet(1...20))
        scenario.want("tides", isTopic ? [1] : RecipientSet(1...9))
        scenario.state.topics["tides"] = .init(managed: few)
        var group = RecordedGroup()
        group.key = NotificationKey(rawValue: "key")
        group.members = many
        scenario.state.groups["tides"] = group
        scenario.desired.groups = [DesiredGroup(name: "tides", members: isTopic ? RecipientSet(1...19) : [1])]
        let plan = scenario.plan()
        let refusal = try #require(plan.refusals.first)
        #expect(plan.refusals.count == 1 && refusal.override == "--override max_unsubscribe_percent=tides")
        let withheld = plan.withholding(plan.refusals, in: Self.workspace).steps.filter { $0.refusal != nil }
        #expect(withheld.map(\.id) == [isTopic ? "unsubscribe:tides" : "group_remove:tides"])
    }

    @Test func `a size is kept for the audience that a guard refused, not for a campaign of its name`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 1
        scenario.want(.tide("anglers"), for: [1, 2])
        scenario.state.audienceSizes = ["anglers": 100]
        scenario.desired.audienceSizes = ["anglers": 0]
        let plan = scenario.plan()
        let ofCampaigns = plan.refusals.filter { $0.kind == .maxRecipients }
        #expect(ofCampaigns.count == 1)
        #expect(plan.withholding(ofCampaigns, in: Self.workspace).keptSizes.isEmpty)
        #expect(plan.withholding(plan.refusals, in: Self.workspace).keptSizes == ["anglers": 100])
    }
}
