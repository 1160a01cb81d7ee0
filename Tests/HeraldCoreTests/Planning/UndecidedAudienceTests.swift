import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What goes by an audience of which nobody knows yet who is in it. Everything waits, and nobody's part is decided.
struct UndecidedAudienceTests {
    private static let words = "waits: nobody knows yet who is in audience 'again'"

    // MARK: Topics

    private func topic(_ sets: [Membership: RecipientSet]) -> RecordedTopic {
        var topic = RecordedTopic()
        topic.recipients = Partition(disjoint: sets)
        return topic
    }

    /// Topic 'tides' goes by the audience, and 'wind' does not.
    private func scenario(
        _ recorded: RecordedTopic, drift: Topic.Drift = .keep, adopt: Bool = false, prune: Bool = true,
        previousNames: [TopicName] = []
    ) -> PlanScenario {
        var topic = DesiredTopic(
            name: "tides", members: [], prune: prune, drift: drift, adopt: adopt, previousNames: previousNames)
        topic.undecided = ["again"]
        var scenario = PlanScenario()
        scenario.desired.topics = [topic, DesiredTopic(name: "wind", members: [1])]
        scenario.state.topics[previousNames.first ?? "tides"] = recorded
        return scenario
    }

    @Test(arguments: [true, false])
    func `nobody joins or leaves a topic before it is known who is in the audience, but who is suppressed`(
        _ prune: Bool
    ) {
        var scenario = scenario(topic([.managed: [1, 2, 3]]), prune: prune)
        scenario.desired.suppressed = [3, 9]
        let proposal = scenario.proposal()
        #expect(proposal.plan.works == [.unsubscribe("tides", [3]), .subscribe("wind", [1])])
        #expect(proposal.plan.steps[0].reason == "they are suppressed")
        #expect(proposal.overview.warnings.contains("topic 'tides' \(Self.words)"))
        scenario.carryOut(proposal.plan)
        #expect(scenario.plan().doesNothing)
        // Now it is known.
        (scenario.desired.topics[0].undecided, scenario.desired.topics[0].members) = ([], [2, 4])
        let after = scenario.proposal()
        let leaves: [Plan.Work] = prune ? [.unsubscribe("tides", [1])] : []
        #expect(after.plan.works == leaves + [.subscribe("tides", [4])])
        #expect(!after.overview.warnings.contains { $0.contains("nobody knows yet") })
    }

    @Test(arguments: Topic.Drift.allCases)
    func `who left by themselves stays marked, and nobody is adopted`(_ drift: Topic.Drift) {
        var scenario = scenario(
            topic([.managed: [1], .left: [2, 3], .preexisting: [4, 5]]), drift: drift, adopt: true)
        scenario.desired.suppressed = [3, 5]
        scenario.desired.topics.removeLast()
        let plan = scenario.plan()
        #expect(plan.doesNothing && plan.notes.isEmpty, "\(plan)")
        (scenario.desired.topics[0].undecided, scenario.desired.topics[0].members) = ([], [1, 2, 4])
        let after = scenario.plan()
        #expect(after.notes == [.reclassify("tides", [3], .unlisted)])
        let adoption = Plan.Adoption(topic: "tides", declared: "tides", action: .adopt, members: [4], all: 2)
        let joins: [Plan.Work] = drift == .keep ? [] : [.subscribe("tides", [2])]
        #expect(after.works == [.adopt(adoption)] + joins)
    }

    @Test func `nobody moves to a topic's new name, and who is suppressed leaves the old one`() {
        var scenario = scenario(
            topic([.managed: [1, 2, 3], .left: [4], .preexisting: [5]]), adopt: true, previousNames: ["ebb"])
        scenario.desired.suppressed = [3]
        scenario.desired.topics.removeLast()
        let plan = scenario.plan()
        #expect(plan.works == [.unsubscribe("ebb", [3])] && plan.notes.isEmpty, "\(plan)")
        scenario.carryOut(plan)
        (scenario.desired.topics[0].undecided, scenario.desired.topics[0].members) = ([], [1, 4])
        let after = scenario.plan()
        #expect(after.works == [.subscribe("tides", [1]), .unsubscribe("ebb", [1, 2])])
        #expect(after.notes.contains(.reclassify("tides", [4], .leftEarlierName)))
    }

    // MARK: Groups

    struct GroupExample: Sendable {
        var members: RecipientSet
        var suppressed: RecipientSet
        var steps: [StepID] = []
    }

    @Test(
        arguments: [
            GroupExample(members: [1, 2, 3], suppressed: [3], steps: ["group_remove:chris"]),
            GroupExample(members: [1, 2], suppressed: []),
            GroupExample(members: [1, 2], suppressed: [1, 2], steps: ["group_delete:chris"]),
            GroupExample(members: [], suppressed: [1]),
        ], [true, false])
    func `a group stays as it is, but for who is suppressed`(_ example: GroupExample, _ hasKey: Bool) {
        var (group, scenario) = (RecordedGroup(), PlanScenario())
        if hasKey { group.key = NotificationKey(rawValue: "key") }
        if hasKey { group.members = example.members } else { group.adding = example.members }
        if !example.members.isEmpty { scenario.state.groups["chris"] = group }
        var wanted = DesiredGroup(name: "chris", members: [])
        wanted.undecided = ["again"]
        scenario.desired.groups = [wanted]
        scenario.desired.suppressed = example.suppressed
        let proposal = scenario.proposal()
        // Nobody leaves a group before it is made.
        #expect(proposal.plan.steps.map(\.id) == (hasKey ? example.steps : []))
        #expect(proposal.plan.steps.allSatisfy { $0.reason == "they are suppressed" })
        #expect(proposal.overview.warnings.contains("group 'chris' \(Self.words)"))
        #expect(!proposal.overview.warnings.contains { $0.contains("has no member") })
        scenario.carryOut(proposal.plan)
        (scenario.desired.groups[0].undecided, scenario.desired.groups[0].members) = ([], [7])
        #expect(!scenario.plan().steps.isEmpty)
    }

    // MARK: Sends

    @Test func `a run that has not worked out a topic's members sends nothing to it`() {
        let (toTopic, toAll) = (Campaign.tide("bulletin", to: .topic("tides")), Campaign.tide("other"))
        var (first, later) = (Desired(), Desired())
        first.sends = [toTopic, toAll].map { DesiredSend(campaign: $0, members: [1]) }
        later.sends = first.sends.reversed()
        for place in first.sends.indices { first.sends[place].undecided = ["again"] }
        later.keepWaiting(as: first)
        #expect(later.sends.map(\.undecided) == [[], ["again"]])
    }

    /// A person let it go on for another target, so that nobody is recorded whom it is for.
    @Test func `who gets the rest of a send to another target is whom its audience has, once that is known`() {
        let campaign = Campaign.tide()
        var scenario = PlanScenario()
        scenario.want(campaign, for: [2])
        scenario.began(campaign, accepted: [1])
        (scenario.desired.sends[0].goesByOutcomes, scenario.desired.sends[0].listed) = (true, [1, 2, 3])
        #expect(scenario.plan().sends.map(\.members) == [[2]])
        (scenario.desired.sends[0].undecided, scenario.desired.sends[0].members) = (["again"], [1, 2, 3])
        let proposal = scenario.proposal()
        #expect(proposal.plan.doesNothing && proposal.plan.over.isEmpty)
        #expect(proposal.overview.warnings.contains("tide@once is half done and \(Self.words)"))
        // Whom a crash left is accounted for, and that does not end it.
        scenario.state.apply([.outcome(campaign.id, [3], .intended)])
        let account = scenario.plan().sends
        #expect(account.map(\.discovered) == [[3]] && account.map(\.members) == [[]])
        #expect(account.map(\.staysOpen) == [true])
    }
}

/// Campaigns in local time of which nobody knows yet whom they are for. It is 2025-12-01T08:00:00Z.
struct UndecidedWaveTests {
    /// At 10:00 it was 01:00 in UTC for the first, and will be 20:00 for the others.
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
    private static let instants = [Date.after(-7 * 3600), Date.after(12 * 3600)]
    private static let words = "campaign 'tide' is due and waits: nobody knows yet who is in audience 'again'"

    /// Everybody may be in it. 1 has it, if it has begun.
    private func scenario(hasBegun: Bool) -> PlanScenario {
        var campaign = Campaign.tide()
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: -10 * 3600): [2, 3]]]
        (scenario.desired.sends[0].goesByOutcomes, scenario.desired.sends[0].listed) = (true, [1, 2, 3])
        scenario.desired.sends[0].undecided = ["again"]
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.markedSchedule, next: nil, first: .after(-86_400))
        guard hasBegun else { return scenario }
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [Self.instants[0]: [1]])
        scenario.state.occurrences[Self.id] = occurrence
        return scenario
    }

    private func decide(_ scenario: inout PlanScenario, _ members: RecipientSet) {
        (scenario.desired.sends[0].undecided, scenario.desired.sends[0].members) = ([], members)
    }

    @Test(arguments: [true, false])
    func `nobody's wave is fixed before it is known who is in the audience, and nobody is lost`(_ hasBegun: Bool) {
        var scenario = scenario(hasBegun: hasBegun)
        let proposal = scenario.proposal(at: Self.instants[1] + 60)
        #expect(proposal.plan.doesNothing && proposal.plan.over.isEmpty, "\(proposal.plan)")
        #expect(proposal.plan.notes.isEmpty)
        #expect(proposal.overview.warnings.contains(Self.words), "\(proposal.overview.warnings)")
        scenario.carryOut(proposal.plan)
        decide(&scenario, hasBegun ? [1, 3] : [3])
        let plan = scenario.plan(at: Self.instants[1] + 600)
        #expect(plan.sends.map(\.members) == [[3]])
        #expect(plan.sends.map { $0.assignment?.all } == [hasBegun ? [1, 3] : [3]])
    }

    @Test func `what has begun goes on to those whose wave is fixed`() {
        var scenario = scenario(hasBegun: true)
        scenario.state.apply([.outcome(Self.id, [1], .again)])
        let plan = scenario.plan(at: Self.instants[1] + 60)
        #expect(plan.sends.map(\.members) == [[1]] && plan.sends.map(\.staysOpen) == [true], "\(plan)")
        #expect(plan.sends.map { $0.waves?.fresh } == [[]] && plan.sends.map(\.assignment) == [nil])
    }

    /// 4 was not on the list when its clock came to it.
    @Test func `who joined late is counted once it is known who is in the audience`() {
        var scenario = scenario(hasBegun: true)
        scenario.state.apply([.outcome(Self.id, [1], .again)])
        scenario.desired.sends[0].listed = [1, 2, 3, 4]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 9 * 3600)] = [1, 4]
        decide(&scenario, [1, 2, 3, 4])
        let known = scenario.plan(at: .after(60)).sends.map { $0.waves?.joinedLate }
        scenario.desired.sends[0].undecided = ["again"]
        let unknown = scenario.plan(at: .after(60)).sends.map { $0.waves?.joinedLate }
        #expect(known == [1] && unknown == [0])
    }

    /// The last clock of the world has passed it, and it is too late for every wave.
    @Test func `what is late stays open until it is known whom it missed`() {
        var scenario = scenario(hasBegun: true)
        let late = Date.after(20 * 3600)
        let waiting = scenario.plan(at: late)
        #expect(waiting.doesNothing && waiting.over.isEmpty && waiting.notes.isEmpty, "\(waiting)")
        scenario.carryOut(waiting)
        decide(&scenario, [1, 3])
        let plan = scenario.plan(at: late + 60)
        #expect(plan.sends.map(\.members) == [[]] && plan.sends.map { $0.skipped[.missed] } == [[3]], "\(plan)")
    }

    @Test func `what nobody has begun is told as missed, without a number`() {
        let missed = scenario(hasBegun: false).plan(at: .after(40 * 3600)).missed
        #expect(missed.map(\.reason) == ["it is later than max_lateness allows"])
    }

    @Test(arguments: [true, false])
    func `somebody who asks is told what they wait for`(_ hasBegun: Bool) {
        var scenario = scenario(hasBegun: hasBegun)
        scenario.person = 2
        let waits = scenario.proposal(at: Self.instants[1] + 60).overview.waits
        #expect(waits.map(\.reason) == ["nobody knows yet who is in audience 'again'"])
    }
}

/// Which audiences nobody knows yet, for occurrences in the state.
struct UndecidedOccurrenceTests {
    private static let days = [Date.after(-86_400), Date.after(-3600)]
    private static let ids = days.map { OccurrenceID(campaign: "tide", due: $0, revision: 1) }

    /// Daily. Two occurrences are over, in each of which 2 was rejected.
    private func state(_ campaign: Campaign) -> RecordedState {
        var state = RecordedState(identity: .sample())
        for (id, day) in zip(Self.ids, Self.days) {
            state.apply([
                .open(id, RecordedOccurrence(campaign, due: day)),
                .assign(id, Partition(disjoint: [MessageClass(): [1, 2]])),
                .outcome(id, [1], .accepted), .reject(id, [2], code: "SENDER_ID_MISMATCH"), .finish(id, at: day + 60),
            ])
        }
        return state
    }

    @Test(arguments: [(0, false), (1, true)])
    func `an audience does not go back to an earlier occurrence while the last one is tried again`(
        _ place: Int, _ isUndecided: Bool
    ) async throws {
        var campaign = Campaign.tide("tide")
        campaign.schedule.times = .cron(try Cron(parsing: "0 7 * * *"), start: nil, end: nil)
        var again = Audience(name: .init("again"), source: .audience(.init("anglers")))
        again.followUp = .init(.init("tide"), [.accepted])
        var workspace = Workspace(audiences: [Audience(name: .init("anglers"), source: .inline([])), again])
        workspace.campaigns = [campaign, .tide("late", to: .audience("again"))]
        var state = state(campaign)
        #expect(FollowedOccurrences(of: workspace, in: state.snapshot).remarks.isEmpty)
        state.apply([.reopen(Self.ids[place]), .outcome(Self.ids[place], [2], .again)])
        let followed = FollowedOccurrences(of: workspace, in: state.snapshot)
        #expect(try await followed.limits(from: nil)["again"]?.isUndecided == isUndecided)
        let remark = "nobody knows yet who is in audience 'again': \(Self.ids[1]) is not finished"
        #expect(followed.remarks.contains(remark) == isUndecided, "\(followed.remarks)")
    }
}
