import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `approval_band` judges each occurrence: who joins the list after it began is no part of it.
@Suite struct ApprovalBandTests {
    private static let resource = Definition.Key(kind: .campaign, name: "tide")
    private static let grown = "it has 20 recipients, and 10 were approved; 10 % more is allowed (approval_band)"

    /// Ten were approved and took part when it began. Twenty are listed by now.
    private func scenario(_ campaign: Campaign = .tide(), hasBegun: Bool) -> PlanScenario {
        let definitions = [Definition.Key(kind: .settings, name: ""), Self.resource].map {
            Definition(kind: $0.kind, name: $0.name, previousNames: [], fields: [], uses: [])
        }
        var approval = Approval(definitions, suppress: [])
        approval.sizes[Self.resource] = 20
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...20))
        scenario.approval = approval
        for (key, digest) in approval.digests {
            scenario.state.approvals[key.text] = RecordedApproval(
                digest: digest, size: key == Self.resource ? 10 : nil, by: "anna", at: PlanScenario.now)
        }
        if hasBegun {
            scenario.began(campaign, accepted: [1])
            scenario.state.occurrences[campaign.id]?.classes = Partition(
                disjoint: [MessageClass(): RecipientSet(1...10)])
        }
        return scenario
    }

    @Test(arguments: [true, false])
    func `a list that grew stops what begins, and not what has begun`(_ hasBegun: Bool) throws {
        let scenario = scenario(hasBegun: hasBegun)
        let plan = scenario.plan()
        #expect(plan.unapproved.map(\.reason) == (hasBegun ? [] : [Self.grown]))
        #expect(plan.sends.map(\.members.count) == [hasBegun ? 9 : 20])
        // The same for the plan that somebody approved.
        let document = """
            {"schema": "herald.plan/1", "approval": "", "definitions": {"campaign:tide": {"digest": "", "size": 10}}}
            """
        let approved = try ApprovedPlan(reading: Array(document.utf8))
        let approval = try #require(scenario.approval)
        let excesses = approved.excesses(of: plan, approval, scenario.settings.approval)
        #expect(excesses == (hasBegun ? [] : ["campaign 'tide' to audience all: \(Self.grown)"]))
    }

    @Test(arguments: [true, false])
    func `what waits says whether it will go`(_ hasBegun: Bool) {
        var campaign = Campaign.tide()
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 20 * 60, to: 22 * 60), zone: .utc, field: nil, whenClosed: .wait)
        let proposal = scenario(campaign, hasBegun: hasBegun).proposal()
        #expect(proposal.plan.waiting.map(\.recipients) == [hasBegun ? 9 : 20])
        #expect(proposal.overview.unapproved.map(\.reason) == (hasBegun ? [] : [Self.grown]))
    }

    /// The firing of 7:00 has begun. That of 8:00 is for the list of now, and `catch_up` is latest.
    @Test(arguments: [true, false])
    func `a firing that nobody approved takes the place of none`(_ isApproved: Bool) throws {
        var campaign = Campaign.tide()
        campaign.schedule.times = .cron(try Cron(parsing: "0 * * * *"), start: nil, end: nil)
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 6 * 60, to: 22 * 60), zone: .utc, field: nil, whenClosed: .wait)
        var scenario = scenario(campaign, hasBegun: false)
        if isApproved { scenario.state.approvals[Self.resource.text]?.size = 20 }
        let earlier = Date.after(-3600)
        var occurrence = RecordedOccurrence(campaign, due: earlier)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): RecipientSet(1...10)])
        let id = OccurrenceID(campaign: "tide", due: earlier, revision: 1)
        scenario.state.occurrences[id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(at: earlier, schedule: campaign.schedule.text, next: nil)
        let plan = scenario.plan()
        #expect(plan.unapproved.map(\.reason) == (isApproved ? [] : [Self.grown]))
        let send = try #require(plan.sends.first { $0.occurrence == id })
        let others = RecipientSet(2...10)
        #expect(send.members == (isApproved ? [] : others), "\(send)")
        #expect(send.skipped[.superseded] == (isApproved ? others : []))
        #expect(plan.steps.filter { $0.refusal == nil }.map(\.id) == (isApproved ? plan.steps.map(\.id) : [.send(id)]))
    }

    @Test func `whose clock is ahead may still join, and counts`() throws {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
        var campaign = Campaign.tide()
        campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = scenario(campaign, hasBegun: false)
        // 1 has it. The clocks of 2 to 20 come to it in twelve hours.
        scenario.desired.sends[0].zones = [
            "zone": [Zone(offset: 9 * 3600): [1], Zone(offset: -10 * 3600): RecipientSet(2...20)]
        ]
        var occurrence = RecordedOccurrence(campaign, local: local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [.after(-7 * 3600): [1]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        let plan = scenario.plan(at: .after(12 * 3600))
        #expect(plan.sends.map(\.members.count) == [19])
        #expect(plan.unapproved.map(\.reason) == [Self.grown])
    }
}
