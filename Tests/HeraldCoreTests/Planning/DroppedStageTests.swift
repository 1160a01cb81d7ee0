import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A file loses its `stages` while some wait for theirs: the rest opens with the step that sends to them first. From
/// then on `max_lateness`, two hours here, counts for them as for everybody. It is 2025-12-01T08:00:00Z.
struct DroppedStageTests {
    private static let tenth = StageShare(millionths: 100_000)

    /// Ten are listed. The first got it three hours ago, as the first stage.
    private func scenario(_ change: (inout RecordedStage) -> Void = { _ in }) -> PlanScenario {
        let campaign = Campaign.tide(at: .after(-3 * 3600))
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...10))
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(share: Self.tenth, opened: .after(-3 * 3600), planned: 1, draw: "tide#1")
        stage.settled = .after(-3 * 3600 + 60)
        change(&stage)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        return scenario
    }

    /// A run begins the plan's send, sends it to the second alone, and ends.
    private func begin(_ scenario: inout PlanScenario, at now: Date = PlanScenario.now) throws {
        let plan = scenario.plan(at: now)
        let send = try #require(plan.sends.first)
        let work = try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at)
        scenario.state.apply(plan.notes + work.opening + [.outcome(send.occurrence, [2], .accepted)])
    }

    @Test func `a run notes that the rest opens, with the step that sends`() throws {
        var scenario = scenario()
        let id = scenario.desired.sends[0].campaign.id
        try begin(&scenario)
        let stages = try #require(scenario.state.occurrences[id]).stages
        #expect(stages.map(\.share) == [Self.tenth, .everybody])
        #expect(stages.map(\.opened) == [.after(-3 * 3600), PlanScenario.now])
        #expect(stages.map(\.planned) == [1, 9])
        #expect(stages.last?.before == StageFigures(accepted: 1))
        #expect(stages.last?.draw == "tide#1")
        // It is noted once, also if the file has stages again.
        #expect(scenario.plan().sends.map(\.restOpening) == [nil])
        scenario.desired.sends[0].campaign.delivery.stages = Stages()
        let again = try #require(scenario.plan().sends.first)
        #expect(again.members == RecipientSet(3...10) && again.staging?.isNews == false)
    }

    @Test func `what came of the rest is shown once it has ended`() throws {
        var scenario = scenario()
        let id = scenario.desired.sends[0].campaign.id
        try begin(&scenario)
        scenario.state.apply([
            .outcome(id, RecipientSet(3...9), .accepted), .reject(id, [10], code: "UNREGISTERED"),
            .finish(id, at: PlanScenario.now),
        ])
        let shown = try #require(scenario.state.occurrences[id]?.summary).shownStages
        #expect(shown.map(\.planned) == [1, 9])
        #expect(shown.map(\.figures) == [StageFigures(accepted: 1), StageFigures(accepted: 8, dead: 1)])
    }

    @Test func `from then on, the rest is late after max_lateness`() throws {
        var scenario = scenario()
        try begin(&scenario)
        #expect(scenario.plan(at: .after(7200)).sends.map(\.members) == [RecipientSet(3...10)])
        let late = scenario.plan(at: .after(7201))
        #expect(late.sends.isEmpty && late.missed.count == 1)
    }

    @Test func `it ends after max_lateness when all who are left have left the list`() throws {
        var scenario = scenario()
        try begin(&scenario)
        let occurrence = try #require(scenario.state.occurrences.keys.first)
        scenario.state.occurrences[occurrence]?.classes = Partition(disjoint: [MessageClass(): RecipientSet(1...10)])
        scenario.desired.sends[0].members = [1, 2]
        #expect(scenario.plan(at: .after(7200)).doesNothing)
        let end = scenario.plan(at: .after(7201))
        scenario.carryOut(end)
        #expect(scenario.state.occurrences[occurrence]?.finished != nil)
    }

    @Test func `a rest that a person let go on is late from then on`() {
        for (accepted, isSent) in [(-7200, true), (-7201, false)] {
            let plan = scenario { $0.accepted = .after(accepted) }.plan()
            #expect(plan.sends.map(\.members) == (isSent ? [RecipientSet(2...10)] : []))
            #expect(plan.sends.compactMap { $0.restOpening?.last?.opened } == (isSent ? [.after(accepted)] : []))
        }
    }

    /// The window is closed from 05:00 to 20:00. A crash left the second between intent and outcome.
    @Test(arguments: [true, false]) func `what sends nobody anything opens no rest`(_ isPaused: Bool) throws {
        var scenario = scenario()
        let id = scenario.desired.sends[0].campaign.id
        scenario.state.occurrences[id]?.intended = [2]
        scenario.state.pauses.everything = isPaused
        if !isPaused {
            scenario.desired.sends[0].campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 1200, to: 300), zone: .utc, field: nil, whenClosed: .wait)
        }
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members.isEmpty && send.discovered == [2])
        let work = try StepWork(.send(send), isDryRun: false, begun: plan.at, now: plan.at)
        scenario.state.apply(plan.notes + work.opening)
        #expect(scenario.state.occurrences[id]?.stages.map(\.share) == [Self.tenth])
    }

    /// The one of yesterday waits at the first stage, too. In it, the third has an outcome.
    @Test(arguments: [Schedule.CatchUp.latest, .all]) func `of two occurrences, the rest gets the latest`(
        _ catchUp: Schedule.CatchUp
    ) throws {
        var scenario = scenario()
        var campaign = scenario.desired.sends[0].campaign
        campaign.schedule.times = .cron(try Cron(parsing: "0 5 * * *"), start: nil, end: nil)
        campaign.schedule.catchUp = catchUp
        scenario.desired.sends[0].campaign = campaign
        scenario.state.occurrences = [:]
        for (day, person) in [1, 3].enumerated() {
            let due = Date.after(-3 * 3600 - day * 86_400)
            var occurrence = RecordedOccurrence(campaign, due: due)
            occurrence.accepted = [RecipientID(person)]
            var stage = RecordedStage(share: Self.tenth, opened: due, planned: 1)
            stage.settled = due + 60
            occurrence.stages = [stage]
            scenario.state.occurrences[OccurrenceID(campaign: "tide", due: due, revision: 1)] = occurrence
        }
        scenario.state.watermarks["tide"] = Watermark(
            at: PlanScenario.now, schedule: campaign.schedule.text, next: nil)
        let sends = scenario.plan().sends.sorted { $0.occurrence > $1.occurrence }
        #expect(sends.map(\.members.count) == (catchUp == .all ? [9, 9] : [9, 0]))
        #expect(sends.map { $0.skipped[.superseded].count } == (catchUp == .all ? [0, 0] : [0, 9]))
    }

    /// The campaign was due later before its author moved it and raised the revision. All got the earlier text.
    @Test func `an occurrence of an earlier revision takes the place of nothing`() throws {
        var scenario = scenario()
        var campaign = scenario.desired.sends[0].campaign
        var old = RecordedOccurrence(campaign, due: .after(-3600))
        old.accepted = RecipientSet(1...10)
        old.finished = .after(-3500)
        campaign.revision = 2
        scenario.desired.sends[0].campaign = campaign
        let begun = try #require(scenario.state.occurrences.values.first)
        var occurrence = RecordedOccurrence(campaign, due: begun.due)
        (occurrence.accepted, occurrence.stages) = ([1], begun.stages)
        scenario.state.occurrences = [
            OccurrenceID(campaign: "tide", due: old.due, revision: 1): old, campaign.id: occurrence,
        ]
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == RecipientSet(2...10) && send.skipped.isEmpty)
    }

    /// A rest that waits, and a new occurrence of the same campaign that is due now.
    @Test func `whoever gets a new occurrence does not get the rest of an older one`() throws {
        var scenario = scenario()
        var campaign = scenario.desired.sends[0].campaign
        campaign.schedule.times = .cron(try Cron(parsing: "55 7 * * *"), start: nil, end: nil)
        scenario.desired.sends[0].campaign = campaign
        let due = Date.after(-86_400 - 300)
        var occurrence = RecordedOccurrence(campaign, due: due)
        occurrence.accepted = [1]
        occurrence.stages = [RecordedStage(share: Self.tenth, opened: due, planned: 1)]
        occurrence.stages[0].settled = due + 60
        let id = OccurrenceID(campaign: "tide", due: due, revision: 1)
        scenario.state.occurrences = [id: occurrence]
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-600), schedule: campaign.schedule.text, next: nil)
        let sends = scenario.plan().sends
        #expect(sends.map(\.members.count).sorted() == [0, 10])
        #expect(sends.first { $0.occurrence == id }?.skipped[.superseded].count == 9)
    }

    /// The clocks of the first three came to it three hours ago, and that of the fourth comes to it in an hour. The first
    /// got it as the first stage.
    private func local() throws -> PlanScenario {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
        var campaign = Campaign.tide()
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        campaign.schedule.times = .local(daily)
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2, 3, 4])
        scenario.desired.sends[0].zones = [
            "zone": [Zone(offset: 5 * 3600): [1, 2, 3], Zone(offset: 3600): [4]]
        ]
        var occurrence = RecordedOccurrence(campaign, local: local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        occurrence.waves = Partition(disjoint: [Date.after(-3 * 3600): [1, 2, 3]])
        var stage = RecordedStage(share: Self.tenth, opened: .after(-3 * 3600), planned: 1)
        stage.settled = .after(-3 * 3600 + 60)
        occurrence.stages = [stage]
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-60), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    @Test func `in local time, too, whoever waited for their stage gets it at once`() throws {
        var scenario = try local()
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [2, 3] && send.skipped.all.isEmpty)
        #expect(send.restOpening?.last?.planned == 3)
        try begin(&scenario)
        #expect(scenario.plan(at: .after(7200)).sends.map(\.members) == [[3, 4]])
        // The clock of the fourth came to it an hour later.
        let late = try #require(scenario.plan(at: .after(7201)).sends.first)
        #expect(late.members == [4] && late.skipped == Partition(disjoint: [.missed: [3]]))
    }

    /// The first stage was of those in a later zone alone, and the others waited for them.
    @Test func `whoever waited for a first stage with later clocks is in time`() throws {
        var scenario = try local()
        let id = try #require(scenario.state.occurrences.keys.first)
        scenario.desired.sends[0].zones = [
            "zone": [Zone(offset: 5 * 3600): [2, 3], Zone(offset: 2 * 3600): [1], Zone(offset: 3600): [4]]
        ]
        scenario.state.occurrences[id]?.waves = Partition(
            disjoint: [Date.after(-3 * 3600): [2, 3], Date.after(0): [1]])
        scenario.state.occurrences[id]?.stages = [RecordedStage(share: Self.tenth, opened: .after(0), planned: 1)]
        let send = try #require(scenario.plan(at: .after(300)).sends.first)
        #expect(send.members == [2, 3] && send.skipped.all.isEmpty)
        // The state notes it, and the rest is late two hours later.
        try begin(&scenario, at: .after(300))
        #expect(scenario.plan(at: .after(7500)).sends.map(\.members) == [[3, 4]])
        #expect(scenario.plan(at: .after(7501)).sends.map(\.skipped.all) == [[3]])
    }
}
