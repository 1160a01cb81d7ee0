import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What runs note of the waves of an occurrence that has begun. It is 2025-12-01T08:00:00Z.
struct WaveNotingTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)

    /// The first was in a wave seven hours ago. The clock of the second came to it half an hour ago, after the last
    /// run.
    private func scenario(unseen: Date?) -> PlanScenario {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: 9000): [2]]]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [Date.after(-7 * 3600): [1]])
        occurrence.unseen = unseen
        scenario.state.occurrences[Self.id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    /// The state when all steps of the plan have begun.
    private func begin(_ plan: Plan, in scenario: inout PlanScenario) throws {
        scenario.state.apply(plan.notes)
        for work in plan.works {
            scenario.state.apply(try StepWork(work, isDryRun: false, begun: plan.at, now: plan.at).opening)
        }
        scenario.state.watermarks["tide"] = plan.watermarks["tide"]
    }

    /// A run died while it sent to the first. The next run accounts for that, and may not send.
    @Test(arguments: [nil, Date.after(-3600)])
    func `a pause loses nobody in whose wave a run only accounts for a crash`(_ unseen: Date?) throws {
        var scenario = scenario(unseen: unseen)
        scenario.state.occurrences[Self.id]?.intended = [1]
        scenario.state.pauses.campaigns = ["tide"]
        let paused = scenario.plan()
        #expect(paused.sends.map(\.discovered) == [[1]] && paused.sends.allSatisfy(\.members.isEmpty), "\(paused)")
        let ends = try paused.works.map {
            try StepWork($0, isDryRun: false, begun: paused.at, now: paused.at).closing(at: paused.at, unknown: 1)
        }
        #expect(ends == [[]], "the second is still to come, also if their row is bad")
        try begin(paused, in: &scenario)
        #expect(scenario.state.occurrences[Self.id]?.waves.all == [1])
        scenario.state.pauses.campaigns = []
        #expect(scenario.plan(at: .after(60)).sends.map(\.members) == [[2]])
    }

    /// No file declared the campaign for a while. The first run since then notes the wave of the second. Somebody joins
    /// after it, whose clock came to it after that wave and before that run. The watermark may be of a fast clock.
    @Test(arguments: [-3600, 7200])
    func `a run that goes on with what no file declared fixes all waves until then`(_ mark: Int) throws {
        var scenario = scenario(unseen: .after(-3600))
        scenario.state.occurrences[Self.id]?.accepted = [1]
        scenario.state.watermarks["tide"]?.at = .after(mark)
        let back = scenario.plan()
        #expect(back.sends.map(\.members) == [[2]], "\(back)")
        var refused = scenario
        refused.state.apply(back.notes)
        #expect(refused.plan(at: .after(60)).sends.map(\.members) == [[2]], "nothing is fixed before it begins")
        try begin(back, in: &scenario)
        #expect(scenario.state.occurrences[Self.id]?.unseen == back.at)
        scenario.state.apply([.outcome(Self.id, [2], .accepted)])
        scenario.desired.sends[0].members = [1, 2, 3]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 8100)] = [3]
        #expect(scenario.plan(at: .after(60)).sends == [])
    }

    /// What was away has a step that waits behind a long send. The run looks again meanwhile, when the clock of 3 has come
    /// to it, and its watermark goes on with that. The same with what a person let go on for all who are listed.
    @Test(arguments: [false, true])
    func `who comes while the step that goes on with it waits is not lost`(_ isForAll: Bool) throws {
        var scenario = scenario(unseen: isForAll ? nil : .after(-3600))
        if isForAll { scenario.state.occurrences[Self.id]?.classes = Partition() }
        scenario.state.occurrences[Self.id]?.accepted = [1]
        scenario.desired.sends[0].members = [1, 2, 3]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 6600)] = [3]
        let (back, later) = (scenario.plan(), scenario.plan(at: .after(900)))
        #expect(back.sends.map(\.members) == [[2]] && later.sends.map(\.members) == [[2, 3]])
        var marks = Watermarks()
        marks.add(back.watermarks, after: back.looks)
        marks.add(later.watermarks, after: later.looks)
        for step in later.steps { marks.noteUnreached(step) }
        try begin(back, in: &scenario)
        scenario.state.apply(marks.due(waiting: [], recorded: scenario.state.watermarks))
        scenario.state.apply([.outcome(Self.id, [2], .accepted)])
        #expect(scenario.plan(at: .after(960)).sends.map(\.members) == [[3]])
    }

    /// A clock was fast, and fixed the wave of 3, whose clock comes to it in an hour.
    @Test(arguments: [false, true])
    func `who waits for a wave that a fast clock fixed is not said to have left the list`(_ isListed: Bool) {
        var scenario = scenario(unseen: nil)
        scenario.state.occurrences[Self.id]?.accepted = [1]
        scenario.state.occurrences[Self.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        scenario.state.occurrences[Self.id]?.waves = Partition(disjoint: [
            Date.after(-7 * 3600): [1], Date.after(-1800): [2], Date.after(3600): [3],
        ])
        if isListed {
            scenario.desired.sends[0].members = [1, 2, 3]
            scenario.desired.sends[0].zones["zone"]?[Zone(offset: 3600)] = [3]
        }
        let plan = scenario.plan()
        let gone: RecipientSet = isListed ? [] : [3]
        #expect(plan.sends.map(\.members) == [[2]] && plan.sends.map(\.leftOut.gone) == [gone], "\(plan)")
    }
}
