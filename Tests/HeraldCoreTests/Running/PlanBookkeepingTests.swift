import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlanBookkeepingTests {
    /// A watermark that waits for a step ends nothing yet.
    @Test func `what the next run may find too late again is not missed for good`() {
        var scenario = PlanScenario()
        let campaign = Campaign.tide("tide", to: .audience("anglers"))
        let id = { OccurrenceID(campaign: $0, due: PlanScenario.now + $1, revision: 1) }
        scenario.state.occurrences[id("tide", 1)] = RecordedOccurrence(
            campaign, local: LocalTime(year: 2025, month: 12, day: 1, hour: 10))
        var plan = scenario.plan()
        plan.missed = [id("tide", 0), id("tide", 1), id("tide", 2), id("tide-2", 0)].map {
            Plan.Missed(occurrence: $0, due: PlanScenario.now, reason: "it is too late")
        }
        plan.missed[2].unrecorded = scenario.state.occurrences[id("tide", 1)]
        let missed = plan.missed.forGood(waiting: ["tide"], in: scenario.state)
        #expect(missed.map(\.occurrence) == [id("tide", 1), id("tide", 2), id("tide-2", 0)])
        #expect(plan.missed.forGood(waiting: [], in: scenario.state) == plan.missed)
    }

    /// The run may die while it does the next step.
    @Test func `what a watermark ends is noted for people when it is written`() async throws {
        let laboratory = Laboratory(population: 2)
        let mark = Watermark(at: laboratory.now, schedule: "", next: nil)
        var plan = laboratory.plan(.send(.sample([1], due: laboratory.now)), .send(.sample([2], campaign: "ebb")))
        plan.missed = [.init(occurrence: "tide@earlier", due: laboratory.now, reason: "it is too late")]
        plan.watermarks = ["tide": mark]
        let noted = Log<(missed: [Plan.Missed], changes: [StateChange])>()
        _ = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, changes in
                noted.append((missed, changes))
                return []
            })
        #expect(noted.entries.map(\.missed) == [plan.missed])
        #expect(noted.entries.map(\.changes) == [[.watermark("tide", mark)]])
    }
}
