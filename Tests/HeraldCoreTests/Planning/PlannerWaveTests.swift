import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Who is in a wave is fixed by the first run after its instant. It is 2025-12-01T08:00:00Z.
struct PlannerWaveTests {
    /// At 10:00 it was 01:00 in UTC for the first, and will be 20:00 for the others.
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
    private static let instants = [Date.after(-7 * 3600), Date.after(12 * 3600)]

    /// The first has it. The clocks of the others have not come to it.
    private func scenario(watermark: Date, waves: Partition<Date>) -> PlanScenario {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(LocalSchedule(.at(Self.local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: -10 * 3600): [2, 3]]]
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        occurrence.accepted = [1]
        occurrence.classes = Partition(disjoint: [MessageClass(): waves.all])
        occurrence.waves = waves
        scenario.state.occurrences[Self.id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: watermark, schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    @Test func `a wave that a fast clock has fixed waits for its time`() {
        let scenario = scenario(
            watermark: .after(13 * 3600),
            waves: Partition(disjoint: [Self.instants[0]: [1], Self.instants[1]: [2, 3]]))
        #expect(scenario.plan().sends.flatMap { Array($0.members) }.isEmpty)
        #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[2, 3]])
    }

    @Test func `who becomes a seed after the first wave gets it by their own clock`() {
        var scenario = scenario(
            watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        scenario.desired.sends[0].seeds = [3]
        #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[2, 3]])
    }

    @Test func `who becomes a seed after the first wave and is not in the target is no part of it`() {
        var scenario = scenario(
            watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        // The target had them, too, before their clock came to it.
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([3], [3])
        #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[2]])
    }

    /// Nobody of its first wave had a turn before they left the list.
    @Test func `new seeds do not begin with a wave of which nobody is listed any more`() {
        var scenario = scenario(
            watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        scenario.state.occurrences[Self.id]?.outcomes = .ledger(Ledger())
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([4], [4])
        for (listed, zones) in [
            (RecipientSet(), [:]), ([2, 3], [Zone(offset: -10 * 3600): [2, 3]]),
        ] as [(RecipientSet, [Zone: RecipientSet])] {
            scenario.desired.sends[0].members = listed.union([4])
            scenario.desired.sends[0].zones = ["zone": zones]
            let plan = scenario.plan()
            #expect(plan.sends.isEmpty && plan.missed.isEmpty, "\(plan)")
        }
        #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[2, 3, 4]])
    }

    /// Nobody of its first wave had a turn before all left the list.
    @Test func `a list that is empty for a while loses no wave of an occurrence that tried nobody`() {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        scenario.state.occurrences[Self.id]?.outcomes = .ledger(Ledger())
        let listed = scenario.desired.sends[0]
        (scenario.desired.sends[0].members, scenario.desired.sends[0].zones) = ([], [:])
        let empty = scenario.plan(at: Self.instants[1])
        #expect(empty.sends.isEmpty)
        scenario.state.watermarks["tide"] = empty.watermarks["tide"]
        scenario.desired.sends[0] = listed
        let plan = scenario.plan(at: Self.instants[1] + 600)
        #expect(plan.sends.map { $0.members.subtracting([1]) } == [[2, 3]])
    }

    /// 1 has it, 2 may have it, and nobody else is listed.
    private func done() -> PlanScenario {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1, 2]]))
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1, 2]]]
        scenario.desired.sends[0].members = [1, 2]
        scenario.state.occurrences[Self.id]?.unknown = [2]
        scenario.state.occurrences[Self.id]?.isDone = true
        return scenario
    }

    @Test func `who may have got what everybody else has is held once`() {
        var scenario = done()
        #expect(scenario.plan().held.map(\.kind) == [.unknown])
        scenario.desired.sends = []
        #expect(scenario.plan().held.map(\.kind) == [.unknown], "without its file, too")
    }

    @Test func `who may have it and is too late to be sent it again stays noted`() {
        var scenario = done()
        scenario.desired.sends[0].campaign.delivery.onUnknown = .resend
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty && !plan.notes.contains(.done(Self.id, false)), "\(plan)")
    }

    /// The first clock of the world showed its 10:00 at 20:00 UTC of the day before, and the schedule has that, too. No
    /// clock had come to it where somebody could be tried.
    private func withoutField(_ cron: String) throws -> (scenario: PlanScenario, id: OccurrenceID) {
        var scenario = scenario(watermark: .after(12 * 3600 + 900), waves: Partition())
        scenario.desired.sends[0].campaign.schedule.times = .cron(try Cron(parsing: cron), start: nil, end: nil)
        scenario.state.watermarks["tide"]?.schedule = LocalSchedule.text(of: try Cron(parsing: "0 7,10 * * *"))
        let local = LocalTime(year: 2025, month: 12, day: 2, hour: 10)
        let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
        scenario.state.occurrences = [id: RecordedOccurrence(scenario.desired.sends[0].campaign, local: local)]
        return (scenario, id)
    }

    @Test func `what tried nobody before its schedule lost its field goes out at its one instant`() throws {
        var (scenario, id) = try withoutField("0 10,20 * * *")
        let early = scenario.plan(at: .after(12 * 3600 + 1800))
        #expect(early.missed.isEmpty && early.sends.isEmpty && early.over.isEmpty, "\(early)")
        let due = Date.after(26 * 3600)
        let plan = scenario.plan(at: due)
        #expect(plan.sends.map(\.due) == [due] && plan.sends.map(\.members) == [[1, 2, 3]], "\(plan)")
        #expect(plan.missed.isEmpty)
        var sent = RecordedOccurrence(scenario.desired.sends[0].campaign, due: due)
        sent.accepted = [1, 2, 3]
        scenario.state.occurrences[OccurrenceID(campaign: "tide", due: due, revision: 1)] = sent
        let later = scenario.plan(at: due + 60)
        #expect(later.over.contains(id) && later.missed.isEmpty && later.sends.isEmpty, "\(later)")
    }

    /// The run of its one instant tried nobody either, and its watermark has passed it.
    @Test func `what tried nobody by local time or at its one instant is sent and not missed`() throws {
        var (scenario, id) = try withoutField("0 10 * * *")
        let due = Date.after(26 * 3600)
        let opened = RecordedOccurrence(scenario.desired.sends[0].campaign, due: due)
        // It comes after the one in local time.
        let other = OccurrenceID(campaign: "tide", due: due, revision: 1)
        scenario.state.occurrences[other] = opened
        scenario.state.watermarks["tide"]?.at = due
        #expect(id < other)
        let plan = scenario.plan(at: due + 60)
        #expect(plan.sends.map(\.occurrence) == [other] && plan.missed.isEmpty && plan.over.isEmpty, "\(plan)")
    }

    @Test func `what tried nobody before its schedule lost field and time is missed, at no instant of its own`()
        throws
    {
        let (scenario, id) = try withoutField("0 20 * * *")
        let plan = scenario.plan(at: .after(12 * 3600 + 1800))
        #expect(plan.missed.map(\.occurrence) == [id] && plan.sends.isEmpty, "\(plan)")
    }

    @Test func `what tried nobody before its schedule lost its field is missed where its one instant is too late`()
        throws
    {
        let (scenario, id) = try withoutField("0 10 * * *")
        let plan = scenario.plan(at: .after(40 * 3600))
        #expect(plan.missed.map(\.occurrence) == [id] && plan.sends.isEmpty, "\(plan)")
    }

    /// The clocks of 2 and 3 show its 09:00 at 19:00 UTC.
    @Test func `what tried nobody before its schedule got a field goes out where clocks are still ahead`() throws {
        var scenario = scenario(watermark: .after(3599), waves: Partition())
        let cron = try Cron(parsing: "0 9 * * *")
        var campaign = scenario.desired.sends[0].campaign
        campaign.schedule.times = .cron(cron, start: nil, end: nil)
        let id = OccurrenceID(campaign: "tide", due: .after(3600), revision: 1)
        scenario.state.occurrences = [id: RecordedOccurrence(campaign, due: .after(3600))]
        scenario.state.watermarks["tide"] = Watermark(at: .after(3599), schedule: campaign.schedule.text, next: nil)
        scenario.desired.sends[0].campaign.schedule.times = .local(
            LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        let edited = scenario.plan(at: .after(5400))
        #expect(edited.missed.isEmpty && edited.over.isEmpty && edited.sends.isEmpty, "\(edited)")
        scenario.state.watermarks["tide"] = edited.watermarks["tide"]
        let due = Date.after(11 * 3600)
        let plan = scenario.plan(at: due)
        #expect(plan.sends.map(\.members) == [[2, 3]] && plan.missed.isEmpty, "\(plan)")
        var sent = RecordedOccurrence(
            scenario.desired.sends[0].campaign, local: LocalTime(year: 2025, month: 12, day: 1, hour: 9))
        (sent.accepted, sent.isDone) = ([2, 3], true)
        sent.classes = Partition(disjoint: [MessageClass(): [2, 3]])
        sent.waves = Partition(disjoint: [due: [2, 3]])
        scenario.state.occurrences[plan.sends[0].occurrence] = sent
        scenario.state.watermarks["tide"] = plan.watermarks["tide"]
        let later = scenario.plan(at: due + 60)
        #expect(later.over.contains(id) && later.missed.isEmpty && later.sends.isEmpty, "\(later)")
    }

    /// 1 has its first wave, and 2 has moved to a clock whose wave of it no run has seen, because its schedule had no field
    /// for a while. It is held, and 12:00 of that day had passed on every clock when the field came back.
    @Test func `what had passed when a schedule got its field back stays so while an earlier wave is held`() throws {
        var scenario = scenario(watermark: .after(-3600), waves: Partition(disjoint: [Self.instants[0]: [1]]))
        let cron = try Cron(parsing: "0 10,12 * * *")
        let before = Schedule(.cron(cron, start: nil, end: nil))
        scenario.desired.sends[0].campaign.schedule.times = .local(
            LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], .utc: [2, 3]]]
        scenario.state.occurrences[Self.id]?.contentDigest = "sha256:earlier"
        scenario.state.occurrences[Self.id]?.unseen = .after(-3600)
        scenario.state.watermarks["tide"] = Watermark(at: .after(-3600), schedule: before.text, next: nil)
        let edited = scenario.plan(at: .after(16_200))
        #expect(edited.held.map(\.occurrence) == [Self.id] && edited.sends.isEmpty, "\(edited)")
        #expect(edited.watermarks["tide"]?.at == .after(16_200))
        scenario.state.watermarks["tide"] = edited.watermarks["tide"]
        #expect(scenario.plan(at: .after(16_560)).sends.isEmpty)
    }

    /// 1 has a wave from when the schedule had a field before, and the run in which it has one again does not try it. The
    /// clock of 2 came to it between that run and the one before.
    @Test func `what had passed when a schedule got its field stays so if an earlier wave does not begin`() throws {
        let wave = Date.after(-3600)
        var scenario = scenario(watermark: .after(-2700), waves: Partition(disjoint: [wave: [1]]))
        scenario.state.occurrences[Self.id]?.accepted = []
        let cron = try Cron(parsing: "0 10 * * *")
        scenario.desired.sends[0].campaign.schedule.times = .local(
            LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 3 * 3600): [1], Zone(offset: 9000): [2]]]
        scenario.desired.sends[0].members = [1, 2]
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-2700), schedule: Schedule(.cron(cron, start: nil, end: nil)).text, next: nil)
        let edited = scenario.plan()
        #expect(edited.sends.map(\.members) == [[1]], "\(edited)")
        var marks = Watermarks()
        marks.add(edited.watermarks, after: edited.looks)
        for step in edited.steps { marks.noteUnbegun(step) }
        scenario.state.apply(marks.due(waiting: [], recorded: scenario.state.watermarks))
        #expect(scenario.state.watermarks["tide"]?.at == PlanScenario.now)
        #expect(scenario.plan(at: .after(60)).sends.map(\.members) == [[1]])
    }

    /// No file declared the campaign for a while, and the clocks of 2 and 3 came to it meanwhile. The first run since
    /// then has a slow clock: before the wave of 1, or between that and theirs.
    @Test(arguments: [-36 * 3600, 3600])
    func `a slow clock does not lose the waves that came while no file declared a campaign`(_ slow: Int) throws {
        let back = Self.instants[1] + 600
        var scenario = scenario(watermark: back, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        scenario.desired.sends[0].campaign.schedule.times = .local(daily)
        scenario.state.occurrences[Self.id]?.unseen = PlanScenario.now
        let early = scenario.plan(at: .after(slow))
        #expect(early.sends.isEmpty, "\(early)")
        scenario.state.apply(early.notes)
        #expect(scenario.state.occurrences[Self.id]?.unseen == .after(max(slow, 0)))
        #expect(scenario.plan(at: back).sends.map(\.members) == [[2, 3]])
        // That run has fixed the waves that its own time had passed, and no others.
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], Zone(offset: 4200): [2, 3]]]
        #expect(scenario.plan(at: .after(3900)).sends.map(\.members) == (slow < 3000 ? [[2, 3]] : []))
    }

    @Test func `what tried nobody before a rename keeps its id`() {
        var scenario = scenario(watermark: .after(-5400), waves: Partition())
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 3 * 3600): [1], Zone(offset: -10 * 3600): [2, 3]]]
        var opened = RecordedOccurrence(scenario.desired.sends[0].campaign, local: Self.local)
        opened.campaign = "wade"
        let id = OccurrenceID(campaign: "wade", local: Self.local, revision: 1)
        scenario.state.occurrences = [id: opened]
        scenario.state.watermarks["wade"] = scenario.state.watermarks.removeValue(forKey: "tide")
        scenario.desired.sends[0].campaign.previousNames = [.init("wade")]
        let plan = scenario.plan()
        #expect(plan.renames.map(\.old) == ["wade"])
        #expect(plan.sends.map(\.occurrence) == [id] && plan.sends.map(\.members) == [[1]], "\(plan)")
    }

    /// An occurrence keeps its id when its campaign is renamed, and the run after that opened another one.
    @Test(arguments: ["ebb", "wade"])
    func `whose wave either id of a renamed occurrence has did not join too late`(_ earlier: String) {
        var scenario = scenario(watermark: .after(-600), waves: Partition())
        let waves = [Date.after(-3600): RecipientSet([1]), .after(-1800): [2]]
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 3 * 3600): [1], Zone(offset: 9000): [2]]]
        scenario.desired.sends[0].members = [1, 2]
        scenario.state.occurrences = [:]
        for (name, waves) in [(earlier, waves.filter { $0.value == [1] }), ("tide", waves)] {
            var occurrence = RecordedOccurrence(scenario.desired.sends[0].campaign, local: Self.local)
            occurrence.waves = Partition(disjoint: waves)
            scenario.state.occurrences[OccurrenceID(campaign: name, local: Self.local, revision: 1)] = occurrence
        }
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [[1, 2]] && plan.sends.first?.waves?.joinedLate == 0, "\(plan)")
    }

    /// Stores take no time before year 1.
    @Test func `an empty list without a watermark leaves one that a state can keep`() {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1]]))
        scenario.state.watermarks = [:]
        scenario.desired.sends[0].members = []
        scenario.desired.sends[0].zones = [:]
        let mark = scenario.plan().watermarks["tide"]?.at
        #expect(mark == Self.local.firstInstant - 1)
    }

    @Test func `who may have got what has ended is held`() throws {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition(disjoint: [Self.instants[0]: [1, 2]]))
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        scenario.desired.sends[0].campaign.schedule.times = .local(daily)
        scenario.state.occurrences[Self.id]?.unknown = [2]
        scenario.state.occurrences[Self.id]?.finished = PlanScenario.now
        let held = scenario.plan(at: .after(86_400)).held
        #expect(held.map(\.occurrence) == [Self.id] && held.map(\.kind) == [.unknown])
    }

    @Test(arguments: [-3600, 13 * 3600])
    func `another time gives nothing back that a fast clock took`(_ seconds: Int) {
        let mark = Date.after(seconds)
        var scenario = scenario(watermark: mark, waves: Partition())
        scenario.state.occurrences = [:]
        let earlier = LocalSchedule(.at(LocalTime(year: 2025, month: 12, day: 1, hour: 9), .skip), field: "zone")
        var before = scenario.desired.sends[0].campaign.schedule
        before.times = .local(earlier)
        scenario.state.watermarks["tide"]?.schedule = before.text
        let isAhead = mark > PlanScenario.now
        let (plan, later) = (scenario.plan(), scenario.plan(at: Self.instants[1]))
        #expect(plan.silenced.map(\.until) == (isAhead ? [mark] : []))
        #expect(plan.watermarks["tide"].map { $0.at > PlanScenario.now } == isAhead)
        #expect(later.sends.map(\.members) == (isAhead ? [] : [[2, 3]]))
    }

    /// The clock of the only one who is no seed had passed it: before they joined, or when the campaign was first seen.
    @Test(arguments: [-86_400, 0])
    func `seeds of the target go by their own clocks where nobody else takes part`(_ first: Int) {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition())
        scenario.state.occurrences = [:]
        scenario.state.watermarks["tide"]?.first = .after(first)
        scenario.desired.sends[0].seeds = [2, 3]
        #expect(scenario.plan().sends.isEmpty && scenario.plan().missed.isEmpty)
        #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[2, 3]])
    }

    /// When their clock came to it, they were to start with the others, who were no seeds yet.
    @Test func `seeds whose clock has passed start with the first wave, also where all are seeds by then`() {
        var scenario = scenario(watermark: PlanScenario.now, waves: Partition())
        scenario.state.occurrences = [:]
        for seeds: RecipientSet in [[1], [1, 2, 3]] {
            scenario.desired.sends[0].seeds = seeds
            #expect(scenario.plan().sends.isEmpty)
            #expect(scenario.plan(at: Self.instants[1]).sends.map(\.members) == [[1, 2, 3]])
        }
        // Nobody is there to start with.
        scenario.desired.sends[0].members = [1]
        scenario.desired.sends[0].seeds = [1]
        #expect(scenario.plan(at: Self.instants[1]).sends.isEmpty)
    }
}
