import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What plans say of campaigns whose recipients only the state knows, where there is none.
struct FollowUpDocumentTests {
    private static let later = PlanScenario.now.addingTimeInterval(3600)

    /// One campaign that is due and one that is coming, both to at most three people.
    private func proposal(limit: Int = 1_000_000, isKnown: Bool = false) -> Proposal {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = limit
        scenario.want(.tide("again"))
        scenario.want(.tide("later", at: Self.later))
        for place in scenario.desired.sends.indices { scenario.desired.sends[place].isKnown = isKnown }
        return Planner.outline(of: scenario.desired, scenario.settings, at: PlanScenario.now)
    }

    @Test func `an unknown number is null, and not counted in words`() throws {
        let document = PlanDocument(proposal(), id: "id", created: PlanScenario.now)
        let step = try #require(document.json["steps"]?.array?.first)
        #expect(step["id"] == "send:again@once")
        #expect([step["planned"], step["requests"], step["seconds"]] == [.null, .null, .null])
        #expect(document.json["upcoming"]?.array?.first?["recipients"] == .null)
        #expect(document.text(.plain).contains("to audience anglers, an unknown number of recipients"))
        let status = StatusDocument(proposal(), .init(lastRun: nil, every: .seconds(300)), workspace: "tide").json
        for key in ["due", "next"] { #expect(status[key]?.array?.first?["recipients"] == .null, "\(key)") }
        let known = PlanDocument(proposal(isKnown: true), id: "id", created: PlanScenario.now)
        #expect(known.json["steps"]?.array?.first?["planned"] == 3)
    }

    @Test func `no guard refuses a number that may be smaller`() {
        #expect(proposal(limit: 2).plan.refusals.isEmpty)
        #expect(proposal(limit: 2, isKnown: true).plan.refusals.map(\.kind) == [.maxRecipients])
    }

    @Test func `an approval has no size for them`() {
        var scenario = PlanScenario()
        scenario.want(.tide("again"))
        scenario.want(.tide("all"))
        scenario.desired.sends[0].goesByOutcomes = true
        scenario.want("again", [1, 2])
        scenario.desired.topics[0].goesByOutcomes = true
        scenario.desired.groups = [DesiredGroup(name: "again", members: [1, 2])]
        scenario.desired.groups[0].goesByOutcomes = true
        #expect(scenario.desired.sizes.keys.map(\.text) == ["campaign:all"])
    }
}
