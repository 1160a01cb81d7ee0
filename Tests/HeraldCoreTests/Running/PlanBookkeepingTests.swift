import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlanBookkeepingTests {
    /// A watermark that waits for a step ends nothing yet.
    @Test func `what the next run may find too late again is not missed for good`() {
        let id = { OccurrenceID(campaign: $0, due: PlanScenario.now + $1, revision: 1) }
        var plan = PlanScenario().plan()
        plan.missed = [id("tide", 0), id("tide", 1), id("tide", 2), id("tide-2", 0)].map {
            Plan.Missed(occurrence: $0, due: PlanScenario.now, reason: "it is too late")
        }
        plan.missed[2].unrecorded = RecordedOccurrence(
            .tide("tide", to: .audience("anglers")), local: LocalTime(year: 2025, month: 12, day: 1, hour: 10))
        let missed = plan.missed.forGood(waiting: ["tide"], recorded: [id("tide", 1)])
        #expect(missed.map(\.occurrence) == [id("tide", 1), id("tide", 2), id("tide-2", 0)])
        #expect(plan.missed.forGood(waiting: [], recorded: []) == plan.missed)
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

    /// The next run does not find it again, whether a watermark waits or not.
    @Test func `what is half done and too late is noted for people when it ends`() async throws {
        let laboratory = Laboratory(population: 2)
        let earlier = Plan.Send.sample([1, 2], due: laboratory.now - 3600)
        try laboratory.memory.commit([
            .open(earlier.occurrence, RecordedOccurrence(earlier)), .outcome(earlier.occurrence, [1], .accepted),
        ])
        var plan = laboratory.plan(.send(.sample([1, 2], due: laboratory.now)))
        plan.missed = [.init(occurrence: earlier.occurrence, due: laboratory.now - 3600, reason: "it is half done")]
        plan.watermarks = ["tide": Watermark(at: laboratory.now, schedule: "", next: nil)]
        let noted = Log<(missed: [Plan.Missed], changes: [StateChange])>()
        _ = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, changes in
                noted.append((missed, changes))
                return []
            })
        #expect(noted.entries.map(\.missed) == [plan.missed])
        #expect(noted.entries.map(\.changes) == [[.finish(earlier.occurrence, at: laboratory.start)]])
    }
}
