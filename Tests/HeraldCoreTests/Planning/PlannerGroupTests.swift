import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlannerGroupTests {
    private func scenario(_ recorded: RecipientSet, _ wanted: RecipientSet?) -> PlanScenario {
        var scenario = PlanScenario()
        var group = RecordedGroup()
        group.key = NotificationKey(rawValue: "key")
        group.members = recorded
        if !recorded.isEmpty { scenario.state.groups["chris"] = group }
        scenario.desired.groups = wanted.map { [DesiredGroup(name: "chris", members: $0)] } ?? []
        return scenario
    }

    @Test(
        arguments: [
            ([], [1, 2], ["group_create:chris"]), ([1, 2], [1, 2], []), ([1], [1, 2], ["group_add:chris"]),
            ([1, 2], [1], ["group_remove:chris"]), ([1, 2], [3], ["group_add:chris", "group_remove:chris"]),
            ([1, 2], nil, ["group_delete:chris"]), ([1, 2], [], ["group_delete:chris"]), ([], [], []),
        ] as [(RecipientSet, RecipientSet?, [StepID])])
    func `plans what makes the recorded members the wanted ones`(
        _ recorded: RecipientSet, _ wanted: RecipientSet?, _ steps: [StepID]
    ) {
        #expect(scenario(recorded, wanted).plan().steps.map(\.id) == steps)
    }

    @Test func `where there is no room it takes turns, one member staying throughout`() {
        let steps = scenario(RecipientSet(1...20), RecipientSet(21...40)).plan().steps
        #expect(
            steps.map(\.id) == [
                "group_remove:chris", "group_add:chris", "group_remove:chris (2)", "group_add:chris (2)",
            ])
        #expect(steps.map(\.work.planned) == [19, 19, 1, 1])
        #expect(steps.map(\.work.requests) == [1, 1, 1, 1])
    }

    @Test func `leaves out the dead and says when nobody is left`() {
        var scenario = scenario([1, 2], [1, 2, 3])
        scenario.state.dead = [3]
        #expect(scenario.plan().doesNothing)
        scenario.state.dead = [1, 2, 3]
        scenario.state.groups["chris"]?.members = []
        let plan = scenario.plan()
        let overview = scenario.overview
        #expect(plan.steps.isEmpty)
        let warning = "group 'chris' has no members: the files list nobody who is neither dead nor suppressed"
        #expect(overview.warnings.first == warning)
    }

    @Test(arguments: [(14, 20, nil), (13, 20, 35), (2, 9, nil), (6, 10, 40)] as [(RecipientID, RecipientID, Int?)])
    func `more leaves than the guard allows are refused, from ten members on`(
        _ left: RecipientID, _ members: RecipientID, _ percent: Int?
    ) {
        let refusals = scenario(RecipientSet(1...members), RecipientSet(1...left)).plan().refusals
        #expect(refusals.map(\.kind) == (percent == nil ? [] : [.maxUnsubscribePercent]))
        #expect(refusals.map(\.actual) == (percent.map { [$0] } ?? []))
        #expect(refusals.allSatisfy { $0.name == "chris" && $0.message.contains("group 'chris'") })
    }

    @Test(arguments: [(12, nil), (9, nil), (6, 50)] as [(RecipientID, Int?)])
    func `whoever gets another registration stays a member, and only those who are not listed leave`(
        _ listed: RecipientID, _ percent: Int?
    ) {
        let first = KnownRecipient.firstFormer
        var scenario = scenario(RecipientSet(first...(first + 11)), RecipientSet(1...listed))
        for number in 0..<12 as Range<RecipientID> { scenario.state.formers[first + number] = number + 1 }
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.actual) == (percent.map { [$0] } ?? []))
        let removed = plan.works.reduce(0) { count, work in
            if case .group(let change) = work, change.action == .remove { count + change.members.count } else { count }
        }
        #expect(removed == 12)
    }

    @Test func `a deleted file is a hundred percent`() {
        #expect(scenario(RecipientSet(1...10), nil).plan().refusals.map(\.actual) == [100])
        #expect(scenario(RecipientSet(1...9), nil).plan().refusals.isEmpty)
    }

    @Test func `a chosen campaign brings its own group along and no other`() {
        var scenario = scenario([], [1, 2])
        scenario.desired.groups.append(DesiredGroup(name: "ann", members: [3]))
        scenario.want(.tide(to: .group("chris")), for: .target)
        scenario.only = ["tide"]
        let plan = scenario.plan()
        #expect(plan.steps.map(\.id) == ["group_create:chris", "send:tide@once"])
        #expect(plan.sends.map(\.recipients) == [2])
    }

    @Test func `each member of a group is a recipient of its own, without the dead`() {
        var scenario = scenario([1, 2, 3], [1, 2, 3])
        var campaign = Campaign.tide(to: .group("chris"))
        campaign.delivery.members = .each
        scenario.state.dead = [2]
        scenario.state.groups["chris"]?.members = [1, 3]
        scenario.want(campaign, for: [1, 2, 3])
        #expect(scenario.plan().sends.map(\.members) == [[1, 3]])
        #expect(scenario.plan().sends.map(\.recipients) == [2])
    }

    /// The campaign that the group's audience goes by had another occurrence, which chose nobody.
    @Test func `what goes to each member is for those whom it began for, also when an outcome empties the group`() {
        var scenario = scenario([1, 2, 3], [])
        var campaign = Campaign.tide(to: .group("chris"))
        campaign.delivery.members = .each
        scenario.want(campaign, for: [])
        (scenario.desired.sends[0].listed, scenario.desired.sends[0].goesByOutcomes) = ([1, 2, 3], true)
        scenario.began(campaign, accepted: [1])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [[2, 3]] && plan.over.isEmpty, "\(plan)")
        #expect(plan.sends.map(\.leftOut.gone) == [[]])
    }
}
