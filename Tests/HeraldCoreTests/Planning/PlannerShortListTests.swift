import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A list that is empty or short for a run, and files that nobody approved, end nothing. It is 2025-12-01T08:00:00Z, a
/// Monday.
struct PlannerShortListTests {
    /// The window is open from 9:00 to 21:00: in Tokyo until 12:00 UTC, in New York from 14:00 UTC.
    private static let hours = DailyHours(from: 9 * 60, to: 21 * 60)
    private static let opening = Date.after(6 * 3600)
    private static let afterTokyo = Date.after(2 * 3600)

    enum Time: CaseIterable { case once, cron, local }

    /// Due at 7:59 UTC with an hour of lateness, or at 8:00 of each clock. Whoever names no zone is in Tokyo. All are in
    /// New York.
    private func scenario(_ time: Time, began: Bool = false) throws -> (PlanScenario, OccurrenceID) {
        let (tokyo, york) = (try #require(Zone(named: "Asia/Tokyo")), try #require(Zone(named: "America/New_York")))
        var campaign = Campaign.tide(to: .audience("anglers"), at: .after(-60))
        campaign.schedule.maxLateness = .seconds(3600)
        campaign.schedule.zone = time == .cron ? .utc : tokyo
        campaign.delivery.window = SendWindow(
            hours: Self.hours, zone: tokyo, field: Located("zone"), whenClosed: .wait)
        var id = campaign.id
        var first: Date?
        switch time {
        case .once: break
        case .cron: campaign.schedule.times = .cron(try Cron(parsing: "59 7 1 12 *"), start: nil, end: nil)
        case .local:
            let local = LocalTime(year: 2025, month: 12, day: 1, hour: 8)
            campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
            campaign.zoneField = Located("zone")
            id = OccurrenceID(campaign: "tide", local: local, revision: 1)
            first = .after(-86_400)
        }
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [york: [1, 2, 3]]]
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-12 * 3600), schedule: campaign.markedSchedule, next: nil, first: first)
        scenario.workspace.campaigns = [campaign]
        if began {
            scenario.began(campaign, accepted: [1])
            scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        }
        return (scenario, id)
    }

    /// What nobody was sent in time, and what is half done.
    private static let lateOnes = [(Time.once, true)] + Time.allCases.map { ($0, false) }

    private func shorten(_ scenario: inout PlanScenario, to members: RecipientSet) {
        scenario.desired.sends[0].members = members
        scenario.desired.sends[0].zones = scenario.desired.sends[0].zones.mapValues {
            $0.mapValues(members.intersection).filter { !$0.value.isEmpty }
        }
    }

    /// - Parameter dead: the list has nobody else, in Tokyo.
    @Test(arguments: Time.allCases, [[], [4]] as [RecipientSet])
    func `an empty list ends nothing for those whose window or clock is still to come`(
        _ time: Time, _ dead: RecipientSet
    ) throws {
        var (scenario, id) = try scenario(time)
        let whole = scenario.desired.sends[0]
        scenario.state.dead = dead
        scenario.desired.sends[0].members = dead
        scenario.desired.sends[0].zones = ["zone": [try #require(Zone(named: "Asia/Tokyo")): dead]]
        let empty = scenario.plan(at: Self.afterTokyo)
        #expect(empty.sends.isEmpty && empty.missed.isEmpty)
        scenario.carryOut(empty)
        scenario.desired.sends[0] = whole
        let plan = scenario.plan(at: Self.opening)
        #expect(plan.sends.map(\.members) == [[1, 2, 3]])
        // Nobody comes for so long that it is too late on every clock of the world.
        shorten(&scenario, to: [])
        let late = scenario.plan(at: .after(3 * 86_400))
        #expect(late.sends.isEmpty && late.missed.map(\.occurrence) == [id])
    }

    /// One has it. The list has nobody, or nobody but that one.
    @Test(arguments: [[], [1]] as [RecipientSet])
    func `whoever left the list of a half-done send can come back while a window is to open`(
        _ listed: RecipientSet
    ) throws {
        var (scenario, id) = try scenario(.once, began: true)
        let whole = scenario.desired.sends[0]
        shorten(&scenario, to: listed)
        let short = scenario.proposal(at: Self.afterTokyo)
        #expect(short.plan.sends.isEmpty && short.plan.missed.isEmpty && short.plan.over.isEmpty)
        #expect(short.overview.warnings.contains { $0.contains("tide@2025-12-01T07:59:00Z is half done") })
        scenario.desired.sends[0] = whole
        #expect(scenario.plan(at: Self.opening).sends.map(\.members) == [[2, 3]])
        shorten(&scenario, to: listed)
        let late = scenario.plan(at: .after(3 * 86_400))
        #expect(listed.isEmpty ? late.missed.map(\.occurrence) == [id] : late.sends.map(\.leftOut.gone) == [[2, 3]])
    }

    /// In Tokyo, where whoever names no zone would be, it is too late.
    @Test func `a person can have those tried again whose window is to open`() throws {
        var (scenario, id) = try scenario(.once, began: true)
        scenario.state.occurrences[id]?.unknown = [2]
        let campaign = scenario.desired.sends[0].campaign
        scenario.state.apply(
            try scenario.state.changes(resolving: id, by: .resend, campaign: campaign, at: Self.afterTokyo))
        #expect(scenario.plan(at: Self.afterTokyo).waiting.map(\.recipients) == [2])
        #expect(scenario.plan(at: Self.opening).sends.map(\.members) == [[2, 3]])
        #expect(throws: ResolutionProblem.self) {
            try scenario.state.changes(resolving: id, by: .goOn, campaign: campaign, at: .after(3 * 86_400))
        }
    }

    /// It is too late for all.
    @Test(arguments: Self.lateOnes)
    func `a list that may not be used misses nothing`(_ time: Time, _ began: Bool) throws {
        var (scenario, id) = try scenario(time, began: began)
        scenario.desired.sends[0].zones = [:]
        let late = Date.after(time == .local ? 40 * 3600 : 5 * 3600)
        let plan = scenario.plan(at: late)
        #expect(plan.missed.map(\.occurrence) == [id])
        let refusal = GuardRefusal(kind: .audienceCollapse, name: "anglers", limit: 50, actual: 90, message: "")
        let withheld = plan.withholding([refusal], in: scenario.workspace)
        #expect(withheld.missed.isEmpty && withheld.over.isEmpty && withheld.missedWithoutStep.isEmpty)
        scenario.carryOut(withheld)
        // The guard is overridden: then it is missed.
        #expect(scenario.plan(at: late).missed.map(\.occurrence) == [id])
    }

    @Test(arguments: Self.lateOnes)
    func `what a guard of the campaign refuses is missed only once it lets it go`(_ time: Time, _ began: Bool) throws {
        var (scenario, id) = try scenario(time, began: began)
        scenario.desired.sends[0].zones = [:]
        scenario.settings.guards.maxRecipients = 2
        let late = Date.after(time == .local ? 40 * 3600 : 5 * 3600)
        let plan = scenario.plan(at: late)
        #expect(plan.refusals.map(\.kind) == [.maxRecipients] && plan.refusals.map(\.actual) == [3])
        let withheld = plan.withholding(plan.refusals, in: scenario.workspace)
        #expect(withheld.missed.isEmpty && withheld.over.isEmpty)
        scenario.carryOut(withheld)
        #expect(scenario.plan(at: late).refusals == plan.refusals)
        scenario.settings.guards.maxRecipients = 3
        let free = scenario.plan(at: late)
        #expect(free.refusals.isEmpty && free.missed.map(\.occurrence) == [id])
    }

    @Test(arguments: Self.lateOnes)
    func `files that nobody approved miss nothing, and say so`(_ time: Time, _ began: Bool) throws {
        var (scenario, id) = try scenario(time, began: began)
        scenario.desired.sends[0].zones = [:]
        let late = Date.after(time == .local ? 40 * 3600 : 5 * 3600)
        #expect(scenario.plan(at: late).missed.map(\.occurrence) == [id])
        let resource = Definition.Key(kind: .campaign, name: "tide")
        scenario.approval = Approval(
            [Definition.Key(kind: .settings, name: ""), resource].map {
                Definition(kind: $0.kind, name: $0.name, previousNames: [], fields: [], uses: [])
            }, suppress: [])
        for (key, digest) in scenario.approval?.digests ?? [:] {
            scenario.state.approvals[key.text] = RecordedApproval(
                digest: key == resource ? "sha256:other" : digest, size: nil, by: "anna", at: PlanScenario.now)
        }
        let held = scenario.proposal(at: late)
        #expect(held.plan.missed.isEmpty && held.plan.over.isEmpty)
        #expect(held.plan.unapproved.map(\.reason) == ["the files changed since anna approved it"])
        let report = Report(
            run: "r", plan: held.plan, planDigest: "", isDryRun: false, started: late, endpoint: .emulator,
            project: "tide-app", version: "")
        #expect(report.wasBlocked && report.outcome == .refused)
        #expect(report.notes == ["campaign 'tide' is not approved: the files changed since anna approved it"])
        scenario.carryOut(held.plan)
        scenario.approval = nil
        #expect(scenario.plan(at: late).missed.map(\.occurrence) == [id])
    }

    @Test func `what comes due while a campaign is disabled is dealt with, whoever holds it`() throws {
        var (scenario, _) = try scenario(.cron)
        scenario.desired.sends[0].campaign.enabled = false
        let refusal = GuardRefusal(kind: .audienceCollapse, name: "anglers", limit: 50, actual: 90, message: "")
        scenario.carryOut(scenario.plan().withholding([refusal], in: scenario.workspace))
        #expect(scenario.state.watermarks["tide"]?.at == PlanScenario.now)
        scenario.desired.sends[0].campaign.enabled = true
        #expect(scenario.plan().sends.isEmpty)
    }

    /// The first look of a run misses an occurrence. A later one of the same run leaves the campaign out.
    @Test func `a watermark that is to be written stays where a later look of the run is held`() {
        let watermark = { (seconds: Int) in Watermark(at: .after(seconds), schedule: "cron", next: nil) }
        var watermarks = Watermarks()
        let look = Plan.Look(mark: watermark(-3600), occurrences: [])
        var held = look
        held.isForgotten = true
        watermarks.add(["tide": watermark(0)], after: ["tide": look])
        watermarks.add(["tide": watermark(-3600)], after: ["tide": held])
        let recorded = ["tide": watermark(-3600)]
        #expect(watermarks.due(waiting: [], recorded: recorded) == [.watermark("tide", watermark(0))])
        watermarks.add(["tide": watermark(-3600)], after: ["tide": held])
        #expect(watermarks.due(waiting: [], recorded: recorded) == [.watermark("tide", watermark(-3600))])
    }
}
