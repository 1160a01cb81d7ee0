import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Stages that a file got while its send in local time was half done, and that no run opened in time. It is
/// 2025-12-01T08:00:00Z.
struct LateStageTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)

    /// 1 may have it since 01:00 in UTC, and is too late to get it again. For 2 and 3 it was 20:00.
    @Test(arguments: Campaign.OnUnknown.allCases)
    func `those whose stage never opened are missed although somebody may have it`(_ onUnknown: Campaign.OnUnknown) {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        campaign.delivery.onUnknown = onUnknown
        var stages = Stages()
        (stages.shares, stages.soak) = ([StageShare(millionths: 1), .everybody], .manual)
        campaign.delivery.stages = stages
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: -10 * 3600): [2, 3]]]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        var ledger = Ledger()
        ledger.move([1], to: .unknown)
        occurrence.outcomes = .ledger(ledger)
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [.after(-7 * 3600): [1]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: Self.local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        // Somebody's clock is still in time somewhere in the world.
        let plan = scenario.plan(at: .after(15 * 3600))
        #expect(plan.sends.map { $0.skipped[.missed].subtracting([1]) } == [[2, 3]])
        #expect(plan.sends.allSatisfy { $0.members.isEmpty } && plan.waiting.isEmpty)
    }
}
