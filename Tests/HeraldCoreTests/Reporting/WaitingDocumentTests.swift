import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What waits goes out by itself, so no document may leave it out of what is to come. It is 2025-12-01T08:00:00Z.
struct WaitingDocumentTests {
    enum Case: CaseIterable, Sendable {
        case closedWindow, soakingStage

        var scenario: PlanScenario { self == .closedWindow ? .closed : .soaking }
        var recipients: Int { self == .closedWindow ? 7 : 5 }
        /// When it goes on, for people.
        var opening: String { self == .closedWindow ? "Mon 2025-12-01 20:00 UTC" : "Mon 2025-12-01 08:09 UTC" }
        var note: String { self == .closedWindow ? "waits: the window is closed" : "waits: stage seeds soaks" }
    }

    /// Nothing is sent now, and nothing has a time to come.
    private func proposal(_ test: Case) throws -> Proposal {
        let proposal = test.scenario.proposal()
        try #require(proposal.plan.waiting.count == 1)
        try #require(proposal.plan.sends.isEmpty && proposal.overview.upcoming.isEmpty)
        return proposal
    }

    @Test(arguments: Case.allCases)
    func `a review names it first`(_ test: Case) throws {
        let document = PlanDocument(try proposal(test), id: "id", created: PlanScenario.now)
        #expect(document.headline == "1 campaign to \(test.recipients) recipients, the first \(test.opening)")
        #expect(document.html.contains(test.note))
    }

    @Test(arguments: Case.allCases)
    func `a status and a site show it`(_ test: Case) throws {
        let status = StatusDocument(try proposal(test), .init(lastRun: nil, every: .seconds(300)), workspace: "tide")
        #expect(!status.text(.plain).contains("nothing in the next"))
        let site = Site(status, of: test.scenario.desired.sends.map(\.campaign), texts: [:], zone: .utc)
        let pages = Dictionary(uniqueKeysWithValues: site.pages.map { ($0.path, $0.html()) })
        let start = try #require(pages["index.html"])
        #expect(start.contains("1 send in the next 7 days") && !start.contains("nothing is planned"))
        let campaign = try #require(pages["campaigns/tide.html"])
        #expect(campaign.contains(test.opening) && campaign.contains("\(test.recipients) recipients; \(test.note)"))
        #expect(!campaign.contains("is planned."))
        #expect(try #require(pages["months/2025-12.html"]).contains(test.note))
    }

    @Test(arguments: Case.allCases)
    func `a calendar from a snapshot shows it when it goes on`(_ test: Case) throws {
        let (scenario, waiting) = (test.scenario, try proposal(test).plan.waiting)
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        let calendar = CalendarDocument(
            of: scenario.desired.sends.map(\.campaign), from: snapshot, after: PlanScenario.now,
            through: .after(7 * 86_400), limit: 9)
        #expect(calendar.occurrences.map(\.at) == waiting.map(\.until))
        #expect(calendar.occurrences.map(\.occurrence) == waiting.map(\.occurrence))
        #expect(calendar.occurrences.first?.note.hasPrefix(test.note) == true)
    }

    @Test func `who waits for several things in one send is there once`() throws {
        var plan = try proposal(.closedWindow).plan
        plan.waiting += plan.waiting
        plan.waiting[1].until = plan.waiting[0].until.adding(.seconds(60))
        let opening = plan.opening
        #expect(opening.map(\.occurring.at) == [plan.waiting[0].until])
        #expect(opening.map(\.recipients) == [14])
    }
}

extension PlanScenario {
    fileprivate static var closed: PlanScenario {
        var campaign = Campaign.tide(at: .after(-60))
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 20 * 60, to: 22 * 60), zone: .utc, whenClosed: .wait)
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...7))
        return scenario
    }

    fileprivate static var soaking: PlanScenario {
        var (campaign, stages) = (Campaign.tide(), Stages())
        (stages.shares, stages.seeds) = ([.everybody], Located("phones"))
        stages.soak = .time(.seconds(600))
        campaign.delivery.stages = stages
        var scenario = PlanScenario()
        scenario.want(campaign, for: RecipientSet(1...7))
        scenario.desired.sends[0].seeds = [1, 2]
        scenario.list(RecipientSet(1...7))
        scenario.began(campaign, accepted: [1, 2])
        var stage = RecordedStage(share: .seeds, opened: .after(-3600), planned: 2)
        (stage.settled, stage.figures) = (.after(-60), StageFigures(accepted: 2))
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): RecipientSet(1...7)])
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        return scenario
    }
}
