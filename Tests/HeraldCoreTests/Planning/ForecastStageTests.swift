import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Plans from a snapshot of occurrences that open part by part. A snapshot says neither who has an outcome nor who is
/// dead: a forecast shows at least what a plan from the state does.
struct ForecastStageTests {
    private static let five = StageShare(millionths: 50_000)

    private static func campaign(soak: Stages.Soak = .time(.seconds(600))) -> Campaign {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        var stages = Stages()
        (stages.shares, stages.seeds, stages.soak) = ([five, .everybody], Located("phones"), soak)
        campaign.delivery.stages = stages
        return campaign
    }

    /// Seven are listed. Besides seeds all are in the last stage.
    private func scenario(
        _ campaign: Campaign = Self.campaign(), seeds: RecipientSet, accepted: RecipientSet = [],
        intended: RecipientSet = [], stage: RecordedStage? = nil
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...7))
        scenario.desired.sends[0].seeds = seeds
        scenario.list(RecipientSet(1...7))
        guard let stage else { return scenario }
        scenario.began(campaign, accepted: accepted, intended: intended)
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): RecipientSet(1...7)])
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        return scenario
    }

    private func forecast(_ scenario: PlanScenario) -> Plan {
        let snapshot = StateSnapshot(scenario.state, tombstones: scenario.state.dead.count, at: PlanScenario.now)
        return Planner.forecast(from: snapshot, of: scenario.desired, scenario.settings, at: PlanScenario.now)
            .proposal.plan
    }

    private func stage(
        _ share: StageShare = .seeds, accepted: Int, planned: Int? = nil, settled: Int? = -3600
    ) -> RecordedStage {
        var stage = RecordedStage(share: share, opened: .after(-3600), planned: planned ?? accepted)
        stage.settled = settled.map { .after($0) }
        stage.figures = StageFigures(accepted: accepted)
        return stage
    }

    @Test func `those of a stage that is over do not fill the next one`() {
        let scenario = scenario(seeds: [1, 2], accepted: [1, 2], stage: stage(accepted: 2))
        #expect(scenario.plan().sends.map(\.recipients) == [5])
        #expect(forecast(scenario).sends.map(\.recipients) == [7])
        #expect(forecast(scenario).sends.first?.staging?.share == .everybody)
    }

    @Test func `a stage that soaks is shown as that`() {
        let scenario = scenario(seeds: [1, 2], accepted: [1, 2], stage: stage(accepted: 2, settled: -60))
        #expect(forecast(scenario).sends == [])
        #expect(forecast(scenario).waiting.map(\.until) == scenario.plan().waiting.map(\.until))
    }

    @Test func `who came to an open stage by an edit may start`() {
        let scenario = scenario(
            Self.campaign(soak: .manual), seeds: [1, 2, 3], accepted: [7], stage: stage(Self.five, accepted: 1))
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3]])
        #expect(forecast(scenario).sends.map(\.recipients) == [3])
    }

    /// In place of seeds who have it, or of none.
    @Test(arguments: [StageShare.seeds, StageShare(millionths: 50_000)])
    func `who became a seed while a stage soaks may start`(_ share: StageShare) {
        let scenario = scenario(seeds: [3], accepted: [1, 2], stage: stage(share, accepted: 2, settled: -60))
        #expect(scenario.plan().sends.map(\.members) == [[3]])
        #expect(forecast(scenario).sends.map(\.recipients) == [1])
        #expect(forecast(scenario).waiting.map(\.until) == [.after(540)])
    }

    @Test func `a stage whose people may all be dead may be passed over`() {
        var scenario = scenario(seeds: [1])
        scenario.state.dead = [1]
        #expect(scenario.plan().sends.map(\.recipients) == [6])
        #expect(forecast(scenario).sends.map(\.recipients) == [7])
        scenario.state.dead = []
        #expect(forecast(scenario).sends.map(\.recipients) == [1])
    }

    @Test func `a stage whose people may all be dead comes before one that waits for its window`() {
        var campaign = Self.campaign()
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 10 * 60, to: 11 * 60), zone: .utc, field: nil, whenClosed: .wait)
        var scenario = scenario(campaign, seeds: [1])
        scenario.state.dead = [9]
        // Seeds start at any hour.
        #expect(scenario.plan().sends.map(\.recipients) == [1])
        #expect(forecast(scenario).sends.map(\.recipients) == [1])
    }

    @Test func `whoever was tried before there were stages may be anybody`() {
        var campaign = Self.campaign()
        campaign.delivery.onUnknown = .resend
        campaign.delivery.stages?.seeds = nil
        var scenario = scenario(campaign, seeds: [], accepted: [1], intended: [2, 3], stage: stage(accepted: 0))
        scenario.state.occurrences[campaign.id]?.stages = []
        #expect(scenario.plan().sends.map(\.recipients) == [2])
        #expect(forecast(scenario).sends.count == 1)
        #expect(forecast(scenario).sends.allSatisfy { $0.recipients >= 2 })
    }

    /// Seeds whom nobody had listed when it began.
    private func add(guests: RecipientSet, to scenario: inout PlanScenario) {
        scenario.desired.sends[0].members.formUnion(guests)
        scenario.desired.sends[0].guests = guests
        scenario.list(guests)
    }

    @Test func `new seeds may be no part of what began before there were stages`() {
        let campaign = Self.campaign()
        var scenario = scenario(campaign, seeds: [8, 9], accepted: [1], stage: stage(accepted: 0))
        add(guests: [8, 9], to: &scenario)
        scenario.state.occurrences[campaign.id]?.stages = []
        #expect(scenario.plan().sends.map(\.members) == [[2, 3, 4, 5, 6, 7]])
        #expect(forecast(scenario).sends.map(\.recipients) == [9])
    }

    @Test func `new seeds do not hide that a stage has been sent`() {
        var scenario = scenario(
            Self.campaign(soak: .manual), seeds: [1, 8, 9], accepted: [1], stage: stage(accepted: 1, settled: nil))
        add(guests: [8, 9], to: &scenario)
        #expect(scenario.plan().sends == [])
        #expect(scenario.plan().held.count == 1)
        #expect(forecast(scenario).held.map(\.reason) == scenario.plan().held.map(\.reason))
        #expect(forecast(scenario).sends.map(\.recipients) == [3])
    }

    @Test func `a stage that was not sent to all does not seem to be over`() {
        let scenario = scenario(
            Self.campaign(soak: .manual), seeds: [1, 2, 3], accepted: [1],
            stage: stage(accepted: 1, planned: 3, settled: nil))
        #expect(scenario.plan().sends.map(\.members) == [[2, 3]])
        #expect(forecast(scenario).sends.map(\.recipients) == [3])
        #expect(forecast(scenario).held == [])
    }

    @Test func `what a stage has too much of is what came of all`() {
        // The run died before it told the state what had come.
        let scenario = scenario(
            seeds: [1, 2, 3, 4], accepted: [1, 2, 3], intended: [4], stage: stage(accepted: 2, settled: nil))
        #expect(scenario.plan().held.map(\.reason) == forecast(scenario).held.map(\.reason))
        #expect(forecast(scenario).held.contains { $0.reason.contains("1 of 4") })
    }

    /// The run died before it told the state what had come, and before it noted who is dead.
    @Test(arguments: [["UNREGISTERED": [2], "SENDER_ID_MISMATCH": [3]], ["SENDER_ID_MISMATCH": [2, 3]]])
    func `the dead of a stage that was not judged are no rejected ones`(_ codes: [String: RecipientSet]) {
        let campaign = Self.campaign()
        var open = stage(accepted: 1, planned: 4, settled: nil)
        open.figures = nil
        var scenario = scenario(campaign, seeds: [1, 2, 3, 4], accepted: [1], stage: open)
        scenario.state.occurrences[campaign.id]?.rejected = [2, 3]
        scenario.state.occurrences[campaign.id]?[.deferred] = [4]
        scenario.state.occurrences[campaign.id]?.codes = codes
        let (real, shown) = (scenario.plan(), forecast(scenario))
        #expect(real.sends.map(\.members) == (codes.count == 2 ? [[4]] : []))
        #expect(shown.sends.map(\.recipients) == (codes.count == 2 ? [4] : []))
        #expect(shown.sends.map(\.staging?.figures) == real.sends.map(\.staging?.figures))
        #expect(shown.held.map(\.reason) == real.held.map(\.reason))
    }

    @Test func `who may have it already stops nobody by a cap`() {
        let caps = [FrequencyCap(name: "all", max: 1, per: .seconds(3600))]
        let campaigns = [("one", 9), ("other", 5)].map { name, priority in
            var campaign = Campaign.tide(name)
            campaign.delivery.frequency = Frequency(tags: [], priority: priority)
            campaign.delivery.frequency.caps = caps
            return campaign
        }
        var scenario = PlanScenario()
        scenario.settings.frequencyCaps = caps
        for campaign in campaigns { scenario.want(campaign) }
        scenario.list([1, 2, 3])
        scenario.began(campaigns[0], accepted: [1, 2])
        let real = scenario.plan().sends
        #expect(real.map(\.members) == [[3], [1, 2]])
        #expect(forecast(scenario).sends.map(\.recipients) == [3, 3])
    }

    // MARK: Local time

    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)

    /// At 10:00 it was 01:00 in UTC for the first three, whom the state has in a wave.
    private func localScenario(
        _ campaign: Campaign, lateness: Duration, for members: RecipientSet, accepted: RecipientSet = []
    ) -> PlanScenario {
        var campaign = campaign
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.schedule.maxLateness = lateness
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign, for: members)
        scenario.list(members)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1, 2, 3]]]
        let reached = Date.after(-7 * 3600)
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.begun = reached
        occurrence.accepted = accepted
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        occurrence.waves = Partition(disjoint: [reached: [1, 2, 3]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: Self.local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-60), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    @Test func `nobody knows who is in a wave that waits for its window`() {
        let campaign = Campaign.tide("tide", to: .audience("anglers"))
        let scenario = localScenario(campaign, lateness: .seconds(86_400), for: [1, 2, 3])
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3]])
        #expect(forecast(scenario).sends.map(\.recipients) == [3])
    }

    /// The fourth has 10:00 now. It is too late for the first three, or they are not listed and the fifth waits.
    @Test(arguments: [[1, 2, 3, 4], [4, 5]] as [RecipientSet])
    func `who became a seed after the first wave may go by their own clock`(_ listed: RecipientSet) {
        var scenario = localScenario(Self.campaign(), lateness: .seconds(7200), for: listed, accepted: [1, 2, 3])
        scenario.desired.sends[0].seeds = [4]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 2 * 3600)] = [4]
        #expect(scenario.plan().sends.map(\.members) == [[4]])
        #expect(forecast(scenario).sends.map(\.recipients) == [1])
    }

    /// Nobody else's clock has come to it.
    @Test func `who became a seed while their wave waits may go with that wave`() {
        var scenario = localScenario(Self.campaign(), lateness: .seconds(86_400), for: [1, 2, 3, 4])
        scenario.desired.sends[0].seeds = [1, 2, 3]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: -5 * 3600)] = [4]
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3]])
        #expect(forecast(scenario).sends.map(\.recipients) == [3])
    }

    /// The clocks of the first three had passed it for too long when it was first seen. No request of the first run left.
    /// From a snapshot the seed may have been listed since, and then the next stage follows at once.
    @Test func `the first stage may be nobody's also where nobody was tried`() {
        var scenario = localScenario(Self.campaign(), lateness: .seconds(7200), for: [1, 2, 3, 4, 5])
        scenario.desired.sends[0].seeds = [5]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 2 * 3600)] = [4, 5]
        let campaign = scenario.desired.sends[0].campaign
        let id = OccurrenceID(campaign: "tide", local: Self.local, revision: 1)
        scenario.state.occurrences[id]?.classes = Partition(disjoint: [MessageClass(): [4, 5]])
        scenario.state.occurrences[id]?.waves = Partition(disjoint: [PlanScenario.now: [4, 5]])
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.markedSchedule, next: nil, first: PlanScenario.now)
        #expect(scenario.plan().sends.map(\.members) == [[5]])
        #expect(forecast(scenario).sends.map(\.recipients) == [2])
    }
}
