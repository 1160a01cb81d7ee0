import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The state or the files are not what the last run left: nothing is done before a person says so.
@Suite struct PlannerStandingTests {
    private static func commit(_ digit: Character, _ seconds: Double = 0) throws -> AppliedCommit {
        try #require(
            AppliedCommit(id: String(repeating: digit, count: 40), committed: Date(timeIntervalSince1970: seconds)))
    }

    private var scenario: PlanScenario {
        var scenario = PlanScenario()
        scenario.want("tides", [1])
        scenario.want(.tide())
        return scenario
    }

    // MARK: older_files

    /// Commits are a, b, c of the seconds 100, 200, 300. All were applied in this order.
    @Test(
        arguments: [
            // The last one again.
            ("c", 300, nil, false), ("c", 0, true, false),
            // Applied before, whatever the repository says.
            ("a", 100, nil, true), ("b", 900, false, true),
            // Never applied: an ancestor of the last one, or not.
            ("d", 900, true, true), ("d", 0, false, false),
            // The last one is not in the repository, so the times decide.
            ("d", 299, nil, true), ("d", 300, nil, false), ("d", 301, nil, false),
        ] as [(Character, Double, Bool?, Bool)])
    func `files that are older than those applied last are refused`(
        _ head: Character, _ seconds: Double, _ isBehindLast: Bool?, _ isRefused: Bool
    ) throws {
        var scenario = scenario
        for (digit, seconds) in [("a", 100), ("b", 200), ("c", 300)] as [(Character, Double)] {
            scenario.state.apply([.applied(try Self.commit(digit, seconds))])
        }
        scenario.checkout = .commit(try Self.commit(head, seconds), isBehindLast: isBehindLast)
        #expect(scenario.plan().refusals.map(\.kind) == (isRefused ? [.olderFiles] : []))
        // An override makes it the last one, and the next plan takes it.
        scenario.state.apply([.applied(try Self.commit(head, seconds))])
        #expect(scenario.plan().refusals.isEmpty)
        #expect(scenario.state.commits.count { $0.id.first == head } == 1)
    }

    @Test func `without git, or before anything was applied, there is nothing to compare`() throws {
        var scenario = scenario
        scenario.checkout = .commit(try Self.commit("a"), isBehindLast: true)
        #expect(scenario.plan().refusals.isEmpty)
        scenario.state.apply([.applied(try Self.commit("b", 100))])
        scenario.checkout = nil
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `a repository that git refuses to read may be older, and it says what to do`() throws {
        var scenario = scenario
        scenario.checkout = .unread(GitRepository(path: "/work/push"))
        let help = "git config --global --add safe.directory '/work/push'"
        #expect(scenario.plan().refusals.isEmpty)
        #expect(scenario.proposal().overview.warnings.contains { $0.contains(help) })
        scenario.state.apply([.applied(try Self.commit("b", 100))])
        #expect(scenario.plan().refusals.map(\.kind) == [.olderFiles])
        #expect(scenario.plan().refusals.first?.message.contains(help) == true)
        #expect(!scenario.proposal().overview.warnings.contains { $0.contains(help) })
    }

    @Test(arguments: ["", "HEAD", "../x", String(repeating: "A", count: 40), String(repeating: "a", count: 41)])
    func `only hexadecimal digits are a commit`(_ id: String) {
        #expect(AppliedCommit(id: id, committed: Date()) == nil)
    }

    // MARK: state_moved

    @Test func `a state in another server is refused as a whole`() {
        var scenario = scenario
        scenario.hasMoved = true
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.override) == ["--override state_moved"])
        #expect(Guard.stateMoved.isOfEverything)
    }

    // MARK: Doubt

    @Test(arguments: [RecipientSet([1]), []])
    func `an open occurrence in doubt waits for a person, even if the state knows nobody who got it`(
        _ accepted: RecipientSet
    ) throws {
        var scenario = PlanScenario()
        let campaign = Campaign.tide()
        scenario.began(campaign, accepted: accepted)
        scenario.want(campaign)
        #expect(scenario.plan().sends.count == 1)
        scenario.state.apply([.halt(campaign.id, .failedOver)])
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty)
        #expect(plan.over.isEmpty)
        #expect(plan.held.map(\.occurrence) == [campaign.id])
        #expect(plan.held.first?.resolve == "herald state resolve \(campaign.id) --abandon or --continue")
        // What a crash left is accounted for all the same.
        let changes = try scenario.state.changes(
            resolving: campaign.id, by: .goOn, campaign: campaign, at: PlanScenario.now)
        scenario.state.apply(changes)
        #expect(scenario.plan().sends.map(\.members) == [RecipientSet([1, 2, 3]).subtracting(accepted)])
    }

    @Test(arguments: [
        (RecordedOccurrence.Halt.rejected, "2 of 3 were rejected"), (.dead, "guard max_forget_percent allows (10 %)"),
    ])
    func `a send that stopped itself waits for a person as long as it is not too late and somebody is left`(
        _ halt: RecordedOccurrence.Halt, _ words: String
    ) throws {
        var scenario = PlanScenario()
        let campaign = Campaign.tide()
        scenario.began(campaign, accepted: [1], rejected: [2, 3])
        scenario.state.apply([.halt(campaign.id, halt)])
        scenario.want(campaign, for: [1, 2, 3, 4])
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty)
        #expect(plan.held.map(\.resolve) == ["herald state resolve \(campaign.id) --continue or --abandon"])
        #expect(
            plan.held.map(\.command) == [
                halt == .dead
                    ? "herald apply --override max_forget_percent=send:\(campaign.id)"
                    : "herald state resolve \(campaign.id) --continue"
            ])
        #expect(plan.held.map(\.remaining) == [1])
        #expect(plan.held.first?.reason.contains(words) == true)
        var uncertain = scenario.state
        uncertain.apply([.outcome(campaign.id, [5], .unknown)])
        #expect(throws: ResolutionProblem.halted) {
            try uncertain.changes(resolving: campaign.id, by: .resend, campaign: campaign, at: PlanScenario.now)
        }
        for override in ["max_forget_percent", "max_forget_percent=send:\(campaign.id)"] {
            scenario.overrides = try #require(Overrides([override]))
            #expect(plan.held.map(scenario.overrides.release) == [halt == .dead])
            #expect(scenario.plan().sends.count == (halt == .dead ? 1 : 0))
        }
        scenario.desired.sends = []
        scenario.want(campaign, for: [1, 2, 3])
        #expect(scenario.plan().over == [campaign.id])
    }

    @Test func `a finished one is in no doubt, and one in doubt takes no new content`() throws {
        var scenario = PlanScenario()
        scenario.began(.tide(), accepted: [1], finished: true)
        let id = Campaign.tide().id
        scenario.state.apply([.halt(id, .failedOver)])
        scenario.want(.tide())
        #expect(scenario.plan().held.isEmpty)
        scenario.began(.tide("wind"))
        let other = Campaign.tide("wind").id
        #expect(scenario.state.isFree(other, for: "wind"))
        scenario.state.apply([.halt(other, .failedOver)])
        #expect(!scenario.state.isFree(other, for: "wind"))
    }
}
