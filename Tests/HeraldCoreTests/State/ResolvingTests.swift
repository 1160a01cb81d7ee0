import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a person decides about an occurrence, and when it is too late to decide.
@Suite struct ResolvingTests {
    private static let due = Date.after(-600)

    private func scenario() -> PlanScenario {
        var scenario = PlanScenario()
        scenario.began(.tide(at: Self.due), accepted: [1], rejected: [2], unknown: [3], finished: true)
        scenario.state.occurrences[Campaign.tide(at: Self.due).id]?.codes = ["UNREGISTERED": [2]]
        return scenario
    }

    @Test(arguments: [(Resolution.resend, [3]), (.retry(code: "UNREGISTERED"), [2])])
    func `whoever is sent to again is sent to by the next run`(_ how: Resolution, _ again: [RecipientID]) throws {
        var scenario = scenario()
        let campaign = Campaign.tide(at: Self.due)
        scenario.want(campaign)
        let changes = try scenario.state.changes(
            resolving: campaign.id, by: how, campaign: campaign, at: PlanScenario.now)
        scenario.state.apply(changes)
        #expect(scenario.plan().sends.map { Array($0.members) } == [again])
    }

    @Test(arguments: [Resolution.resend, .retry(code: "UNREGISTERED")])
    func `nobody is sent to again after max_lateness, and that is said`(_ how: Resolution) {
        let campaign = Campaign.tide(at: Self.due)
        let deadline = Self.due.adding(campaign.schedule.maxLateness)
        for (now, isTooLate) in [(deadline, false), (deadline.adding(.seconds(1)), true)] {
            let result = Result { () throws(ResolutionProblem) in
                try scenario().state.changes(resolving: campaign.id, by: how, campaign: campaign, at: now)
            }
            #expect((try? result.get()) == nil ? isTooLate : !isTooLate)
            if case .failure(let problem) = result { #expect(problem == .tooLate(since: deadline)) }
        }
    }

    @Test(arguments: [Resolution.accept, .abandon])
    func `what sends nothing is never too late`(_ how: Resolution) throws {
        let campaign = Campaign.tide(at: Self.due)
        let changes = try scenario().state.changes(
            resolving: campaign.id, by: how, campaign: campaign, at: .after(1_000_000))
        #expect(!changes.isEmpty)
    }
}
