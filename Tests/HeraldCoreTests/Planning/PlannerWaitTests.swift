import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whoever waited for a window is not late when it is another one, by the file or by their zone. It is
/// 2025-12-01T08:00:00Z, and people have an hour from when their window opens.
struct PlannerWaitTests {
    private static let night = DailyHours(from: 20 * 60, to: 22 * 60)

    private func campaign(_ hours: DailyHours?, field: Bool = false, due: Int = -10 * 3600) -> Campaign {
        var campaign = Campaign.tide(at: .after(due))
        campaign.schedule.maxLateness = .seconds(3600)
        campaign.delivery.window = hours.map {
            SendWindow(hours: $0, zone: .utc, field: field ? Located("zone") : nil, whenClosed: .wait)
        }
        return campaign
    }

    private func scenario(_ campaign: Campaign, _ zones: [Zone: RecipientSet] = [:]) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": zones]
        return scenario
    }

    /// A run that changes nothing but what the state notes.
    private func look(_ scenario: inout PlanScenario, at now: Date = PlanScenario.now) {
        let plan = scenario.plan(at: now)
        #expect(plan.steps.isEmpty && plan.missed.isEmpty && plan.waiting.count == 1)
        scenario.state.apply(plan.notes)
        let mark = plan.watermarks["tide"]
        if let mark { scenario.state.watermarks["tide"] = mark }
        #expect(scenario.plan(at: now).notes.isEmpty, "the same time has no news")
    }

    /// Due at 22:00 of yesterday, when the window closed.
    @Test(arguments: [nil, DailyHours(from: 5 * 60, to: 22 * 60)] as [DailyHours?], [3600, 3601])
    func `an edit of the window makes nobody late who waited for it`(_ hours: DailyHours?, _ seconds: Int) throws {
        for isCron in [false, true] {
            var (before, after) = (campaign(Self.night), campaign(hours))
            if isCron {
                let times = Schedule.Times.cron(try Cron(parsing: "0 22 * * *"), start: nil, end: nil)
                (before.schedule.times, after.schedule.times) = (times, times)
            }
            var scenario = scenario(before)
            if isCron {
                scenario.state.watermarks["tide"] = Watermark(
                    at: .after(-11 * 3600), schedule: before.schedule.text, next: nil)
            }
            look(&scenario)
            scenario.desired.sends[0].campaign = after
            let plan = scenario.plan(at: .after(seconds))
            #expect(plan.sends.map(\.members) == (seconds == 3600 ? [[1, 2, 3]] : []), "cron: \(isCron)")
            #expect(plan.missed.count == (seconds == 3600 ? 0 : 1))
        }
    }

    /// It was 10:00 for the first two at 03:00, and will be for the third at 20:00.
    @Test(arguments: [nil, DailyHours(from: 5 * 60, to: 22 * 60)] as [DailyHours?], [3600, 3601])
    func `in local time, too, an edit of the window makes nobody late who waited for it`(
        _ hours: DailyHours?, _ seconds: Int
    ) throws {
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        let campaigns = [Self.night, hours].map { hours in
            var campaign = campaign(hours)
            campaign.schedule.times = .local(daily)
            campaign.zoneField = Located("zone")
            return campaign
        }
        var scenario = scenario(campaigns[0], [Zone(offset: 7 * 3600): [1, 2], Zone(offset: -10 * 3600): [3]])
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
        var occurrence = RecordedOccurrence(campaigns[0], local: local)
        occurrence.waves = Partition(disjoint: [Date.after(-5 * 3600): [1, 2]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-60), schedule: campaigns[0].schedule.text, next: nil, first: .after(-86_400))
        look(&scenario)
        scenario.desired.sends[0].campaign = campaigns[1]
        let send = try #require(scenario.plan(at: .after(seconds)).sends.first)
        #expect(send.members == (seconds == 3600 ? [1, 2] : []))
        #expect(send.skipped[.missed] == (seconds == 3600 ? [] : [1, 2]))
    }

    /// The window of now was open when people waited for another one, and has closed since.
    @Test func `whoever is in time by an earlier look is so after the next one`() {
        var scenario = scenario(campaign(Self.night))
        look(&scenario)
        scenario.desired.sends[0].campaign = campaign(DailyHours(from: 6 * 60, to: 8 * 60 + 30))
        for minutes in [31, 36] { look(&scenario, at: .after(minutes * 60)) }
        // Half of their hour is left.
        let opening = 22 * 3600
        #expect(scenario.plan(at: .after(opening + 1800)).sends.map(\.members) == [[1, 2, 3]])
        #expect(scenario.plan(at: .after(opening + 1801)).missed.count == 1)
    }

    /// Due at 08:00. Half of their hour is left when the window closes, so they are in time without any look.
    @Test(arguments: [3600, 3601])
    func `whoever is in time by no look at all goes by the last one after another edit`(_ seconds: Int) {
        var scenario = scenario(campaign(Self.night, due: 0))
        look(&scenario)
        scenario.desired.sends[0].campaign = campaign(DailyHours(from: 6 * 60, to: 8 * 60 + 30), due: 0)
        for minutes in [31, 96] { look(&scenario, at: .after(minutes * 60)) }
        scenario.desired.sends[0].campaign = campaign(nil, due: 0)
        let plan = scenario.plan(at: .after(96 * 60 + seconds))
        #expect(plan.sends.map(\.members) == (seconds == 3600 ? [[1, 2, 3]] : []))
        #expect(plan.missed.count == (seconds == 3600 ? 0 : 1))
    }

    @Test func `the window that people waited for is no later by that`() {
        var scenario = scenario(campaign(Self.night))
        look(&scenario)
        #expect(scenario.plan(at: .after(13 * 3600)).sends.map(\.members) == [[1, 2, 3]])
        #expect(scenario.plan(at: .after(13 * 3600 + 1)).missed.count == 1)
    }

    /// Due at 05:00. The first has it. The others are in New York, where the window opens at 10:00, until the second one
    /// is in London.
    @Test(arguments: [3600, 3601])
    func `a new zone makes nobody late who waited in the old one`(_ seconds: Int) throws {
        let (london, york) = (try #require(Zone(named: "Europe/London")), try #require(Zone(named: "America/New_York")))
        let campaign = campaign(DailyHours(from: 5 * 60, to: 21 * 60), field: true, due: -3 * 3600)
        var scenario = scenario(campaign, [london: [1], york: [2, 3]])
        scenario.began(campaign, accepted: [1])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        look(&scenario)
        scenario.desired.sends[0].zones = ["zone": [london: [1, 2], york: [3]]]
        let send = scenario.plan(at: .after(seconds)).sends.first
        #expect(send?.members == (seconds == 3600 ? [2] : []))
        #expect(send?.skipped[.missed] == (seconds == 3600 ? [] : [2]))
    }

    /// Due at 22:00 of yesterday. The window of now was open from 05:00 to 07:00, and is so again on the next day.
    @Test(arguments: [0, 1])
    func `a window that has closed already makes nobody late who waited for another one`(_ seconds: Int) {
        var scenario = scenario(campaign(Self.night))
        look(&scenario)
        scenario.desired.sends[0].campaign = campaign(DailyHours(from: 5 * 60, to: 7 * 60))
        for minutes in [1, 600] { look(&scenario, at: .after(minutes * 60)) }
        let plan = scenario.plan(at: .after(22 * 3600 + seconds))
        #expect(plan.sends.map(\.members) == (seconds == 0 ? [[1, 2, 3]] : []))
        #expect(plan.missed.count == seconds)
    }

    /// Due at 20:30 of yesterday, when the first stage opened. The next one opened at 21:30, and nobody looked before
    /// 08:00. Half of their hour is left.
    @Test func `whoever waits for a window in a later stage has no more time by that`() {
        let opening = StageOpening(first: .after(-41_400), since: .after(-37_800))
        let limits = campaign(Self.night).limits(due: .after(-41_400), since: opening, waited: PlanScenario.now)
        #expect(limits.deadline == .after(45_000))
    }

    /// Due at 05:00. The first has it. The others are in New York, until the second one is where the window closed at 07:00
    /// and opens at 15:00.
    @Test(arguments: [0, 1])
    func `a zone whose window has closed already makes nobody late who waited in the old one`(_ seconds: Int) throws {
        let (london, york) = (try #require(Zone(named: "Europe/London")), try #require(Zone(named: "America/New_York")))
        let campaign = campaign(DailyHours(from: 5 * 60, to: 21 * 60), field: true, due: -3 * 3600)
        var scenario = scenario(campaign, [london: [1], york: [2, 3]])
        scenario.began(campaign, accepted: [1])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        look(&scenario)
        scenario.desired.sends[0].zones = ["zone": [london: [1], york: [3], Zone(offset: 14 * 3600): [2]]]
        look(&scenario, at: .after(60))
        let plan = scenario.plan(at: .after(8 * 3600 + seconds))
        #expect(plan.sends.map(\.members) == (seconds == 0 ? [[2]] : []))
    }

    /// The third has left the list. Nobody knows when their window was open.
    @Test func `whoever was not listed has waited for nothing`() throws {
        let york = try #require(Zone(named: "America/New_York"))
        let campaign = campaign(DailyHours(from: 5 * 60, to: 21 * 60), field: true, due: -3 * 3600)
        var scenario = scenario(campaign, [york: [2]])
        scenario.began(campaign, accepted: [1])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        scenario.desired.sends[0].members = [1, 2]
        look(&scenario)
        scenario.desired.sends[0].members = [1, 2, 3]
        let send = scenario.plan(at: .after(60)).sends.first
        #expect(send?.members == [] && send?.skipped[.missed] == [3])
    }

    /// The first is in London, and may have it since 05:00. The others are in New York, where the window opens at 10:00.
    @Test func `whoever waits gives nobody more time who was late`() throws {
        let (london, york) = (try #require(Zone(named: "Europe/London")), try #require(Zone(named: "America/New_York")))
        var campaign = campaign(DailyHours(from: 5 * 60, to: 21 * 60), field: true, due: -3 * 3600)
        campaign.delivery.onUnknown = .resend
        var scenario = scenario(campaign, [london: [1], york: [2, 3]])
        scenario.began(campaign, unknown: [1])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        look(&scenario)
        #expect(scenario.plan(at: .after(60)).steps.isEmpty)
        #expect(scenario.plan(at: .after(2 * 3600)).sends.map(\.members) == [[2, 3]])
    }

    @Test func `what is over is not remembered, and a snapshot has the rest`() throws {
        let campaign = campaign(Self.night)
        var scenario = scenario(campaign)
        look(&scenario)
        #expect(scenario.state.waited == [campaign.id: PlanScenario.now])
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        let read = try SnapshotDocument(reading: SnapshotDocument(snapshot).json.bytes()).snapshot
        #expect(read.waited == scenario.state.waited)
        scenario.began(campaign, accepted: [1, 2, 3], finished: true)
        scenario.state.apply(scenario.plan().notes)
        #expect(scenario.state.waited.isEmpty)
    }
}
