import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// When nobody sends what could be sent. `run` is called every five minutes, and it is 2025-12-01T08:00:00Z.
struct OverdueTests {
    /// What keeps a send from starting before 08:00, be it due before that or not.
    enum Start: CaseIterable { case due, window, clock, stage }

    private func scenario(_ start: Start) -> PlanScenario {
        var scenario = PlanScenario()
        switch start {
        case .due: scenario.want(.tide(at: PlanScenario.now))
        case .window:
            var campaign = Campaign.tide(at: .after(-3 * 3600))
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 8 * 60, to: 22 * 60), zone: .utc, field: nil, whenClosed: .wait)
            scenario.want(campaign)
        case .clock: wantByClock(in: &scenario)
        case .stage: wantInStages(in: &scenario)
        }
        return scenario
    }

    /// 10:00 was at 01:00 in UTC for the first, who has it, and is at 08:00 for the others.
    private func wantByClock(in scenario: inout PlanScenario) {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
        var campaign = Campaign.tide()
        campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: 2 * 3600): [2, 3]]]
        var occurrence = RecordedOccurrence(campaign, local: local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [.after(-7 * 3600): [1]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-60), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
    }

    /// The seed has it since a quarter of an hour, for which its stage soaks.
    private func wantInStages(in scenario: inout PlanScenario) {
        var campaign = Campaign.tide(at: .after(-7200))
        campaign.delivery.stages = Stages()
        campaign.delivery.stages?.seeds = Located("phones")
        scenario.want(campaign)
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([1], [1])
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(share: .seeds, opened: .after(-7200), planned: 1)
        stage.settled = .after(-900)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
    }

    /// A run that began and ended so many minutes after 08:00.
    struct Run: Sendable {
        var began: Int
        var ended: Int
        var result = Report.Result.ok

        var recorded: RecordedRun {
            RecordedRun(
                run: "r", started: .after(began * 60), finished: .after(ended * 60), result: result.rawValue,
                figures: [:])
        }
    }

    @Test(
        arguments: Start.allCases,
        [
            // Cron comes every five minutes, and one call may fail.
            (1, Run(began: -5, ended: -4), false), (9, Run(began: -5, ended: -4), false),
            // It comes no more.
            (10, Run(began: -5, ended: -4), true), (60, Run(began: -5, ended: -4), true),
            // It never came.
            (1, nil, false), (10, nil, true),
            // A long one, which began too early for it. The next one comes within five minutes.
            (10, Run(began: -60, ended: 8), false), (17, Run(began: -60, ended: 8), false),
            (18, Run(began: -60, ended: 8), true),
            // It came, and left it undone.
            (10, Run(began: 5, ended: 6), true), (10, Run(began: 0, ended: 6, result: .failed), true),
            // Somebody stopped it.
            (10, Run(began: 5, ended: 6, result: .interrupted), false),
            (16, Run(began: 5, ended: 6, result: .interrupted), true),
        ] as [(minutes: Int, lastRun: Run?, isOverdue: Bool)])
    func `a send is overdue where runs that could have sent it did not`(
        _ start: Start, _ example: (minutes: Int, lastRun: Run?, isOverdue: Bool)
    ) {
        let proposal = scenario(start).proposal(at: .after(example.minutes * 60))
        #expect(proposal.plan.sends.map(\.members.isEmpty) == [false], "\(proposal.plan)")
        let needs = Need.all(
            in: proposal, [], lastRun: example.lastRun?.recorded, every: .seconds(300), atWork: .nobody
        ).filter { $0.kind == .overdue }
        #expect(needs.count == (example.isOverdue ? 1 : 0), "\(needs)")
        #expect(needs.allSatisfy { $0.sentence.contains("has been due since 2025-12-01T08:00:00Z") }, "\(needs)")
    }

    @Test func `whoever could start first says since when`() {
        var campaign = Campaign.tide(at: .after(-3 * 3600))
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 8 * 60, to: 22 * 60), zone: .utc, field: Located("zone"), whenClosed: .wait)
        var scenario = PlanScenario()
        scenario.want(campaign)
        // Their windows opened at 07:00 and at 08:00 in UTC. The third one's opens at 09:00.
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 3600): [1], .utc: [2], Zone(offset: -3600): [3]]]
        #expect(scenario.plan(at: .after(60)).sends.map(\.startable) == [.after(-3600)])
        scenario.began(campaign, accepted: [1])
        #expect(scenario.plan(at: .after(60)).sends.map(\.startable) == [PlanScenario.now])
    }
}
