import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Memberships that others made or ended: `adopt` and `drift` of a topic.
struct PlannerOwnershipTests {
    /// The topic 'tides' of these members, as the state has it.
    private func scenario(
        _ members: RecipientSet, _ recorded: RecordedTopic, drift: Topic.Drift = .keep, adopt: Bool = false,
        prune: Bool = true, previousNames: [TopicName] = []
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.declare(members, drift: drift, adopt: adopt, prune: prune, previousNames: previousNames)
        scenario.state.topics["tides"] = recorded
        return scenario
    }

    private func topic(_ sets: [Membership: RecipientSet]) -> RecordedTopic {
        var topic = RecordedTopic()
        topic.recipients = Partition(disjoint: sets)
        return topic
    }

    // MARK: Who left by themselves

    @Test func `who left stays out, and is counted`() {
        let scenario = scenario([1, 2, 3], topic([.managed: [1], .left: [2, 9]]))
        let proposal = scenario.proposal()
        #expect(proposal.plan.works == [.subscribe("tides", [3])])
        #expect(proposal.overview.leftByThemselves == ["tides": 1])
        #expect(proposal.plan.steps.map(\.reason) == ["the files list them"])
    }

    struct FormerLeft: Sendable {
        var managed: RecipientSet = []
        var isChanged = false
        var isReturning = false
        var drift = Topic.Drift.keep
        var works: [Plan.Work] = []
        var staysOut = true
    }

    /// The first recipient had an earlier registration, which left the topic by itself.
    @Test(arguments: [
        FormerLeft(), FormerLeft(drift: .restore, works: [.subscribe("tides", [1])], staysOut: false),
        // They are there with the registration that they have now.
        FormerLeft(managed: [1], staysOut: false),
        // A list names another one.
        FormerLeft(managed: [1], isChanged: true), FormerLeft(managed: [1], isChanged: true, isReturning: true),
    ])
    func `that somebody left belongs to them, whatever registration they have now`(_ example: FormerLeft) {
        let former = KnownRecipient.firstFormer
        var scenario = scenario(
            [1], topic([.left: [former], .managed: example.managed].filter { !$0.value.isEmpty }),
            drift: example.drift)
        scenario.state.formers = [former: 1]
        if example.isChanged { scenario.desired.registrations.changed = [1] }
        if example.isReturning { scenario.desired.registrations.returning = [former] }
        let proposal = scenario.proposal()
        #expect(proposal.plan.works == example.works)
        #expect(proposal.overview.leftByThemselves == (example.staysOut ? ["tides": 1] : [:]))
    }

    @Test func `a plan that does nothing says how many stay out`() {
        let proposal = scenario([1, 2], topic([.managed: [1], .left: [2]])).proposal()
        #expect(proposal.plan.isEmpty && proposal.plan.notes.isEmpty)
        #expect(proposal.overview.leftByThemselves == ["tides": 1])
    }

    @Test func `with 'restore', who left and is listed is subscribed again`() {
        var scenario = scenario([1, 2, 3], topic([.managed: [1], .left: [2, 3]]), drift: .restore)
        let proposal = scenario.proposal()
        #expect(proposal.plan.works == [.subscribe("tides", [2, 3])])
        #expect(proposal.overview.leftByThemselves.isEmpty)
        #expect(proposal.plan.steps[0].reason == "they left by themselves, and the file says 'drift: restore'")
        scenario.carryOut(proposal.plan)
        #expect(scenario.plan().doesNothing)
        #expect(scenario.state.topics["tides"]?.managed == [1, 2, 3])
    }

    @Test(arguments: Topic.Drift.allCases)
    func `who leaves the list and comes back is subscribed, once an apply has seen them gone`(drift: Topic.Drift) {
        var scenario = scenario([1], topic([.managed: [1], .left: [2]]), drift: drift)
        let gone = scenario.plan()
        #expect(gone.isEmpty && gone.notes == [.reclassify("tides", [2], .unlisted)])
        scenario.state.apply(gone.notes)
        #expect(scenario.plan().notes.isEmpty, "it is noted once")
        scenario.desired.topics[0].members = [1, 2]
        #expect(scenario.plan().works == [.subscribe("tides", [2])])
    }

    @Test func `who is left out for a while and listed all along stays out`() {
        var scenario = scenario([1], topic([.managed: [1], .left: [2]]))
        scenario.desired.topics[0].leftOut = [2, 3]
        #expect(scenario.plan().doesNothing)
        scenario.declare([1, 2])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `who is left out under a topic's new name stays out there`() {
        var scenario = scenario([1], topic([:]), previousNames: ["ebb"])
        scenario.desired.topics[0].leftOut = [2]
        scenario.state.topics["ebb"] = topic([.managed: [1], .left: [2]])
        scenario.state.apply(scenario.plan().notes)
        #expect(scenario.state.topics["tides"]?.left == [2] && scenario.state.topics["ebb"]?.left == [])
    }

    @Test func `a topic that was gone and is back is a new wish for everybody`() {
        var scenario = scenario([1], topic([.managed: [1], .left: [1]]))
        scenario.state.topics["tides"] = topic([.left: [1]])
        scenario.desired.topics = []
        scenario.state.apply(scenario.plan().notes)
        scenario.declare([1])
        #expect(scenario.plan().works == [.subscribe("tides", [1])])
    }

    @Test func `what a guard leaves out keeps who left, so that a broken list brings nobody back`() {
        let others = RecipientSet(100...199)
        let recorded = topic([.managed: RecipientSet(1...20), .preexisting: others, .left: [30]])
        var scenario = scenario(others, recorded)
        let plan = scenario.plan()
        #expect(plan.notes == [.reclassify("tides", [30], .unlisted)])
        var workspace = Workspace(audiences: [])
        workspace.topics = [.init(name: .init("tides"), subscribers: [.init("anglers")])]
        let withheld = plan.withholding(plan.refusals, in: workspace)
        #expect(withheld.steps.allSatisfy { $0.refusal != nil } && withheld.notes.isEmpty)
        scenario.desired.topics[0].members = RecipientSet(1...20).union(others).union([30])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `without an approval nobody is noted as gone from the list`() {
        var scenario = scenario([1], topic([.left: [2], .preexisting: [1]]), adopt: true)
        scenario.approval = Approval([], suppress: [])
        let plan = scenario.plan()
        #expect(plan.notes.isEmpty && plan.steps.map { $0.refusal != nil } == [true])
    }

    @Test func `who left the earlier name of a topic is not put into the new one`() {
        var scenario = scenario([1, 2, 3], topic([:]), previousNames: ["ebb"])
        scenario.state.topics["ebb"] = topic([.managed: [1], .left: [2, 9]])
        let proposal = scenario.proposal()
        #expect(proposal.plan.works == [.subscribe("tides", [1, 3]), .unsubscribe("ebb", [1])])
        #expect(proposal.overview.leftByThemselves == ["tides": 1])
        scenario.state.apply(proposal.plan.notes)
        scenario.carryOut(proposal.plan)
        #expect(scenario.state.topics["tides"]?.left == [2] && scenario.state.topics["ebb"]?.left == [])
        let next = scenario.plan()
        #expect(next.doesNothing && next.notes.isEmpty)
        // Whoever wants them back gets them back under the new name.
        scenario.declare([1, 2, 3], drift: .restore, previousNames: ["ebb"])
        #expect(scenario.plan().works == [.subscribe("tides", [2])])
    }

    @Test func `with 'restore' they are put into the new one`() {
        var scenario = scenario([1, 2], topic([:]), drift: .restore, previousNames: ["ebb"])
        scenario.state.topics["ebb"] = topic([.managed: [1], .left: [2]])
        let plan = scenario.plan()
        #expect(plan.works == [.subscribe("tides", [1, 2]), .unsubscribe("ebb", [1])])
        #expect(plan.notes == [.reclassify("ebb", [2], .unlisted)])
    }

    @Test func `a send reaches those who stay out no more`() {
        var scenario = scenario([1, 2, 3], topic([.managed: [1, 3], .left: [2]]))
        scenario.want(.tide(to: .topic("tides")))
        #expect(scenario.plan().sends.map(\.recipients) == [2])
        scenario.declare([1, 2, 3], drift: .restore)
        #expect(scenario.plan().sends.map(\.recipients) == [3])
    }

    // MARK: Adopting

    @Test func `adopts whom others subscribed and the files list, without a request`() throws {
        var scenario = scenario([1, 2, 3], topic([.managed: [1], .preexisting: [2, 3, 8, 9]]), adopt: true)
        let plan = scenario.plan()
        let adoption = Plan.Adoption(topic: "tides", declared: "tides", action: .adopt, members: [2, 3], all: 4)
        #expect(plan.works == [.adopt(adoption)])
        #expect(plan.works.map(\.requests) == [0] && plan.works.map(\.planned) == [2])
        #expect(plan.steps.map(\.id) == ["adopt:tides"])
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
        // A list that drops them unsubscribes them, and nobody else whom others subscribed.
        scenario.declare([1, 2], adopt: true)
        #expect(scenario.plan().works == [.unsubscribe("tides", [3])])
    }

    @Test func `takes it back exactly`() {
        var scenario = scenario(
            [1, 2], topic([.managed: [1], .adopted: [2, 3], .preexisting: [9]]), adopt: false)
        let plan = scenario.plan()
        let adoption = Plan.Adoption(topic: "tides", declared: "tides", action: .giveBack, members: [2, 3], all: 3)
        // 3 is not listed any more: what is given back in the same plan is not unsubscribed.
        #expect(plan.works == [.adopt(adoption)])
        #expect(plan.steps.map(\.id) == ["return:tides"])
        scenario.carryOut(plan)
        #expect(scenario.state.topics["tides"]?.preexisting == [2, 3, 9])
        #expect(scenario.plan().doesNothing)
    }

    @Test func `those who are dropped in the same change are not adopted`() {
        let scenario = scenario([2], topic([.preexisting: [2, 3]]), adopt: true)
        #expect(scenario.plan().works.map(\.planned) == [1])
    }

    @Test func `a join says that it adopts whom FCM has already`() {
        let plan = scenario([1], topic([:]), adopt: true).plan()
        #expect(plan.steps.map(\.adopts) == [true])
        #expect(scenario([1], topic([:])).plan().steps.map(\.adopts) == [false])
    }

    @Test func `the adopted leave with a topic that no file declares, and stay out of a plan where they are listed`() {
        var scenario = scenario([1, 2], topic([.managed: [1], .adopted: [2], .preexisting: [3]]), adopt: true)
        #expect(scenario.plan().doesNothing)
        scenario.desired.topics = []
        #expect(scenario.plan().works == [.unsubscribe("tides", [1, 2])])
    }

    @Test func `the guard counts the adopted, and not those who are only about to be`() {
        let adopted = RecipientSet(1...20)
        let leaving = scenario([1], topic([.adopted: adopted]), adopt: true).plan()
        #expect(leaving.refusals.map(\.actual) == [95])
        var both = topic([.managed: RecipientSet(1...10), .preexisting: RecipientSet(100...999)])
        let plan = scenario(RecipientSet(100...999), both, adopt: true).plan()
        #expect(plan.refusals.map(\.actual) == [100], "adopting many is no way around it")
        both.recipients.move(RecipientSet(100...999), to: .adopted)
        #expect(scenario(RecipientSet(100...999), both, adopt: true).plan().refusals.isEmpty)
    }

    @Test func `of a renamed topic those who are adopted move as everybody does`() {
        var scenario = scenario([1, 2, 3], topic([:]), adopt: true, previousNames: ["ebb"])
        scenario.state.topics["ebb"] = topic([.managed: [1], .adopted: [2], .preexisting: [3, 9]])
        let plan = scenario.plan()
        let adoption = Plan.Adoption(topic: "ebb", declared: "tides", action: .adopt, members: [3], all: 2)
        #expect(plan.works == [.subscribe("tides", [1, 2, 3]), .adopt(adoption), .unsubscribe("ebb", [1, 2, 3])])
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
        #expect(scenario.state.topics["ebb"]?.recipients == Partition(disjoint: [.preexisting: [9]]))
    }

    @Test func `a renamed topic that does not adopt gives back what the earlier name had adopted`() {
        var scenario = scenario([1, 2], topic([:]), previousNames: ["ebb"])
        scenario.state.topics["ebb"] = topic([.managed: [1], .adopted: [2]])
        let plan = scenario.plan()
        let adoption = Plan.Adoption(topic: "ebb", declared: "tides", action: .giveBack, members: [2], all: 1)
        #expect(plan.works == [.subscribe("tides", [1, 2]), .adopt(adoption), .unsubscribe("ebb", [1])])
        scenario.carryOut(plan)
        #expect(scenario.plan().doesNothing)
    }

    @Test func `without pruning the adopted stay`() {
        let recorded = topic([.adopted: [1, 2]])
        #expect(scenario([1], recorded, adopt: true, prune: false).plan().doesNothing)
    }

    @Test func `earlier registrations of those who are listed are adopted with them`() {
        let former = KnownRecipient.firstFormer
        var scenario = scenario([1], topic([.managed: [1], .preexisting: [former]]), adopt: true)
        scenario.state.formers = [former: 1]
        let adoption = Plan.Adoption(topic: "tides", declared: "tides", action: .adopt, members: [former], all: 1)
        #expect(scenario.plan().works == [.adopt(adoption)])
        scenario.carryOut(scenario.plan())
        scenario.declare([], adopt: true)
        #expect(scenario.plan().works == [.unsubscribe("tides", [1, former])])
    }

    @Test func `the dead are not adopted`() {
        var scenario = scenario([1, 2], topic([.preexisting: [1, 2]]), adopt: true)
        scenario.state.dead = [2]
        #expect(scenario.plan().works.map(\.planned) == [1])
    }

    // MARK: Imported

    @Test func `a topic that was imported is left alone until a file declares it`() {
        var scenario = scenario([1], topic([.managed: [1, 2], .preexisting: [3], .left: [4]]))
        scenario.state.topics["tides"]?.awaitsFile = true
        scenario.desired.topics = []
        let alone = scenario.plan()
        #expect(alone.doesNothing && alone.notes.isEmpty)
        // But for the suppressed.
        scenario.desired.suppressed = [2, 3, 9]
        let suppressing = scenario.plan()
        #expect(suppressing.works == [.unsubscribe("tides", [2])] && suppressing.notes.isEmpty)
        #expect(suppressing.steps.map(\.reason) == ["they are suppressed"])
        scenario.desired.suppressed = []
        scenario.declare([1])
        let declared = scenario.plan()
        #expect(declared.works == [.unsubscribe("tides", [2])])
        #expect(
            declared.notes == [.reclassify("tides", [4], .unlisted), .awaitFile("tides", false)])
        scenario.state.apply(declared.notes)
        scenario.desired.topics = []
        #expect(scenario.plan().works == [.unsubscribe("tides", [1, 2])], "as any topic whose file is gone")
    }

    @Test func `an imported topic may get a new name at once`() {
        var scenario = scenario([1], topic([:]), previousNames: ["old"])
        var old = topic([.managed: [1]])
        old.awaitsFile = true
        scenario.state.topics["old"] = old
        let plan = scenario.plan()
        #expect(plan.works == [.subscribe("tides", [1]), .unsubscribe("old", [1])])
        #expect(plan.notes == [.awaitFile("old", false)])
    }

    // MARK: What is planned without the keys

    @Test func `without the keys nothing new is in a plan`() {
        let scenario = scenario([1, 2], topic([.managed: [1, 5], .preexisting: [3]]))
        let document = PlanDocument(scenario.proposal(), id: "p", created: PlanScenario.now)
        let text = document.json.compactText
        for word in ["adopt", "left_by", "return", "\"of\""] { #expect(!text.contains(word), "\(word)") }
        #expect(!document.markdown.contains("by themselves") && !document.text(.plain).contains("adopt"))
    }

    @Test func `the documents have adoptions, returns and those who stay out`() throws {
        var scenario = scenario([1, 2, 3], topic([.preexisting: [1, 9], .left: [2]]), adopt: true)
        scenario.desired.topics.append(DesiredTopic(name: "wind", members: [1]))
        scenario.state.topics["wind"] = topic([.managed: [1], .adopted: [2]])
        let document = PlanDocument(scenario.proposal(), id: "p", created: PlanScenario.now)
        let text = document.text(.plain)
        #expect(text.contains("~ adopt      tides  1 of 2  (others subscribed them, and the file says 'adopt: true')"))
        #expect(text.contains("~ return     wind   1 of 1  (the file does not say 'adopt: true' any more)"))
        #expect(text.contains("tides: 1 member left and stays out; 'drift: restore' subscribes it again"))
        #expect(text.contains("Plan: 1 to subscribe, 1 to adopt, 1 to give back."))
        #expect(document.markdown.contains("### Left by themselves"))
        let json = document.json
        #expect(json["summary"]?["adopt"]?.int == 1 && json["summary"]?["return"]?.int == 1)
        #expect(json["summary"]?["left_by_themselves"]?.int == 1)
        #expect(json["left_by_themselves"]?.array?.first?["topic"]?.string == "tides")
        let steps = try #require(json["steps"]?.array)
        #expect(steps.map { $0["action"]?.string } == ["adopt", "subscribe", "return"])
        #expect(steps[0]["of"]?.int == 2 && steps[0]["requests"]?.int == 0 && steps[1]["adopts"] == true)
    }
}

extension PlanScenario {
    /// Declares 'tides', in the place of what was declared.
    fileprivate mutating func declare(
        _ members: RecipientSet, drift: Topic.Drift = .keep, adopt: Bool = false, prune: Bool = true,
        previousNames: [TopicName] = []
    ) {
        desired.topics = [
            DesiredTopic(
                name: "tides", members: members, prune: prune, drift: drift, adopt: adopt,
                previousNames: previousNames)
        ]
    }
}
