import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Coming sends as weeks.
@Suite struct WeekGridTests {
    private func grid(_ crons: [String], days: Int, from start: String, in zone: String = "Europe/Rome") throws
        -> [JSONValue]
    {
        let start = try Date.at(start)
        let upcoming = try crons.enumerated().flatMap { index, cron in
            var campaign = Campaign.tide("tide-\(index)")
            campaign.schedule = try .cron(cron, in: zone)
            return Occurring.coming(
                of: campaign, after: start, through: start.adding(.seconds(days * 86_400)), limit: 1000
            ).map { PlanOverview.Upcoming(occurring: $0, target: .topic("tides"), recipients: 1) }
        }
        let today = try #require(upcoming.first).occurring.zone.local(at: start)
        return WeekGrid(upcoming.map { CalendarEntry($0, in: PlanOverview()) }, today: today).values
    }

    private func days(_ week: JSONValue) -> [String] {
        (week["days"]?.array ?? []).map { day in
            let sends = (day["sends"]?.array ?? []).compactMap { send -> String? in
                guard let clock = send["clock"]?.string, let name = send["campaign"]?.string else { return nil }
                return "\(clock) \(name)"
            }
            let mark = day["isToday"] == true ? "*" : ""
            return ([(day["name"]?.string ?? "") + mark] + sends).joined(separator: ", ")
        }
    }

    @Test func `each send is on its local day, and the weeks begin on Monday`() throws {
        let weeks = try grid(["30 23 * * MON", "15 0 * * MON,WED"], days: 7, from: "2026-12-01T08:00:00Z")
        #expect(weeks.map { $0["heading"] } == ["Week of 30 November 2026", "Week of 7 December 2026"])
        #expect(days(weeks[0]) == ["Mon 30", "Tue 1*", "Wed 2, 00:15 tide-1", "Thu 3", "Fri 4", "Sat 5", "Sun 6"])
        #expect(days(weeks[1]).prefix(2) == ["Mon 7, 00:15 tide-1, 23:30 tide-0", "Tue 8"])
    }

    @Test func `many sends of a campaign on one day are one with their number`() throws {
        let weeks = try grid(["*/10 8-9 * * WED", "0 7,8,23 * * WED"], days: 7, from: "2026-12-01T08:00:00Z")
        #expect(
            days(weeks[0])[2] == "Wed 2, 07:00 tide-1, 08:00 tide-0, 08:00 tide-1, 23:00 tide-1")
        let sends = weeks[0]["days"]?.array?[2]["sends"]?.array ?? []
        #expect(sends.map { $0["others"] } == [.null, "and 11 more until 09:50", .null, .null])
    }

    @Test func `a week without sends is left out`() throws {
        let weeks = try grid(["0 9 1 * *"], days: 100, from: "2026-12-02T08:00:00Z")
        #expect(
            weeks.map { $0["heading"] } == [
                "Week of 28 December 2026", "Week of 1 February 2027", "Week of 1 March 2027",
            ])
        #expect(days(weeks[0]).suffix(3) == ["Fri 1, 09:00 tide-0", "Sat 2", "Sun 3"])
    }
}
