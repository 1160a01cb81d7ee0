import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A step's own digest: a person who approves one step approves exactly this.
@Suite struct PlanApprovalTests {
    /// The state knows recipients 1 to 99.
    private static var plan: Plan {
        var plan = Plan(at: PlanScenario.now, workspaceDigest: "sha256:0", state: nil)
        plan.state = .init(lineage: "lineage", serial: 7, firstNew: 100)
        plan.steps = [
            .init(work: .subscribe("tides", [1, 2, 3]), reason: "the files list them"),
            .init(work: .send(.sample([1, 2])), reason: "it is due"),
        ]
        return plan
    }

    @Test func `every step has one of its own`() {
        let digests = Self.plan.stepDigests
        #expect(Set(digests.keys) == ["subscribe:tides", "send:tide@once"])
        #expect(Set(digests.values).count == 2)
        for digest in digests.values {
            #expect(digest.hasPrefix("sha256:"))
            #expect(digest.count == 71)
        }
    }

    /// Changes that leave the digest alone: how the step is shown, what else is planned, and unrelated files.
    @Test(
        arguments: [
            { $0.steps[0].reason = "other words" }, { $0.steps[0].seconds = 60 }, { $0.steps[0].rampSeconds = 9 },
            { $0.steps.removeLast() }, { $0.steps.swapAt(0, 1) }, { $0.at = .after(60) }, { $0.state?.serial += 1 },
            { $0.workspaceDigest = "sha256:1" }, { $0.state?.firstNew = 200 }, { $0.steps[0].refusal = "a guard" },
        ] as [@Sendable (inout Plan) -> Void])
    func `it stays when the step does the same`(change: @Sendable (inout Plan) -> Void) {
        var plan = Self.plan
        change(&plan)
        #expect(plan.stepDigests["subscribe:tides"] == Self.plan.stepDigests["subscribe:tides"])
    }

    @Test(
        arguments: [
            { $0.steps[0].work = .subscribe("tides", [1, 2]) }, { $0.steps[0].work = .subscribe("tides", [1, 2, 4]) },
            { $0.steps[0].work = .subscribe("ebb", [1, 2, 3]) },
            { $0.steps[0].work = .unsubscribe("tides", [1, 2, 3]) },
            { $0.steps[0].successor = "ebb" }, { $0.state?.lineage = "other" }, { $0.state = nil },
        ] as [@Sendable (inout Plan) -> Void])
    func `it changes with what the step does, and to whom`(change: @Sendable (inout Plan) -> Void) {
        var plan = Self.plan
        change(&plan)
        #expect(plan.digest(of: plan.steps[0]) != Self.plan.digest(of: Self.plan.steps[0]))
    }

    @Test(
        arguments: [
            { $0.contentDigest = "sha256:1" }, { $0.members = [1] }, { $0.members = [1, 3] }, { $0.discovered = [3] },
            { $0.recipients = 3 }, { $0.revision = 2 }, { $0.due = PlanScenario.now }, { $0.deadline = .after(60) },
            { $0.delivery.expiresAfter = .seconds(60) }, { $0.delivery.rate = .limited(5) },
            { $0.delivery.rate = .unlimited },
            { $0.delivery.stopWhenRejectedPercent = 49 }, { $0.delivery.onUnknown = .resend },
            { $0.delivery.onError = .hold },
            { $0.delivery.members = .each },
        ] as [@Sendable (inout Plan.Send) -> Void])
    func `a send's changes with how it is sent`(change: @Sendable (inout Plan.Send) -> Void) {
        var send = Plan.Send.sample([1, 2])
        change(&send)
        var plan = Self.plan
        plan.steps[1].work = .send(send)
        #expect(plan.digest(of: plan.steps[1]) != Self.plan.digest(of: Self.plan.steps[1]))
    }

    /// Numbers from 100 on belong to this plan only: another list may give the same number to another recipient.
    @Test(arguments: [([1, 99], true), ([1, 100], false), ([1_000_000], false)] as [([RecipientID], Bool)])
    func `recipients whom the state does not know are pinned by the lists`(_ members: [RecipientID], _ stays: Bool) {
        var plan = Self.plan
        plan.steps = [.init(work: .subscribe("tides", RecipientSet(members)), reason: "")]
        let before = plan.digest(of: plan.steps[0])
        plan.workspaceDigest = "sha256:1"
        #expect((plan.digest(of: plan.steps[0]) == before) == stays)
    }

    @Test func `without a state everybody is pinned by the lists`() {
        var plan = Self.plan
        plan.state = nil
        let before = plan.stepDigests
        plan.workspaceDigest = "sha256:1"
        #expect(plan.stepDigests["subscribe:tides"] != before["subscribe:tides"])
    }

    @Test func `a plan's mark says from which number on recipients are new`() {
        var scenario = PlanScenario()
        scenario.state.apply([.register([1: .fid(1), 5: .fid(5)])])
        #expect(scenario.plan().state?.firstNew == 6)
    }
}
