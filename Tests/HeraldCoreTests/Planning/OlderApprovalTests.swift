import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What becomes of approvals when herald is upgraded.
@Suite struct OlderApprovalTests {
    private static let resource = Definition.Key(kind: .topic, name: "tides")

    /// - Parameter covers: Whether the settings were approved, too.
    private func plan(covers: Bool) -> Plan {
        let definitions = [
            Definition(kind: .settings, name: "", previousNames: [], fields: [], uses: []),
            Definition(kind: .topic, name: "tides", previousNames: [], fields: [], uses: []),
        ]
        let approval = Approval(definitions, suppress: [])
        var state = RecordedState(identity: .sample())
        for (key, digest) in approval.digests where covers || key != .settings {
            state.approvals[key.text] = RecordedApproval(digest: digest, size: nil, by: "anna", at: PlanScenario.now)
        }
        var desired = Desired()
        desired.topics = [DesiredTopic(name: "tides", members: [1, 2], prune: true)]
        return Planner.plan(
            .init(
                desired: desired, state: state, settings: Settings(project: "p"), workspaceDigest: "sha256:0",
                onlyCampaigns: [], approval: approval), at: PlanScenario.now)
    }

    @Test func `an approval of an older herald covers less, so it counts no more, and the plan says what to do`() {
        let unapproved = plan(covers: false).unapproved
        #expect(unapproved.map(\.resource) == [Self.resource])
        #expect(
            unapproved.map(\.reason) == [
                "it was approved with an older herald, whose approvals cover less; review and approve it again"
            ])
    }

    @Test func `one that covers the settings counts`() { #expect(plan(covers: true).unapproved == []) }
}
