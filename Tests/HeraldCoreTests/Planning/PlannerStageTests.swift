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

    @Test func `what a person accepted is not judged again`() {
        let plan = scenario(accepted: [1], rejected: [2, 3], excused: StageFigures(accepted: 1, rejected: 2)).plan()
        #expect(plan.sends.map(\.members) == [RecipientSet(4...10)])
    }
}
