import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Until when a person can decide about a held occurrence before a wave is missed. It is 2025-12-01T08:00:00Z, runs
/// come every five minutes, and `max_lateness` is two hours.
struct WaveDeadlineTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
    private static let wave = Date.after(-1800)
    private static let ends = [Schedule.CatchUp.none: wave + 600, .latest: wave + 7200]

    /// The first got it seven hours ago, and then FCM rejected too much. The clock of the second came to it at 07:30,
    /// and that of the third comes to it at 20:00.
    private func scenario(_ catchUp: Schedule.CatchUp) throws -> PlanScenario {
        var campaign = Campaign.tide()
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        campaign.schedule.times = .local(daily)
        campaign.schedule.catchUp = catchUp
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = [
            "zone": [Zone(offset: 9 * 3600): [1], Zone(offset: 9000): [2], Zone(offset: -10 * 3600): [3]]
        ]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [Date.after(-7 * 3600): [1]])
        occurrence.halt = .rejected
        scenario.state.occurrences[Self.id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    private func words(_ end: Date, _ wave: Date) -> String {
        "; decide by \(end.rfc3339), or the wave of \(wave.rfc3339) is missed"
    }

    /// Whether a run sends it to the second if somebody decides at that time.
    private func isSent(_ scenario: PlanScenario, at time: Date) -> Bool {
        var scenario = scenario
        scenario.state.occurrences[Self.id]?.halt = nil
        return scenario.plan(at: time).sends.contains { $0.members.contains(2) }
    }

    /// The plan that says it is from before the wave, or from after it.
    @Test(arguments: [Schedule.CatchUp.none, .latest], [-2100, -1500])
    func `who decides in time loses no wave that came during the hold`(
        _ catchUp: Schedule.CatchUp, _ seconds: Int
    ) throws {
        var scenario = try scenario(catchUp)
        let end = try #require(Self.ends[catchUp])
        let plan = scenario.plan(at: .after(seconds))
        let reason = try #require(plan.held.first).reason
        #expect(reason.hasSuffix(words(end, Self.wave)), "\(reason)")
        scenario.state.watermarks["tide"] = plan.watermarks["tide"]
        #expect(isSent(scenario, at: end) && !isSent(scenario, at: end + 1))
        let later = try #require(scenario.plan(at: end + 1).held.first).reason
        let next = Date.after(12 * 3600)
        #expect(later.hasSuffix(words(next.addingTimeInterval(end.timeIntervalSince(Self.wave)), next)), "\(later)")
    }

    @Test func `a wave that a run has seen, or of people whom it is for, has all of max_lateness`() throws {
        let end = try #require(Self.ends[.latest])
        for isSeen in [true, false] {
            var scenario = try scenario(.none)
            scenario.state.occurrences[Self.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2]])
            if isSeen { scenario.state.occurrences[Self.id]?.waves.move([2], to: Self.wave) }
            let reason = try #require(scenario.plan().held.first).reason
            #expect(reason.hasSuffix(words(end, Self.wave)), "\(reason)")
            #expect(isSent(scenario, at: end) && !isSent(scenario, at: end + 1))
        }
    }

    /// Ten minutes ago a run found nobody who could start: their window was another one.
    @Test func `the wave of those who waited has all of max_lateness from then on`() throws {
        var scenario = try scenario(.latest)
        scenario.state.apply([.waited([Self.id: .after(-600)])])
        let end = Date.after(6600)
        let reason = try #require(scenario.plan().held.first).reason
        #expect(reason.hasSuffix(words(end, Self.wave)), "\(reason)")
        #expect(isSent(scenario, at: end) && !isSent(scenario, at: end + 1))
    }

    /// The window of the third is closed while the second's is open.
    @Test func `a wave goes by the windows of its own people`() throws {
        var scenario = try scenario(.latest)
        scenario.desired.sends[0].campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 8 * 60, to: 21 * 60), zone: .utc, field: Located("zone"), whenClosed: .wait)
        let end = try #require(Self.ends[.latest])
        let reason = try #require(scenario.plan().held.first).reason
        #expect(reason.hasSuffix(words(end, Self.wave)), "\(reason)")
        #expect(isSent(scenario, at: end) && !isSent(scenario, at: end + 1))
    }

    /// Nobody is late while it waits for a person, whatever the message is worth by then.
    @Test func `a wave of a halted stage has until its message expires`() throws {
        var scenario = try scenario(.latest)
        scenario.state.occurrences[Self.id]?.halt = .stage
        scenario.state.occurrences[Self.id]?.stages = [
            RecordedStage(share: .everybody, opened: .after(-7 * 3600), planned: 3)
        ]
        scenario.desired.sends[0].campaign.delivery.stages = Stages()
        let patient = try #require(scenario.plan().held.first).reason
        #expect(!patient.contains("decide by") && !patient.contains("too late"), "\(patient)")
        scenario.desired.sends[0].campaign.delivery.expiresAfter = .seconds(5 * 3600)
        let reason = try #require(scenario.plan().held.first).reason
        #expect(reason.hasSuffix(words(Self.wave + 5 * 3600, Self.wave)), "\(reason)")
    }

    @Test func `another target is for all who are listed, so its waves have all of max_lateness`() throws {
        let end = try #require(Self.ends[.latest])
        var scenario = try scenario(.none)
        scenario.desired.sends[0].campaign.target = Located(.audience("surfers"))
        let reason = try #require(scenario.plan().held.first).reason
        #expect(reason.hasSuffix(words(end, Self.wave)), "\(reason)")
        let campaign = scenario.desired.sends[0].campaign
        let changes = try scenario.state.changes(
            resolving: Self.id, by: .goOn, campaign: campaign, at: PlanScenario.now)
        scenario.state.apply(changes)
        #expect(isSent(scenario, at: end) && !isSent(scenario, at: end + 1))
    }

    @Test func `when nobody is left who could still get it, it says since when`() throws {
        var scenario = try scenario(.none)
        scenario.desired.sends[0].members = [1, 2]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: -10 * 3600)] = nil
        let end = try #require(Self.ends[.none])
        let reason = try #require(scenario.plan().held.first).reason
        #expect(reason.hasSuffix("; it is too late for every wave since \(end.rfc3339)"), "\(reason)")
    }
}
