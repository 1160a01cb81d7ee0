import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Where nobody knows people's zones, nobody is too late who would not be so in a zone of the world.
struct UnknownZoneTests {
    private func campaign(_ hours: DailyHours, _ maxLateness: Duration) -> Campaign {
        var campaign = Campaign.tide("tide")
        campaign.schedule.maxLateness = maxLateness
        campaign.delivery.window = SendWindow(hours: hours, zone: .utc, field: Located("zone"), whenClosed: .wait)
        return campaign
    }

    /// The window closed at the due time. On the next day it is open for three hours, because 2:00 to 3:00 is left out, and
    /// the fourth half hour is on the day after that.
    @Test func `an hour that clocks leave out makes nobody late`() throws {
        let rome = try #require(Zone(named: "Europe/Rome"))
        let campaign = campaign(DailyHours(from: 0, to: 240), .seconds(3 * 3600 + 1800))
        let due = try #require(Date(rfc3339: "2026-03-28T03:00:00Z"))
        let end = try #require(campaign.limits(due: due, in: [rome]).deadline)
        #expect(end.rfc3339 == "2026-03-29T22:30:00Z")
        #expect(campaign.lateness(due: due, at: end) == nil)
        #expect(campaign.cutoff(at: end, campaign.schedule.maxLateness, in: []).time < due)
    }

    private static let hours = [
        DailyHours(from: 0, to: 240), DailyHours(from: 540, to: 1260), DailyHours(from: 60, to: 180, days: 0b100_0001),
    ]

    /// A few days after each of these dates, clocks are set in one of these zones.
    @Test(arguments: ["Europe/Rome", "America/New_York", "Australia/Sydney"], hours)
    func `no zone's deadline is later than that of unknown ones`(_ name: String, _ hours: DailyHours) throws {
        let zone = try #require(Zone(named: name))
        for text in ["2026-03-05T00:00:00Z", "2026-03-26T00:00:00Z", "2026-10-01T00:00:00Z", "2026-10-29T00:00:00Z"] {
            let begin = try #require(Date(rfc3339: text))
            for (hour, patience) in [(17, 12_600), (56, 6 * 3600)] {
                let campaign = campaign(hours, .seconds(patience))
                let due = begin + Double(hour * 3600)
                let own = try #require(campaign.limits(due: due, in: [zone]).deadline)
                let all = try #require(campaign.limits(due: due).deadline)
                #expect(own <= all, "\(due.rfc3339)")
            }
        }
    }

    @Test(arguments: hours) func `what is too late by unknown zones is what a cutoff passes`(_ hours: DailyHours) {
        let campaign = campaign(hours, .seconds(7200))
        let (cutoff, _) = campaign.cutoff(at: PlanScenario.now, campaign.schedule.maxLateness, in: [])
        #expect(campaign.lateness(due: cutoff, at: PlanScenario.now) != nil)
        #expect(campaign.lateness(due: cutoff + 1, at: PlanScenario.now) == nil)
    }
}
