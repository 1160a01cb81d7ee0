import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What is refused leaves the campaign as no run had looked at it.
struct PlannerLookTests {
    /// Its schedule lost its field, and a guard refuses it, or nobody approves it. Meanwhile the watermark stays, and every
    /// run would miss the same again.
    @Test func `a refused cron that lost its field misses nothing before it goes on`() throws {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        let cron = try Cron(parsing: "0 * * * *")
        campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        let mark = Watermark(
            at: .after(-86_400), schedule: campaign.schedule.text, next: nil, first: .after(-3 * 86_400))
        campaign.schedule.times = .cron(cron, start: nil, end: nil)
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.state.watermarks["tide"] = mark
        var plan = scenario.plan()
        // Only the watermark ends what has nothing to record.
        #expect(plan.missed.contains { $0.unrecorded == nil } && plan.missed.contains { $0.unrecorded != nil })
        plan.forgetLooks(at: ["tide"])
        #expect(plan.missed.isEmpty, "\(plan.missed)")
        #expect(plan.watermarks["tide"] == mark)
    }
}
