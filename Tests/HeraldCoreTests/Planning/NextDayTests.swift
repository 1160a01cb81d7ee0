import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `if_passed: next_day`: the day is decided by the limits that the campaign had when it was first seen. It is
/// 2025-12-01T08:00:00Z.
struct NextDayTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
    /// The clock of 1 showed 10:00 seven hours ago, and shows it again in 17. That of 2 comes to it in 12.
    private static let (tomorrow, ahead) = (Date.after(17 * 3600), Date.after(12 * 3600))

    private func scenario(maxLateness: Duration, expiresAfter: Duration? = nil) -> PlanScenario {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .nextDay), field: "zone"))
        campaign.zoneField = Located("zone")
        (campaign.schedule.maxLateness, campaign.delivery.expiresAfter) = (maxLateness, expiresAfter)
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: -10 * 3600): [2]]]
        return scenario
    }

    /// A limit that lets nobody wait for tomorrow, had it been there from the beginning.
    enum Longer: CaseIterable {
        case lateness, expiry, window

        func edit(_ campaign: inout Campaign) {
            switch self {
            case .lateness: campaign.schedule.maxLateness = .seconds(86_400)
            case .expiry: campaign.delivery.expiresAfter = .seconds(86_400)
            // Only the hour from 10 to 11 counts.
            case .window:
                campaign.delivery.window = SendWindow(
                    hours: DailyHours(from: 600, to: 660), zone: .utc, field: Located("zone"), whenClosed: .wait)
            }
        }
    }

    /// - Parameter isRefused: whether nothing of the first plan may go, so that it fixes no wave.
    @Test(arguments: Longer.allCases, [false, true])
    func `whoever is left to the next day stays there when limits become longer`(
        _ longer: Longer, _ isRefused: Bool
    ) {
        var scenario =
            longer == .expiry
            ? scenario(maxLateness: .seconds(86_400), expiresAfter: .seconds(7200))
            : scenario(maxLateness: .seconds(7200))
        var first = scenario.plan()
        #expect(first.sends.isEmpty)
        if isRefused { first.forgetLooks(at: ["tide"]) }
        scenario.state.watermarks["tide"] = first.watermarks["tide"]
        longer.edit(&scenario.desired.sends[0].campaign)
        let soon = scenario.plan(at: .after(3600))
        #expect(soon.sends.isEmpty && soon.missed.isEmpty && soon.joinedLate.isEmpty, "\(soon)")
        scenario.state.watermarks["tide"] = soon.watermarks["tide"]
        // The wave between does not change that either.
        let wave = scenario.plan(at: Self.ahead)
        #expect(wave.sends.map(\.members) == [[2]], "\(wave)")
        var occurrence = RecordedOccurrence(scenario.desired.sends[0].campaign, local: Self.local)
        occurrence.accepted = [2]
        occurrence.classes = Partition(disjoint: [MessageClass(): [2]])
        occurrence.waves = Partition(disjoint: [Self.ahead: [2]])
        scenario.state.occurrences[Self.id] = occurrence
        scenario.state.watermarks["tide"] = wave.watermarks["tide"]
        #expect(scenario.plan(at: Self.tomorrow - 1).sends.isEmpty)
        #expect(scenario.plan(at: Self.tomorrow).sends.map(\.members) == [[1]])
    }

    /// A pause holds the wave of 1, who was in time, until that is too late.
    @Test func `whoever was in time does not get it a day later when limits become shorter, and it is told`() {
        var scenario = scenario(maxLateness: .seconds(8 * 3600))
        scenario.state.pauses.campaigns = ["tide"]
        scenario.state.watermarks["tide"] = scenario.plan().watermarks["tide"]
        scenario.state.pauses.campaigns = []
        #expect(scenario.plan(at: .after(60)).sends.map(\.members) == [[1]])
        scenario.desired.sends[0].campaign.schedule.maxLateness = .seconds(3600)
        let plan = scenario.plan(at: .after(60))
        #expect(plan.sends.map(\.members) == [[]], "\(plan)")
        #expect(plan.sends.map { $0.skipped[.missed] } == [[1]])
    }

    /// The last clock of the world showed 10:00 at midnight UTC, an hour ago.
    @Test(arguments: [false, true])
    func `a calendar from a snapshot shows it until those have it who wait a day`(_ isBegun: Bool) {
        var scenario = scenario(maxLateness: .seconds(7200))
        scenario.state.watermarks["tide"] = scenario.plan().watermarks["tide"]
        let campaign = scenario.desired.sends[0].campaign
        if isBegun {
            var occurrence = RecordedOccurrence(campaign, local: Self.local)
            occurrence.accepted = [2]
            occurrence.classes = Partition(disjoint: [MessageClass(): [2]])
            occurrence.waves = Partition(disjoint: [Self.ahead: [2]])
            scenario.state.occurrences[Self.id] = occurrence
        }
        let now = Self.tomorrow - 60
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: now)
        let calendar = CalendarDocument(
            of: [campaign], from: snapshot, after: now, through: now + 7 * 86_400, limit: 9)
        #expect(calendar.occurrences.map(\.occurrence) == [Self.id])
    }

    /// An older herald noted no limits.
    @Test func `without a note the limits of now count, and are noted`() {
        var scenario = scenario(maxLateness: .seconds(7200))
        let text = scenario.desired.sends[0].campaign.markedSchedule
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: text, next: nil, first: PlanScenario.now)
        let plan = scenario.plan(at: .after(60))
        #expect(plan.watermarks["tide"]?.first == PlanScenario.now)
        #expect(plan.watermarks["tide"]?.lines.more == "max_lateness=7200000")
        #expect(scenario.plan(at: Self.tomorrow).sends.map(\.members) == [[1]])
    }

    @Test(arguments: ["max_lateness=1 expires_after=2", "max_lateness=1 window=540-60-127 zone=Asia/Tokyo"])
    func `limits are read as they were noted`(_ text: String) {
        #expect(SeenLimits(text)?.description == text)
    }

    @Test(arguments: ["", "local cron 0 12 * * * zone", "max_lateness=soon", "expires_after=2"])
    func `what is no note of limits gives none`(_ text: String) { #expect(SeenLimits(text) == nil) }
}
