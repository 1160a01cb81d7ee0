import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A list that may be broken says of nobody who left a topic by themselves that they are gone from it.
struct PlannerLostListTests {
    /// The topic 'tides' of these members, as the state has it.
    private func scenario(
        _ members: RecipientSet, _ recorded: RecordedTopic, adopt: Bool = false, prune: Bool = true,
        previousNames: [TopicName] = []
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.desired.topics = [
            DesiredTopic(
                name: "tides", members: members, prune: prune, adopt: adopt, previousNames: previousNames)
        ]
        scenario.state.topics["tides"] = recorded
        return scenario
    }

    private func topic(_ sets: [Membership: RecipientSet]) -> RecordedTopic {
        var topic = RecordedTopic()
        topic.recipients = Partition(disjoint: sets)
        return topic
    }

    /// Of a hundred, of whom ten left by themselves. Nobody of them may be unsubscribed, so that no guard stops anything.
    @Test(arguments: [Membership.managed, .adopted, .preexisting], [30, 31] as [RecipientID])
    func `a list that lost too many says of nobody who left that they are gone`(
        _ membership: Membership, _ lost: RecipientID
    ) {
        let left = RecipientSet(91...100)
        var scenario = scenario(
            RecipientSet(1...(100 - lost)), topic([membership: RecipientSet(1...90), .left: left]),
            adopt: membership == .adopted, prune: false)
        let plan = scenario.plan()
        #expect(plan.doesNothing)
        #expect(plan.notes == (lost > 30 ? [] : [.reclassify("tides", left, .unlisted)]))
        scenario.state.apply(plan.notes)
        // The list is right again.
        scenario.desired.topics[0].members = RecipientSet(1...100)
        #expect(scenario.plan().works == (lost > 30 ? [] : [.subscribe("tides", left)]))
    }

    @Test func `a renamed topic keeps who left where the list lost too many`() {
        var scenario = scenario(RecipientSet(1...4).union([20]), topic([:]), previousNames: ["ebb"])
        scenario.state.topics["ebb"] = topic([.preexisting: RecipientSet(1...9), .left: [20, 21]])
        scenario.state.apply(scenario.plan().notes)
        #expect(scenario.state.topics["tides"]?.left == [20] && scenario.state.topics["ebb"]?.left == [21])
        scenario.desired.topics[0].members.insert(21)
        #expect(scenario.plan().works == [.subscribe("tides", RecipientSet(1...4))])
    }

    /// The list of 'wind' is made from that of 'tides', which lost too many, or is another one. Its topic has a new name, or
    /// not.
    @Test(arguments: [true, false], [true, false])
    func `a list that a guard stops in one topic says of no other topic who is gone`(
        _ isSame: Bool, _ isRenamed: Bool
    ) {
        let name: TopicName = isRenamed ? "breeze" : "wind"
        var scenario = scenario([1, 2], topic([.managed: RecipientSet(1...20)]))
        scenario.desired.topics.append(
            DesiredTopic(name: name, members: [1], prune: true, previousNames: isRenamed ? ["wind"] : []))
        scenario.state.topics["wind"] = topic([.managed: [1], .left: [2]])
        let plan = scenario.plan()
        let note = StateChange.reclassify("wind", [2], .unlisted)
        #expect(plan.refusals.map(\.name) == ["tides"] && plan.notes == [note])
        var workspace = Workspace(audiences: [
            Audience(name: .init("all"), source: .inline([])), Audience(name: .init("others"), source: .inline([])),
            Audience(name: .init("some"), source: .audience(.init(isSame ? "all" : "others"))),
        ])
        workspace.topics = [
            .init(name: .init("tides"), subscribers: [.init("all")]),
            .init(name: .init(name), subscribers: [.init("some")]),
        ]
        #expect(plan.withholding(plan.refusals, in: workspace).notes == (isSame ? [] : [note]))
    }
}
