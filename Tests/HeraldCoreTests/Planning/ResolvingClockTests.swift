import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whoever decides about a window by each one's clock goes by the clocks of the list. It is 2025-12-01T08:00:00Z.
struct ResolvingClockTests {
    /// It was due at 20:00 of yesterday in UTC, half of it was sent, and its message was corrected. In Los Angeles that
    /// was noon, and it is late since 14:00. At two hours east of UTC the window opened an hour ago.
    @Test(arguments: [true, false])
    func `what goes on by the clocks of its list is not too late by them`(_ isLate: Bool) throws {
        let zone = isLate ? try #require(Zone(named: "America/Los_Angeles")) : Zone(offset: 7200)
        let campaigns = ["High tide", "Low tide"].map { title in
            var campaign = Campaign.tide(at: .after(-12 * 3600), title: title)
            campaign.schedule.maxLateness = .seconds(7200)
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 9 * 60, to: 21 * 60), zone: .utc, field: Located("zone"), whenClosed: .wait)
            return campaign
        }
        var scenario = PlanScenario()
        scenario.began(campaigns[0], accepted: [1])
        let (id, campaign) = (campaigns[0].id, campaigns[1])
        scenario.state.occurrences[id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [zone: [1, 2, 3]]]
        #expect(scenario.plan().held.map(\.occurrence) == [id])
        #expect(scenario.state.clocksMatter(to: id, .goOn, campaign))
        let wanted = scenario.desired.sends[0]
        let decide = { (state: RecordedState) in
            try state.changes(resolving: id, by: .goOn, campaign: campaign, wanted: wanted, at: PlanScenario.now)
        }
        if isLate {
            #expect(throws: ResolutionProblem.tooLate(.late(since: .after(-10 * 3600)))) { try decide(scenario.state) }
        } else {
            scenario.state.apply(try decide(scenario.state))
            #expect(scenario.plan().missed.isEmpty)
            #expect(scenario.plan().sends.map(\.members) == [[2, 3]])
        }
    }
}
