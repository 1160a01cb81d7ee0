import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whom a person has tried again gets it, as long as the occurrence is in time: that is what the decision was judged by. It
/// is 2025-12-01T08:00:00Z, and `max_lateness` is two hours.
struct PlannerRepeatTests {
    /// A person decides about the one occurrence of the scenario.
    private func resolve(_ scenario: inout PlanScenario, _ way: Resolution, at now: Date = PlanScenario.now) throws {
        let id = try #require(scenario.state.occurrences.keys.first)
        let campaign = scenario.desired.sends[0].campaign
        scenario.state.apply(try scenario.state.changes(resolving: id, by: way, campaign: campaign, at: now))
    }

    /// A snapshot says only how many are tried again. It may be anybody.
    private func expectForecast(
        _ scenario: PlanScenario, at now: Date = PlanScenario.now, _ location: SourceLocation = #_sourceLocation
    ) {
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: now)
        let forecast = Planner.forecast(from: snapshot, of: scenario.desired, scenario.settings, at: now).proposal.plan
        let shown = Dictionary(forecast.sends.map { ($0.occurrence, $0.recipients) }) { first, _ in first }
        for send in scenario.plan(at: now).sends {
            #expect(shown[send.occurrence, default: -1] >= send.recipients, sourceLocation: location)
        }
    }

    /// The first stage opened three hours ago, to three of ten: one has it, one was rejected, of one nobody knows. It has
    /// settled, and a person says when the next one opens.
    private func staged(_ hasWindow: Bool) -> PlanScenario {
        var campaign = Campaign.tide(at: .after(-3 * 3600))
        var stages = Stages()
        stages.shares = [StageShare(millionths: 1), .everybody]
        (stages.soak, stages.limits.unknownPercent) = (.manual, 2)
        campaign.delivery.stages = stages
        if hasWindow {
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 0, to: 720), zone: .utc, field: nil, whenClosed: .wait)
        }
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1], unknown: [3])
        scenario.state.apply(.reject(campaign.id, [2], code: "UNAVAILABLE"))
        var stage = RecordedStage(share: StageShare(millionths: 1), opened: .after(-3 * 3600), planned: 3)
        stage.settled = .after(-3 * 3600 + 60)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        return scenario
    }

    @Test(
        arguments: [(.retry(code: "UNAVAILABLE"), [2]), (.resend, [3])] as [(Resolution, RecipientSet)], [true, false])
    func `a stage that has settled is sent to whom a person has tried again`(
        _ decision: (Resolution, RecipientSet), _ hasWindow: Bool
    ) throws {
        var scenario = staged(hasWindow)
        try resolve(&scenario, decision.0)
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [decision.1])
        #expect(plan.sends.map(\.skipped) == [Partition()])
        #expect(plan.sends.map(\.deadline) == [nil])
    }

    /// A run that tries one of them again dies, or FCM refuses them for now. What waits for a person goes on waiting.
    @Test(arguments: [true, false], [true, false]) func `a run that does not get through makes nobody else late`(
        _ hasWindow: Bool, _ dies: Bool
    ) throws {
        var scenario = staged(hasWindow)
        try resolve(&scenario, .retry(code: "UNAVAILABLE"))
        let id = try #require(scenario.state.occurrences.keys.first)
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        let work = try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at)
        scenario.state.apply(plan.notes + work.opening + work.intent(send.members, at: plan.at))
        if !dies {
            let figures = StageFigures(accepted: 1, unknown: 1)
            scenario.state.apply([.outcome(id, [2], .deferred)] + work.closing(stage: figures, settled: nil))
        }
        let next = scenario.plan(at: .after(60))
        #expect(next.missed.isEmpty)
        #expect(next.sends.map(\.discovered) == [dies ? [2] : []])
        if dies {
            // A crash left one too many without an outcome. The next plan, which knows the state alone, says so, too.
            let send = try #require(next.sends.first)
            let work = try StepWork(.send(send), isDryRun: false, begun: next.at, now: next.at)
            scenario.state.apply(next.notes + work.opening)
            let words = next.held.map(\.reason)
            #expect(words.contains { $0.contains("2 of 3 have an unknown outcome") })
            #expect(scenario.plan(at: .after(60)).held.map(\.reason) == words)
        }
        try resolve(&scenario, .accept, at: .after(60))
        try resolve(&scenario, .goOn, at: .after(60))
        let rest = scenario.plan(at: .after(60)).sends.map(\.members)
        #expect(rest == [RecipientSet(4...10).union(dies ? [] : [2])])
    }

    /// The stage settled ten minutes ago, and soaks for fifteen.
    @Test func `a stage that went on soaks from when nobody of it is left`() throws {
        var scenario = staged(false)
        let id = try #require(scenario.state.occurrences.keys.first)
        scenario.desired.sends[0].campaign.delivery.stages?.soak = .time(.seconds(900))
        scenario.state.occurrences[id]?.stages[0].settled = .after(-600)
        try resolve(&scenario, .retry(code: "UNAVAILABLE"))
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        let work = try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at)
        // The run dies after FCM's answer.
        scenario.state.apply(plan.notes + work.opening + [.outcome(id, [2], .accepted)])
        let next = scenario.plan(at: .after(600))
        #expect(next.sends.isEmpty && next.missed.isEmpty)
        #expect(next.waiting.map(\.until) == [.after(600 + 900)])
        scenario.state.apply(next.notes)
        #expect(scenario.plan(at: .after(1499)).sends.isEmpty)
        #expect(scenario.plan(at: .after(1500)).sends.map(\.members) == [RecipientSet(4...10)])
    }

    @Test(arguments: [true, false]) func `a step that ends settles a stage that went on`(_ soaksOnce: Bool) {
        var stage = RecordedStage(share: .seeds, opened: .after(-60), planned: 1)
        (stage.settled, stage.goesOn) = (.after(-30), true)
        let staging = Plan.Staging(
            opened: [stage], isNews: false, soaksOnce: soaksOnce, figures: StageFigures(), limits: StageLimits(),
            soak: .time(.seconds(900)), ahead: Partition(disjoint: [.everybody: [2]]))
        let open = staging.closing(with: StageFigures(accepted: 1), settled: nil)
        #expect(open.map(\.settled) == [.after(-30)] && open.map(\.isOver) == [false])
        let settled = staging.closing(with: StageFigures(accepted: 1), settled: .after(0))
        #expect(settled.map(\.settled) == [.after(0)] && settled.map(\.isOver) == [true])
        #expect(staging.opening(after: .after(0)) == .after(900))
    }

    /// The stage has soaked, and the next one did not open in time.
    @Test func `what ended because it was too late is not tried again`() throws {
        var scenario = staged(false)
        scenario.desired.sends[0].campaign.delivery.stages?.soak = .time(.seconds(900))
        let plan = scenario.plan()
        #expect(plan.missed.count == 1)
        scenario.carryOut(plan)
        let end = Date.after(-3 * 3600 + 60 + 900 + 7200)
        #expect(throws: ResolutionProblem.tooLate(.late(since: end))) {
            try resolve(&scenario, .retry(code: "UNAVAILABLE"), at: .after(60))
        }
    }

    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 8)

    /// Ten hours ago it was 08:00 for the first two. In an hour it is so for the third. Nobody knows whether the second has
    /// it.
    private func local(expiresAfter: Int? = nil) -> PlanScenario {
        var campaign = Campaign.tide()
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        campaign.delivery.expiresAfter = expiresAfter.map { .seconds($0) }
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.list([1, 2, 3])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 10 * 3600): [1, 2], Zone(offset: -3600): [3]]]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        (occurrence.accepted, occurrence.unknown) = ([1], [2])
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2]])
        occurrence.waves = Partition(disjoint: [Date.after(-10 * 3600): [1, 2]])
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: Self.local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    /// herald reckons with clocks that are 14 hours behind UTC. The last of them comes to it in 14 hours.
    @Test(arguments: [(0, true), (16 * 3600, true), (16 * 3600 + 1, false)])
    func `whoever is tried again in local time has until the last clock is late`(_ seconds: Int, _ isSent: Bool) throws
    {
        var scenario = local()
        try resolve(&scenario, .resend)
        #expect(scenario.plan(at: .after(seconds)).sends.contains { $0.members.contains(2) } == isSent)
        if isSent { expectForecast(scenario, at: .after(seconds)) }
    }

    @Test func `others in the step of whoever is tried again have no longer for that`() throws {
        var scenario = local()
        try resolve(&scenario, .resend)
        let sends = scenario.plan(at: .after(3600)).sends
        #expect(sends.map(\.members) == [[2, 3]])
        #expect(sends.map(\.deadline) == [.after(3600 + 7200)])
    }

    /// They are back before it ends.
    @Test func `whoever is tried again in local time may leave the list for a while`() throws {
        var scenario = local()
        try resolve(&scenario, .resend)
        scenario.desired.sends[0].members = [1, 3]
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 10 * 3600): [1], Zone(offset: -3600): [3]]]
        let now = Date.after(15 * 3600)
        scenario.state.apply([.outcome(OccurrenceID(campaign: "tide", local: Self.local, revision: 1), [3], .accepted)])
        #expect(scenario.plan(at: now).sends.flatMap { Array($0.skipped.all) }.isEmpty)
        #expect(scenario.plan(at: now).over.isEmpty)
        scenario.desired.sends[0].members = [1, 2, 3]
        #expect(scenario.plan(at: now).sends.map(\.members) == [[2]])
    }

    /// They leave the list. A second ago the last clock came to it, 24 hours after theirs.
    @Test(arguments: [(24 * 3600 + 2, true), (24 * 3600 + 1, false)])
    func `nothing waits for whoever left the list and for whom it has expired`(_ expiresAfter: Int, _ isInTime: Bool)
        throws
    {
        var scenario = local(expiresAfter: expiresAfter)
        try resolve(&scenario, .resend)
        scenario.desired.sends[0].members = [1, 3]
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 10 * 3600): [1], Zone(offset: -3600): [3]]]
        let id = OccurrenceID(campaign: "tide", local: Self.local, revision: 1)
        scenario.state.apply([.waves(id, Partition(disjoint: [Date.after(3600): [3]])), .outcome(id, [3], .accepted)])
        let proposal = scenario.proposal(at: .after(14 * 3600 + 1))
        #expect(proposal.overview.warnings.contains { $0.contains("left the list") } == isInTime)
        #expect(proposal.plan.sends.count == (isInTime ? 0 : 1))
    }

    /// Their clock came to it ten hours ago.
    @Test(arguments: [(36_000, false), (36_001, true)])
    func `nobody is tried again in local time for whom it has expired`(_ expiresAfter: Int, _ isSent: Bool) throws {
        var scenario = local(expiresAfter: expiresAfter)
        guard isSent else {
            let problem = ResolutionProblem.tooLate(.expired(at: PlanScenario.now))
            #expect(throws: problem) { try resolve(&scenario, .resend) }
            return
        }
        try resolve(&scenario, .resend)
        #expect(scenario.plan().sends.map(\.members) == [[2]])
    }

    /// All are in Tokyo, where it is 17:00. There it is late since 11:00, and in UTC, where the window opened at 07:00, it
    /// is so in an hour. Whoever decides reads no list.
    @Test(arguments: [20, 17]) func `whoever is tried again is in time by the campaign's own clock, too`(
        _ closing: Int
    ) throws {
        let tokyo = try #require(Zone(named: "Asia/Tokyo"))
        var campaign = Campaign.tide(at: .after(-9 * 3600))
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 7 * 60, to: closing * 60), zone: .utc, field: Located("zone"), whenClosed: .wait)
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.list([1, 2, 3])
        scenario.desired.sends[0].zones = ["zone": [tokyo: [1, 2, 3]]]
        scenario.began(campaign, accepted: [1], unknown: [2])
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        try resolve(&scenario, .resend)
        expectForecast(scenario)
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        // When the window opens again in Tokyo, it is too late everywhere. The third was never tried.
        #expect(send.members == (closing == 20 ? [2] : []))
        #expect(send.skipped == Partition(disjoint: [.missed: closing == 20 ? [3] : [2, 3]]))
        #expect(plan.waiting.isEmpty)
    }

    /// Of two occurrences of a cron with stages, the later one is sent to everybody.
    @Test(arguments: [true, false]) func `whoever is tried again gets it besides a later occurrence`(_ hasBegun: Bool)
        throws
    {
        var campaign = Campaign.tide()
        campaign.delivery.stages = Stages()
        campaign.schedule.times = .cron(try Cron(parsing: "0 7,8 * * *"), start: nil, end: nil)
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.list([1, 2, 3])
        let ids = [-3600, 0].map { OccurrenceID(campaign: "tide", due: .after($0), revision: 1) }
        var earlier = RecordedOccurrence(campaign, due: .after(-3600))
        (earlier.accepted, earlier.unknown) = ([1], [2])
        earlier.stages = [RecordedStage(share: .everybody, opened: .after(-3600), planned: 3)]
        earlier.stages[0].excused = StageFigures(unknown: 1)
        scenario.state.occurrences[ids[0]] = earlier
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil)
        try resolve(&scenario, .resend)
        if hasBegun {
            var later = RecordedOccurrence(campaign, due: PlanScenario.now)
            later.accepted = [1, 2, 3]
            later.stages = [RecordedStage(share: .everybody, opened: PlanScenario.now, planned: 3)]
            scenario.state.occurrences[ids[1]] = later
            scenario.state.watermarks["tide"]?.at = PlanScenario.now
        }
        let sends = Dictionary(scenario.plan().sends.map { ($0.occurrence, $0) }) { first, _ in first }
        #expect(sends[ids[1]]?.members == (hasBegun ? nil : [1, 2, 3]))
        // The third waited for it, and has the later one.
        #expect(sends[ids[0]]?.members == [2])
        #expect(sends[ids[0]]?.skipped == Partition(disjoint: [.superseded: [3]]))
        expectForecast(scenario)
    }

    /// A person abandoned it while its next stage waited for them. From then on `max_lateness` counts.
    @Test(arguments: [7200, 7201], [true, false])
    func `what was abandoned in a stage is tried again in time alone`(_ seconds: Int, _ hasWindow: Bool) throws {
        var scenario = staged(hasWindow)
        try resolve(&scenario, .abandon, at: .after(-3600))
        let now = Date.after(seconds - 3600)
        let retry = Resolution.retry(code: "UNAVAILABLE")
        guard seconds > 7200 else {
            try resolve(&scenario, retry, at: now)
            #expect(scenario.plan(at: now).sends.map(\.members) == [[2]])
            return
        }
        #expect(throws: ResolutionProblem.tooLate(.late(since: .after(3600)))) {
            try resolve(&scenario, retry, at: now)
        }
    }
}
