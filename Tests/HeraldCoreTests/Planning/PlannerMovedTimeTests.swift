import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A cron in local time that is edited on a day on which one of its times was sent. It is 2025-12-01T08:00:00Z, 17:00 in
/// Tokyo, where all live.
struct PlannerMovedTimeTests {
    /// 9:00 was sent. The schedule also had 18:00.
    private func scenario(edited text: String) throws -> PlanScenario {
        let tokyo = try #require(Zone(named: "Asia/Tokyo"))
        var campaign = Campaign.tide(to: .audience("anglers"))
        campaign.zoneField = Located("zone")
        let schedule = { (text: String) in
            Schedule.Times.local(LocalSchedule(.cron(try Cron(parsing: text), start: nil, end: nil), field: "zone"))
        }
        campaign.schedule.times = try schedule("0 9,18 * * *")
        var scenario = PlanScenario()
        let sent = LocalTime(year: 2025, month: 12, day: 1, hour: 9)
        var occurrence = RecordedOccurrence(campaign, local: sent)
        (occurrence.accepted, occurrence.finished) = ([1, 2, 3], .after(-7 * 3600))
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: sent, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.markedSchedule, next: nil, first: .after(-10 * 86_400))
        campaign.schedule.times = try schedule(text)
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [tokyo: [1, 2, 3]]]
        return scenario
    }

    @Test(arguments: ["0 18 * * *", "0 12,18 * * *", "0 18,22 * * *"])
    func `a time that the schedule keeps is sent, whatever else was taken out or moved`(_ text: String) throws {
        var scenario = try scenario(edited: text)
        for at in [0, 1800] {
            let plan = scenario.plan(at: .after(at))
            #expect(plan.sends.isEmpty)
            scenario.carryOut(plan)
        }
        let evening = scenario.plan(at: .after(3600))
        try #require(evening.sends.map(\.occurrence.rawValue) == ["tide@2025-12-01T18:00"])
        scenario.carryOut(evening)
        scenario.state.occurrences[evening.sends[0].occurrence]?.local = LocalTime(
            year: 2025, month: 12, day: 1, hour: 18)
        // What came new on that day counts as 9:00, moved.
        let night = scenario.plan(at: .after(5 * 3600))
        #expect(night.sends.isEmpty)
        scenario.carryOut(night)
        // On the next day it counts as what it is.
        let noon = scenario.plan(at: .after(19 * 3600 + 60))
        #expect(noon.sends.map(\.occurrence.rawValue) == (text.contains("12") ? ["tide@2025-12-02T12:00"] : []))
        // Days later nothing of the old schedule is left.
        for day in [3, 4] { scenario.carryOut(scenario.plan(at: .after(day * 86_400))) }
        #expect(scenario.state.watermarks["tide"]?.schedule == scenario.desired.sends[0].campaign.markedSchedule)
    }

    @Test func `a time that moved on the day on which it was sent is left out, and says so`() throws {
        var scenario = try scenario(edited: "0 19 * * *")
        for at in [0, 7200] {
            let proposal = scenario.proposal(at: .after(at))
            #expect(proposal.plan.sends.isEmpty)
            #expect(proposal.overview.warnings.contains { $0.hasPrefix("tide@2025-12-01T19:00 is left out") })
            scenario.carryOut(proposal.plan)
        }
        #expect(scenario.plan(at: .after(26 * 3600)).sends.map(\.occurrence.rawValue) == ["tide@2025-12-02T19:00"])
    }

    /// No clock of the world has come to 23:00 yet.
    @Test(arguments: [("0 23 * * *", "tide@2025-12-02T23:00"), ("0 23 1 * *", "tide@2026-01-01T23:00")])
    func `a moved time that is still to come is named at once, and is not what comes next`(
        _ text: String, _ next: String
    ) throws {
        let overview = try scenario(edited: text).overview
        #expect(overview.warnings.contains { $0.hasPrefix("tide@2025-12-01T23:00 is left out") })
        #expect(overview.upcoming.first?.occurring.occurrence.rawValue == next)
    }

    /// 9:00 became 12:00, which is sent on the next day, and 12:00 becomes 15:00 on that day.
    @Test func `a time that moved on two days is left out on both`() throws {
        var scenario = try scenario(edited: "0 12 * * *")
        scenario.carryOut(scenario.plan())
        let noon = scenario.plan(at: .after(19 * 3600))
        scenario.carryOut(noon)
        let id = try #require(noon.sends.first?.occurrence)
        scenario.state.occurrences[id]?.local = LocalTime(year: 2025, month: 12, day: 2, hour: 12)
        scenario.desired.sends[0].campaign.schedule.times = .local(
            LocalSchedule(.cron(try Cron(parsing: "0 15 * * *"), start: nil, end: nil), field: "zone"))
        for hour in [20, 22, 23] {
            let plan = scenario.plan(at: .after(hour * 3600))
            #expect(plan.sends.isEmpty)
            scenario.carryOut(plan)
        }
        let noted = try #require(scenario.state.watermarks["tide"]?.schedule)
        #expect(noted.hasPrefix("local cron 0 15 * * * zone ") && noted.contains("\nlocal cron 0 12 * * * zone "))
        #expect(scenario.plan(at: .after(46 * 3600)).sends.map(\.occurrence.rawValue) == ["tide@2025-12-03T15:00"])
    }

    /// 9:00 of the 1st was sent in Tokyo at midnight UTC, when it was the 30th in New York.
    @Test func `what went by the clock of another zone is not sent again on each clock`() throws {
        let york = try #require(Zone(named: "America/New_York"))
        let cron = try Cron(parsing: "0 9 * * *")
        var campaign = Campaign.tide(to: .audience("anglers"))
        campaign.schedule.times = .cron(cron, start: nil, end: nil)
        campaign.schedule.zone = try #require(Zone(named: "Asia/Tokyo"))
        var scenario = PlanScenario()
        var occurrence = RecordedOccurrence(campaign, due: .after(-8 * 3600))
        (occurrence.accepted, occurrence.finished) = ([1, 2, 3], .after(-7 * 3600))
        scenario.state.occurrences[OccurrenceID(campaign: "tide", due: .after(-8 * 3600), revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: .after(16 * 3600))
        campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        (campaign.zoneField, campaign.schedule.zone) = (Located("zone"), york)
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [york: [1, 2, 3]]]
        for hour in [0, 1, 6, 12] {
            let plan = scenario.plan(at: .after(hour * 3600))
            #expect(plan.sends.isEmpty, "after \(hour) h")
            scenario.carryOut(plan)
        }
        #expect(scenario.plan(at: .after(30 * 3600)).sends.map(\.occurrence.rawValue) == ["tide@2025-12-02T09:00"])
    }

    @Test(arguments: [
        ("local cron 0 9,18 * * * zone gap=next overlap=first", [9, 18]),
        ("cron 0 9 * * 1 UTC gap=next overlap=first start=2025-01-01T00:00:00Z", [9]),
        ("local at 2025-12-01T09:00", []),
        ("cron 0 9", []), ("once", []), ("", []),
    ])
    func `what a watermark has of a schedule says which times it had`(_ text: String, _ hours: [Int]) {
        let schedule = LocalSchedule.cron(ofText: text)
        let had = (0...23).filter {
            schedule?.has(LocalTime(year: 2025, month: 12, day: 1, hour: $0)) == true
        }
        #expect(had == hours)
    }
}
