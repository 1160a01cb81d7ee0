import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What runs note of the waves of an occurrence that has begun. It is 2025-12-01T08:00:00Z.
struct WaveNotingTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)

    /// The first was in a wave seven hours ago. The clock of the second came to it half an hour ago, after the last run.
    private func scenario(unseen: Date?) -> PlanScenario {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: 9000): [2]]]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [.after(-7 * 3600): [1]])
        occurrence.unseen = unseen
        scenario.state.occurrences[Self.id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    /// The state when all steps of the plan have begun.
    private func begin(_ plan: Plan, in scenario: inout PlanScenario) throws {
        scenario.state.apply(plan.notes)
        for work in plan.works {
            scenario.state.apply(try StepWork(work, isDryRun: false, begun: plan.at, now: plan.at).opening)
        }
        scenario.state.watermarks["tide"] = plan.watermarks["tide"]
    }

    /// A run died while it sent to the first. The next run accounts for that, and may not send.
    @Test(arguments: [nil, Date.after(-3600)])
    func `a pause loses nobody in whose wave a run only accounts for a crash`(_ unseen: Date?) throws {
        var scenario = scenario(unseen: unseen)
        scenario.state.occurrences[Self.id]?.intended = [1]
        scenario.state.pauses.campaigns = ["tide"]
        let paused = scenario.plan()
        #expect(paused.sends.map(\.discovered) == [[1]] && paused.sends.allSatisfy(\.members.isEmpty), "\(paused)")
        try begin(paused, in: &scenario)
        #expect(scenario.state.occurrences[Self.id]?.waves.all == [1])
        scenario.state.pauses.campaigns = []
        #expect(scenario.plan(at: .after(60)).sends.map(\.members) == [[2]])
    }
}
