import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What came of a stage is judged before anything more of it starts: its run may have died before it could, or the author
/// may have lowered the limits since.
struct PlannerStageTests {
    private static let id = campaign().id

    private static func campaign() -> Campaign {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.delivery.stages = Stages()
        return campaign
    }

    /// Ten are listed, and all are in the one stage that is open.
    private func scenario(
        accepted: RecipientSet = [], rejected: RecipientSet = [], unknown: RecipientSet = [],
        intended: RecipientSet = [], excused: StageFigures = StageFigures()
    ) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.want(Self.campaign(), for: RecipientSet(1...10))
        scenario.began(
            Self.campaign(), accepted: accepted, rejected: rejected, unknown: unknown, intended: intended)
        var stage = RecordedStage(share: .everybody, opened: .after(-60), planned: 10)
        stage.excused = excused
        scenario.state.occurrences[Self.id]?.stages = [stage]
        return scenario
    }

    @Test(
        arguments: [
            ([2, 3], [], [], "2 of 3 were rejected, more than 2 % of 50"),
            ([], [2], [], "1 of 2 have an unknown outcome, more than 1 % of 50"),
            // A crash left it between intent and outcome.
            ([], [], [2], "1 of 2 have an unknown outcome, more than 1 % of 50"),
        ] as [(RecipientSet, RecipientSet, RecipientSet, String)])
    func `nothing starts of a stage that is over a limit`(
        _ rejected: RecipientSet, _ unknown: RecipientSet, _ intended: RecipientSet, _ words: String
    ) {
        let plan = scenario(accepted: [1], rejected: rejected, unknown: unknown, intended: intended).plan()
        #expect(plan.sends.allSatisfy { $0.members.isEmpty && $0.discovered == intended })
        #expect(plan.sends.count == (intended.isEmpty ? 0 : 1))
        #expect(plan.held.contains { $0.reason.contains(words) && $0.resolve.contains("--continue") })
        #expect(plan.notes.contains(.halt(Self.id, .stage)))
    }

    /// An earlier wave noted what came of the stage. The run that sent the next one died.
    @Test func `what halts a stage is said as long as it is halted`() throws {
        var scenario = scenario(accepted: [1], intended: [2])
        scenario.state.occurrences[Self.id]?.stages[0].figures = StageFigures(accepted: 1)
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        let work = try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at)
        scenario.state.apply(plan.notes + work.opening)
        let words = "1 of 2 have an unknown outcome, more than 1 % of 50"
        #expect(scenario.plan().held.contains { $0.reason.contains(words) })
        let shown = try #require(scenario.state.occurrences[Self.id]).shownStages
        #expect(shown.map(\.figures) == [StageFigures(accepted: 1, unknown: 1)])
    }

    /// An earlier wave noted what came of the stage. The run of the last one died after FCM's answers.
    @Test(arguments: [true, false]) func `what no run noted is shown, too`(_ isFinished: Bool) throws {
        var scenario = scenario(accepted: RecipientSet(1...6), rejected: [7])
        scenario.state.occurrences[Self.id]?.stages[0].figures = StageFigures(accepted: 4)
        if isFinished { scenario.state.apply(.finish(Self.id, at: PlanScenario.now)) }
        let shown = try #require(scenario.state.occurrences[Self.id]?.summary).shownStages
        #expect(shown.map(\.figures) == [StageFigures(accepted: 6, rejected: 1)])
    }

    @Test func `what a person settles of an earlier stage is shown as no part of the last one`() throws {
        var scenario = scenario(accepted: RecipientSet(1...7))
        scenario.state.occurrences[Self.id]?.stages[0].before = StageFigures(accepted: 1, unknown: 1)
        scenario.state.occurrences[Self.id]?.stages[0].figures = StageFigures(accepted: 5)
        let shown = try #require(scenario.state.occurrences[Self.id]).shownStages
        #expect(shown.map(\.figures) == [StageFigures(accepted: 5)])
    }

    /// The first stage was for one recipient, who may have it, and for whom it is too late to be sent it again.
    @Test(arguments: [.manual, .time(.seconds(600))] as [Stages.Soak])
    func `a stage of which only an unknown outcome is left says what the next one waits for`(_ soak: Stages.Soak) {
        var campaign = Campaign.tide("tide", to: .audience("anglers"), at: .after(-7260))
        campaign.delivery.onUnknown = .resend
        var stages = Stages()
        stages.shares = [StageShare(millionths: 200_000), .everybody]
        (stages.soak, stages.limits.unknownPercent) = (soak, 100)
        campaign.delivery.stages = stages
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2, 3])
        scenario.began(campaign, unknown: [1])
        var stage = RecordedStage(share: stages.shares[0], opened: .after(-7260), planned: 1)
        stage.settled = .after(-120)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty && plan.missed.isEmpty)
        #expect(plan.held.map(\.occurrence) == (soak == .manual ? [campaign.id] : []))
        #expect(plan.waiting.map(\.until) == (soak == .manual ? [] : [.after(480)]))
    }

    /// One of three seeds was sent it, and a person let the send go on before the others were.
    private func withSeedsLeft(_ change: (inout Campaign) -> Void) -> PlanScenario {
        var campaign = Self.campaign()
        campaign.delivery.stages?.seeds = Located("phones")
        change(&campaign)
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...13))
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([11, 12, 13], [11, 12, 13])
        scenario.began(campaign, accepted: [11])
        var stage = RecordedStage(share: .seeds, opened: .after(-60), planned: 3)
        (stage.accepted, stage.excused) = (Date.after(-30), StageFigures(accepted: 1))
        scenario.state.occurrences[Self.id]?.stages = [stage]
        return scenario
    }

    @Test func `for seeds who are left over no cap counts, and they fill none`() throws {
        let cap = FrequencyCap(name: "all", max: 1, per: .seconds(86_400))
        var scenario = withSeedsLeft { ($0.delivery.frequency.caps, $0.delivery.frequency.priority) = ([cap], 9) }
        scenario.settings.frequencyCaps = [cap]
        let start = MessageStart(until: .after(-60), tags: [])
        scenario.state.starts = ["news@once": Partition(disjoint: [start: [1, 12]])]
        var other = Campaign.tide("other", to: .audience("phones"))
        other.delivery.frequency.caps = [cap]
        scenario.want(other, for: [2, 12, 13])
        let sends = scenario.plan().sends
        #expect(sends.map(\.members) == [RecipientSet(2...10).union([12, 13]), [13]])
        #expect(sends.map(\.seeds) == [[12, 13], []])
        #expect(sends.map(\.skipped.all) == [[1], [2, 12]])
        // A run that is sending it counts no seed either.
        scenario.underWay = [sends[0]]
        #expect(scenario.plan().sends.last?.members == [13])
    }

    @Test func `for seeds who are left over no window counts`() throws {
        let noon = SendWindow(hours: DailyHours(from: 720, to: 780), zone: .utc, field: nil, whenClosed: .wait)
        let plan = withSeedsLeft { $0.delivery.window = noon }.plan()
        #expect(plan.sends.map(\.members) == [[12, 13]])
        #expect(plan.sends.map(\.closings) == [Partition()])
        #expect(plan.waiting.map(\.recipients) == [10])
        // Where others may start, too, the step ends with their window, and needs no second text for seeds.
        let open = SendWindow(hours: DailyHours(from: 420, to: 540), zone: .utc, field: nil, whenClosed: .wait)
        let both = try #require(withSeedsLeft { $0.delivery.window = open }.plan().sends.first)
        #expect(both.members == RecipientSet(1...10).union([12, 13]))
        #expect(both.closings == Partition(disjoint: [.after(3600): both.members]))
    }

    /// The seeds had it when it was due, and a person opens the next stage. The window is always open, or has been closed.
    @Test(
        arguments: [
            (-7200, nil, true), (-7201, nil, false), (-7200, 0...1440, true), (-7201, 0...1440, false),
            (-10_000, 0...420, true),
        ] as [(Int, ClosedRange<Int>?, Bool)])
    func `who becomes a seed too late gets nothing of it, with a window too`(
        _ due: Int, _ open: ClosedRange<Int>?, _ isInTime: Bool
    ) {
        var campaign = Campaign.tide("tide", to: .audience("anglers"), at: .after(due))
        var stages = Stages()
        (stages.seeds, stages.soak) = (Located("phones"), .manual)
        campaign.delivery.stages = stages
        campaign.delivery.window = open.map { open in
            let hours = DailyHours(from: open.lowerBound, to: open.upperBound)
            return SendWindow(hours: hours, zone: .utc, field: nil, whenClosed: .wait)
        }
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...12))
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([11, 12], [11, 12])
        scenario.began(campaign, accepted: [11])
        var stage = RecordedStage(share: .seeds, opened: .after(due), planned: 1)
        stage.settled = .after(due + 1)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let send = scenario.plan().sends.first
        #expect(send?.members == (isInTime ? [12] : []))
        #expect(send?.skipped[.missed] == (isInTime ? [] : [12]))
    }

    /// The first of ten got it, which was due three hours ago. The next stage opens in 14 minutes.
    @Test(arguments: [(3 * 3600 + 840, true), (3 * 3600 + 841, false)])
    func `a plan warns of those whose message expires before their stage opens`(_ expiry: Int, _ isTooLate: Bool) {
        var campaign = Campaign.tide("tide", to: .audience("anglers"), at: .after(-3 * 3600))
        (campaign.delivery.stages, campaign.delivery.expiresAfter) = (Stages(), .seconds(expiry))
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(
            share: StageShare(millionths: 100_000), opened: .after(-3 * 3600), planned: 1, draw: "tide#1")
        stage.settled = .after(-60)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let proposal = scenario.proposal()
        #expect(proposal.plan.waiting.map(\.until) == [.after(840)])
        let words = "\(campaign.id) expires for 9 recipients before their stage opens"
        #expect(proposal.overview.warnings.contains { $0.hasPrefix(words) } == isTooLate)
    }

    @Test func `a seed among others fills no cap`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1, 2, 3], due: laboratory.now)
        (send.seeds, send.counting) = ([2], StartCounting(tags: [], span: 60))
        let report = try await laboratory.run(laboratory.plan(.send(send)), ScriptedSender(each: []))
        #expect(report.steps[0].accepted == 3)
        #expect(laboratory.memory.state().starts[send.occurrence]?.all == [1, 3])
    }

    @Test func `what a person accepted is not judged again`() {
        let plan = scenario(accepted: [1], rejected: [2, 3], excused: StageFigures(accepted: 1, rejected: 2)).plan()
        #expect(plan.sends.map(\.members) == [RecipientSet(4...10)])
    }

    /// It was due three hours ago, without stages so far. Its window is open until noon.
    private static func threeHoursOld(_ hasWindow: Bool) -> Campaign {
        var campaign = Campaign.tide("tide", to: .audience("anglers"), at: .after(-3 * 3600))
        if hasWindow {
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 0, to: 720), zone: .utc, field: nil, whenClosed: .wait)
        }
        return campaign
    }

    /// As without a window: for a stage, `max_lateness` stands still while it waits for a person.
    @Test(arguments: [true, false]) func `the rest of the last stage is in time when a person lets it go on`(
        _ hasWindow: Bool
    ) {
        var campaign = Self.threeHoursOld(hasWindow)
        campaign.delivery.stages = Stages()
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1], rejected: [2, 3])
        var stage = RecordedStage(share: .everybody, opened: .after(-3 * 3600), planned: 10)
        (stage.accepted, stage.excused) = (Date.after(-60), StageFigures(accepted: 1, rejected: 2))
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [RecipientSet(4...10)])
        #expect(plan.sends.map(\.skipped) == [Partition()])
    }

    /// A person accepted the first of ten, who got it three hours ago, and opened the rest. `max_lateness` is two hours.
    @Test(arguments: [(-7200, true), (-7201, true), (-7200, false), (-7201, false)])
    func `the next stage is late when nothing ran since a person opened it`(_ accepted: Int, _ hasWindow: Bool) {
        var campaign = Self.threeHoursOld(hasWindow)
        campaign.delivery.stages = Stages()
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(share: .seeds, opened: .after(-3 * 3600), planned: 1)
        (stage.accepted, stage.excused) = (Date.after(accepted), StageFigures(accepted: 1))
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let sent = scenario.plan().sends.map(\.members).filter { !$0.isEmpty }
        #expect(sent == (accepted == -7200 ? [RecipientSet(2...10)] : []))
    }

    /// As without a window: whoever waited for their stage is in time when the file drops the stages.
    @Test(arguments: [true, false]) func `a file without stages any more opens the rest in time`(_ hasWindow: Bool) {
        let campaign = Self.threeHoursOld(hasWindow)
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(share: StageShare(millionths: 100_000), opened: .after(-3 * 3600), planned: 1)
        stage.settled = .after(-3 * 3600 + 60)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [RecipientSet(2...10)])
        #expect(plan.sends.map(\.skipped) == [Partition()])
    }

    /// A person accepted one that was accepted and two that are unknown. Unknown outcomes are sent again.
    private func resending(
        accepted: RecipientSet, unknown: RecipientSet = [], intended: RecipientSet = []
    ) -> Plan {
        let excused = StageFigures(accepted: 1, unknown: 2)
        var scenario = scenario(accepted: accepted, unknown: unknown, intended: intended, excused: excused)
        scenario.desired.sends[0].campaign.delivery.onUnknown = .resend
        return scenario.plan()
    }

    @Test func `an accepted outcome that is tried again excuses no other one`() throws {
        let again = try #require(resending(accepted: [1], unknown: [2, 3]).sends.first)
        #expect(again.members == RecipientSet(2...10))
        // The run itself judges two more.
        let staging = try #require(again.staging)
        #expect(staging.judged(StageFigures(accepted: 3, unknown: 2)) == StageFigures(accepted: 2, unknown: 2))
        // A crash left two others without an outcome, or the same ones.
        for plan in [resending(accepted: [1, 2, 3], intended: [4, 5]), resending(accepted: [1], intended: [2, 3])] {
            #expect(plan.sends.allSatisfy { $0.members.isEmpty })
            #expect(plan.held.contains { $0.reason.contains("2 of") && $0.reason.contains("unknown outcome") })
        }
        // One of them was tried again, the other one not yet.
        let rest = try #require(resending(accepted: [1, 2], unknown: [3]).sends.first)
        #expect(rest.members == RecipientSet(3...10))
        // The next runs know by the state alone which of them it still excuses.
        #expect(!staging.isNews && rest.staging?.isNews == true)
        #expect(rest.staging?.opened.last?.excused == StageFigures(accepted: 1, unknown: 1))
    }

    @Test func `who accepts a stage accepts what a crash left, too`() throws {
        var scenario = scenario(accepted: [1], intended: [2, 3])
        scenario.desired.sends[0].campaign.delivery.onUnknown = .resend
        scenario.state.apply(.halt(Self.id, .stage))
        let campaign = scenario.desired.sends[0].campaign
        scenario.state.apply(
            try scenario.state.changes(resolving: Self.id, by: .goOn, campaign: campaign, at: PlanScenario.now))
        #expect(scenario.plan().sends.map(\.members) == [RecipientSet(2...10)])
    }

    /// Its schedule got a time zone field between the two, or lost it. One was for 02:00 on each clock, and the other for
    /// 06:00 in UTC. Ten are listed, and all are in UTC, where it is 08:00.
    @Test(arguments: [true, false]) func `whom the later of two occurrences has is left out of the earlier one alone`(
        _ isLocal: Bool
    ) throws {
        let cron = try Cron(parsing: isLocal ? "0 2 * * *" : "0 6 * * *")
        var campaign = Self.campaign()
        campaign.schedule.times =
            isLocal
            ? .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
            : .cron(cron, start: nil, end: nil)
        campaign.schedule.maxLateness = .seconds(12 * 3600)
        if isLocal { campaign.zoneField = Located("zone") }
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 2)
        var earlier = RecordedOccurrence(campaign, local: local)
        earlier.classes = Partition(disjoint: [MessageClass(): RecipientSet(1...10)])
        earlier.waves = Partition(disjoint: [Date.after(-6 * 3600): RecipientSet(1...10)])
        earlier.accepted = isLocal ? [1] : [2, 3]
        var later = RecordedOccurrence(campaign, due: .after(-2 * 3600))
        later.accepted = isLocal ? [2, 3] : [1]
        earlier.stages = [RecordedStage(share: .everybody, opened: .after(-6 * 3600), planned: 10)]
        later.stages = [RecordedStage(share: .everybody, opened: .after(-2 * 3600), planned: 10)]
        let ids = [
            OccurrenceID(campaign: "tide", local: local, revision: 1),
            OccurrenceID(campaign: "tide", due: .after(-2 * 3600), revision: 1),
        ]
        (scenario.state.occurrences[ids[0]], scenario.state.occurrences[ids[1]]) = (earlier, later)
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil, first: isLocal ? .after(-86_400) : nil)
        let send = try #require(scenario.plan().sends.first)
        #expect(send.occurrence == (isLocal ? ids[0] : ids[1]))
        #expect(send.members == (isLocal ? RecipientSet(4...10) : RecipientSet(2...10)))
        #expect(send.skipped == (isLocal ? Partition(disjoint: [.superseded: [2, 3]]) : Partition()))
    }
}
