import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Of three people one has the message, FCM failed for the second, and has refused the third. Then `on_error` changes.
struct PlannerHeldErrorTests {
    private func scenario(
        _ onError: Campaign.OnError, _ onUnknown: Campaign.OnUnknown = .hold, accepted: RecipientSet = [1],
        deferred: RecipientSet = [2]
    ) -> PlanScenario {
        var campaign = Campaign.tide(onUnknown: onUnknown)
        campaign.delivery.onError = onError
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.state.apply([
            .open(campaign.id, RecordedOccurrence(campaign, due: nil)),
            .assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome(campaign.id, accepted, .accepted), .outcome(campaign.id, deferred, .deferred),
        ])
        return scenario
    }

    @Test func `with retry, whom FCM failed for is tried again`() throws {
        let plan = scenario(.retry).plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [2, 3] && send.deferred == [2] && send.discovered.isEmpty)
        #expect(plan.held.isEmpty)
    }

    @Test func `with hold, whom FCM failed for is unknown, and whom it refused is tried again`() throws {
        let plan = scenario(.hold).plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [3] && send.discovered == [2] && send.deferred.isEmpty)
        #expect(Plan.Work.send(send).planned == 2)
        #expect(plan.held.map(\.kind) == [.unknown])
        #expect(plan.held.first?.resolve.contains("state resolve tide@once --accept") == true)
    }

    @Test func `with hold, what may have arrived is not replaced by another message`() throws {
        var scenario = scenario(.hold, accepted: [], deferred: [1, 2, 3])
        #expect(scenario.plan().sends.map(\.discovered) == [[1, 2, 3]])
        scenario.desired.sends[0].campaign.message = .init(["notification": ["title": "Low tide"]])
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty && plan.held.contains { $0.kind == .held })
    }

    @Test func `where unknown outcomes are sent again, these are, too`() throws {
        let plan = scenario(.hold, .resend).plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [2, 3] && send.discovered.isEmpty && send.refusedAndHeld == [2])
    }

    @Test(arguments: [(Resolution.accept, LedgerEntry.accepted), (.resend, .again), (.abandon, .abandoned)])
    func `a person can decide about them before the next run`(_ way: Resolution, _ outcome: LedgerEntry) throws {
        var scenario = scenario(.hold)
        let campaign = scenario.desired.sends[0].campaign
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: way, campaign: campaign, at: PlanScenario.now))
        #expect(scenario.state.occurrences[campaign.id]?.ledger?[outcome].contains(2) == true)
    }

    @Test func `with retry there is nothing to decide about`() throws {
        let scenario = scenario(.retry)
        let campaign = scenario.desired.sends[0].campaign
        #expect(throws: ResolutionProblem.nobodyUncertain) {
            try scenario.state.changes(resolving: campaign.id, by: .accept, campaign: campaign, at: PlanScenario.now)
        }
    }
}
