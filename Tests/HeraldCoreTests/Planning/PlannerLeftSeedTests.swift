import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Seeds who waited for the others, who left before their clock came to it. It is 2025-12-01T08:00:00Z.
struct PlannerLeftSeedTests {
    /// It was 10:00 on the seed's clock when it was 21:00 in UTC, and will be so each day.
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let words = "there was no wave that 1 seed could start with"

    private func scenario(_ times: LocalSchedule.Times) -> PlanScenario {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(times, field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign)
        (scenario.desired.sends[0].members, scenario.desired.sends[0].seeds) = ([1], [1])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 13 * 3600): [1]]]
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    @Test(arguments: [false, true])
    func `they are told of once, when it is over`(_ isCron: Bool) throws {
        // Once a month: the next day's would be sent to the seed, who is alone by now.
        let monthly = LocalSchedule.Times.cron(try Cron(parsing: "0 10 1 * *"), start: nil, end: nil)
        var scenario = scenario(isCron ? monthly : .at(Self.local, .skip))
        let over = Self.local.lastInstant
        for (date, number) in [(over - 60, 0), (over, 1), (over + 60, 0)] {
            let plan = scenario.plan(at: date)
            #expect(plan.joinedLate.map(\.reason) == Array(repeating: Self.words, count: number), "\(plan)")
            #expect(plan.sends.isEmpty && plan.missed.isEmpty)
            scenario.state.apply(plan.bookkeeping(at: date))
        }
        #expect(scenario.state.occurrences.count == (isCron ? 0 : 1))
    }

    /// The next day's has come for the seed, and nobody may start.
    @Test func `while a pause holds the next one, the plan after it tells`() throws {
        var scenario = scenario(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil))
        let over = Self.local.lastInstant
        for (date, isPaused) in [(over, true), (over + 60, true), (over + 120, false), (over + 180, false)] {
            scenario.state.pauses.campaigns = isPaused ? ["tide"] : []
            let plan = scenario.plan(at: date)
            #expect(plan.joinedLate.map(\.reason) == (date == over + 120 ? [Self.words] : []), "\(plan)")
            scenario.state.watermarks["tide"] = plan.watermarks["tide"]
        }
    }
}
