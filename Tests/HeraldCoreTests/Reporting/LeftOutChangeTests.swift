import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a review says of an edit that leaves fewer people out of what was sent already.
struct LeftOutChangeTests {
    private func warnings(
        _ kind: Definition.Kind, _ field: WorkspaceChange.Field, isBegun: Bool = true, isLocal: Bool = false
    ) -> [String] {
        var scenario = PlanScenario()
        var campaign = Campaign.tide()
        if isLocal {
            let time = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
            campaign.schedule.times = .local(LocalSchedule(.at(time, .skip), field: "zone"))
        }
        if isBegun { scenario.began(campaign, accepted: [1], finished: true) }
        scenario.want(campaign)
        var document = PlanDocument(scenario.proposal(), id: "id", created: PlanScenario.now)
        let name = kind == .campaign ? "tide" : ""
        let change = WorkspaceChange(kind: kind, name: name, action: .changed, fields: [field])
        document.compare(with: .init(base: "1234567", changes: [change]))
        return document.comparison?.warnings ?? []
    }

    private static let fewer: [(Definition.Kind, WorkspaceChange.Field)] = [
        (.campaign, .init(path: "exclude", before: .names(["a", "b"]), after: .names(["b", "c"]))),
        (.campaign, .init(path: "exclude", before: .names(["a"]))),
        (.settings, .init(path: "suppress", before: .json(["a", "b"]), after: .json(["b"]))),
    ]

    @Test(arguments: fewer.indices) func `whoever is left out no more gets nothing of what began, and it says so`(
        _ index: Int
    ) {
        let (kind, field) = Self.fewer[index]
        #expect(warnings(kind, field).count { $0.contains("leaves out fewer people, but those get nothing of") } == 1)
        #expect(warnings(kind, field, isBegun: false).isEmpty)
        #expect(warnings(kind, field, isLocal: true).isEmpty, "whose clock comes to it later is let in")
    }

    @Test func `whoever is left out from now on is no news`() {
        #expect(warnings(.campaign, .init(path: "exclude", after: .names(["a"]))).isEmpty)
        #expect(warnings(.campaign, .init(path: "exclude", before: .names(["a"]), after: .names(["a", "b"]))).isEmpty)
        #expect(warnings(.settings, .init(path: "suppress", before: .json(["a"]), after: .json(["a", "b"]))).isEmpty)
    }
}
