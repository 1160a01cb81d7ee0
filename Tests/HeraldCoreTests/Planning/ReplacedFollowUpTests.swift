import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What ended and had tried nobody says nothing about people whom another occurrence of its time reaches. It is
/// 2025-12-01T08:00:00Z.
struct ReplacedFollowUpTests {
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 9)
    private static let atOnce = OccurrenceID(campaign: "tide", due: .after(3600), revision: 1)
    private static let byClock = OccurrenceID(campaign: "tide", local: local, revision: 1)
    private static let before = OccurrenceID(campaign: "tide", due: .after(3600 - 86_400), revision: 1)

    /// Daily at 9:00. Yesterday everybody got it.
    private let campaign: Campaign
    private var state = RecordedState(identity: .sample())

    init() throws {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .cron(try Cron(parsing: "0 9 * * *"), start: nil, end: nil)
        self.campaign = campaign
        record(
            Self.before, RecordedOccurrence(campaign, due: .after(3600 - 86_400)), accepted: [1, 2, 3], isOver: true)
    }

    private mutating func record(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, accepted: RecipientSet = [], deferred: RecipientSet = [],
        isOver: Bool
    ) {
        state.apply(
            [.open(id, occurrence), .assign(id, Partition(disjoint: [MessageClass(): [1, 2, 3]]))]
                + [.outcome(id, accepted, .accepted), .outcome(id, deferred, .deferred)]
                + (isOver ? [.finish(id, at: .after(7200))] : []))
    }

    /// What audience 'again' goes by, and what a plan says about it.
    private func followed(
        _ campaign: Campaign, named: OccurrenceID? = nil, for late: Campaign = .tide("late", to: .audience("again")),
        at now: Date = .distantFuture
    ) -> (id: OccurrenceID?, remarks: [String]) {
        var again = Audience(name: .init("again"), source: .audience(.init("anglers")))
        again.followUp = .init(.init("tide"), [.never, .skipped], of: named.map { .init($0.rawValue) })
        var workspace = Workspace(audiences: [Audience(name: .init("anglers"), source: .inline([])), again])
        workspace.campaigns = [campaign, late]
        let followed = FollowedOccurrences(of: workspace, in: state.snapshot, at: now)
        return (followed.audiences.keys.first, followed.remarks)
    }

    @Test(arguments: [[], [2]] as [RecipientSet], [true, false])
    mutating func `what tried nobody before its schedule got or lost a field is not gone by`(
        _ deferred: RecipientSet, _ getsField: Bool
    ) {
        let (atOnce, byClock) = (
            RecordedOccurrence(campaign, due: .after(3600)), RecordedOccurrence(campaign, local: Self.local)
        )
        let (one, other) = getsField ? (Self.atOnce, Self.byClock) : (Self.byClock, Self.atOnce)
        record(one, getsField ? atOnce : byClock, deferred: deferred, isOver: true)
        #expect(followed(campaign).id == one, "nothing is in its place")
        record(other, getsField ? byClock : atOnce, accepted: [1], isOver: false)
        #expect(followed(campaign).id == Self.before)
        #expect(followed(campaign).remarks.contains { $0.contains("\(other) is not finished") })
        let named = followed(campaign, named: one)
        #expect(named.id == nil && named.remarks.contains { $0.contains("in the place of \(one)") }, "\(named)")
        state.apply([.outcome(other, [2, 3], .accepted), .finish(other, at: .after(7260))])
        #expect(followed(campaign).id == other)
    }

    /// The machine was down all day.
    @Test(arguments: [true, false]) mutating func `what everybody missed of a cron is not gone by, unless it is named`(
        _ isLocal: Bool
    ) {
        let id = isLocal ? Self.byClock : Self.atOnce
        let missed =
            isLocal
            ? RecordedOccurrence(campaign, local: Self.local) : RecordedOccurrence(campaign, due: .after(3600))
        state.apply([.open(id, missed), .finish(id, at: .after(86_400))])
        #expect(followed(campaign).id == Self.before)
        #expect(followed(campaign, named: id).id == id)
    }

    /// It is sent to all an hour before its time. A person may have set it back since.
    @Test(arguments: [true, false]) mutating func `what a fast clock sent is not gone by before its time`(
        _ isSetBack: Bool
    ) {
        let now = PlanScenario.now
        record(Self.atOnce, RecordedOccurrence(campaign, due: .after(3600)), accepted: [1, 2, 3], isOver: true)
        state.watermarks["tide"] = Watermark(
            at: isSetBack ? now : .after(7200), schedule: campaign.schedule.text, next: nil)
        #expect(followed(campaign, at: now).id == (isSetBack ? Self.before : Self.atOnce))
        #expect(followed(campaign, named: Self.atOnce, at: now).id == Self.atOnce)
        #expect(followed(campaign, at: .after(7200)).id == Self.atOnce)
    }

    /// Its author moved it and raised the revision. All got the earlier text, and one the new one.
    @Test(arguments: [-900, -7200]) mutating func `the last revision is gone by, whatever its time is`(_ moved: Int) {
        state.occurrences = [:]
        let first = Campaign.tide(at: .after(-3600))
        var second = Campaign.tide(at: .after(moved))
        second.revision = 2
        record(first.id, RecordedOccurrence(first, due: first.schedule.at), accepted: [1, 2, 3], isOver: true)
        record(second.id, RecordedOccurrence(second, due: second.schedule.at), accepted: [1], isOver: true)
        #expect(followed(second).id == second.id)
    }

    /// FCM had refused everybody for now when the author raised the revision.
    @Test(arguments: [nil, -1800] as [Int?])
    mutating func `what tried nobody under an earlier revision is not gone by`(_ moved: Int?) {
        state.occurrences = [:]
        let first = Campaign.tide(at: moved.map { _ in .after(-3600) })
        let second = Campaign.tide(at: moved.map { .after($0) }, revision: 2)
        record(first.id, RecordedOccurrence(first, due: first.schedule.at), deferred: [1, 2, 3], isOver: true)
        record(second.id, RecordedOccurrence(second, due: second.schedule.at), accepted: [1], isOver: false)
        #expect(followed(second).id == nil)
        #expect(followed(second).remarks.contains { $0.contains("\(second.id) is not finished") })
    }

    @Test(arguments: [true, false])
    mutating func `what tried nobody before its time was edited ends, and is not gone by`(_ isEarlier: Bool) {
        state.occurrences = [:]
        let (first, second) = (Campaign.tide(at: .after(-1800)), Campaign.tide(at: .after(isEarlier ? -3600 : -900)))
        record(first.id, RecordedOccurrence(first, due: first.schedule.at), isOver: false)
        var scenario = PlanScenario()
        scenario.want(second)
        scenario.state.occurrences = state.occurrences
        #expect(scenario.plan().over.isEmpty, "nothing is in its place")
        record(second.id, RecordedOccurrence(second, due: second.schedule.at), accepted: [1], isOver: false)
        scenario.state.occurrences = state.occurrences
        let plan = scenario.plan()
        #expect(plan.over == [first.id] && plan.missed.isEmpty && plan.sends.map(\.members) == [[2, 3]], "\(plan)")
        state.apply(plan.over.map { .finish($0, at: plan.at) })
        #expect(followed(second).id == nil)
        state.apply([.outcome(second.id, [2, 3], .accepted), .finish(second.id, at: plan.at)])
        #expect(followed(second).id == second.id)
        scenario.state.occurrences = state.occurrences
        #expect(scenario.plan().doesNothing && !scenario.overview.warnings.contains { $0.contains("was changed") })
    }

    /// A plan speaks of an audience only if it decides who gets something.
    @Test(
        arguments: [
            (.at(.after(-7200)), .at(.after(-7200)), false), (.at(.after(-7200)), .at(.after(7200)), true),
            (.at(.after(-7200)), .once, true), (.at(.after(-7200)), clocks(onDay: 1), true),
            (clocks(onDay: 1), clocks(onDay: 1), false), (clocks(onDay: 1), clocks(onDay: 2), true),
            (clocks(onDay: 1), .once, true),
        ] as [(Schedule.Times, Schedule.Times, Bool)])
    mutating func `who gets what was missed is decided again only at another time`(
        _ missed: Schedule.Times, _ edited: Schedule.Times, _ isDecided: Bool
    ) {
        state.occurrences = [:]
        var late = Campaign.tide("late", to: .audience("again"))
        late.schedule.times = missed
        let occurrence = RecordedOccurrence(late, due: nil).amended(by: late)
        state.apply([.open(late.id, occurrence), .finish(late.id, at: PlanScenario.now)])
        late.schedule.times = edited
        #expect(followed(campaign, for: late).remarks.isEmpty != isDecided)
    }

    private static func clocks(onDay day: Int) -> Schedule.Times {
        .local(LocalSchedule(.at(LocalTime(year: 2025, month: 12, day: day, hour: 9), .skip), field: "zone"))
    }
}
