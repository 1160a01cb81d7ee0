import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What guards know of audiences that no file declares any more.
@Suite struct GoneAudienceTests {
    /// A tenth of 150 is 15.
    @Test(arguments: [(2, true, true), (14, true, true), (15, true, false), (2, false, false)])
    func `a new audience that leaves people out is compared with one that is gone`(
        _ size: Int, _ leavesOut: Bool, _ isRefused: Bool
    ) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["out": 150]
        scenario.desired.audienceSizes = ["optout": size]
        if leavesOut { scenario.desired.leavingOut = ["optout"] }
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == (isRefused ? [.audienceCollapse] : []))
        #expect(plan.refusals.allSatisfy { $0.name == "optout" && $0.limit == 15 && $0.actual == size })
        #expect(plan.refusedSizes == (isRefused ? ["optout": 150] : [:]))
    }

    @Test func `an audience that was away is compared with what it had, until a person allows it`() {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["out": 150, "few": 99]
        scenario.desired.audienceSizes = ["all": 200]
        let away = scenario.plan()
        #expect(away.refusals.isEmpty && away.goneSizes == ["out": 150])
        scenario.state.apply(away.closing(sizes: ["all": 200]))
        #expect(scenario.state.audienceSizes == ["all": 200])
        #expect(scenario.plan().goneSizes == nil)
        // What is new by then is not what is gone.
        scenario.desired.leavingOut = ["other", "out"]
        scenario.desired.audienceSizes = ["all": 200, "other": 0]
        #expect(scenario.plan().refusals.isEmpty)
        let sizes = ["all": 200, "out": 2]
        scenario.desired.audienceSizes = sizes
        let back = scenario.plan()
        #expect(back.refusals.map(\.kind) == [.audienceCollapse])
        #expect(back.refusals.allSatisfy { $0.name == "out" && $0.limit == 15 && $0.actual == 2 })
        scenario.state.apply(back.withholding(back.refusals, in: Workspace(audiences: [])).closing(sizes: sizes))
        #expect(scenario.plan().refusals == back.refusals)
        scenario.state.apply(back.closing(sizes: sizes))
        #expect(scenario.plan().refusals.isEmpty && scenario.state.goneAudiences.isEmpty)
    }

    @Test func `a run that is stopped leaves the sizes of new audiences, and nothing of what was compared`() {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["out": 150, "all": 200]
        let sizes = ["out": 2, "all": 190, "seeds": 5, "other": 7]
        scenario.desired.audienceSizes = sizes
        scenario.judgedAudiences = ["out", "all", "seeds"]
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.name) == ["out"])
        let opening = plan.opening(sizes: sizes, recorded: scenario.state.audienceSizes)
        scenario.state.apply(opening)
        #expect(scenario.state.audienceSizes == ["out": 150, "all": 200, "seeds": 5])
        #expect(scenario.plan().refusals == plan.refusals)
        #expect(plan.opening(sizes: sizes, recorded: scenario.state.audienceSizes).isEmpty)
    }

    @Test(arguments: [["out"], []])
    func `a run that is stopped leaves no size in place of what an audience had under another name`(_ names: [String]) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["out": 5000]
        (scenario.desired.audienceSizes, scenario.desired.leavingOut) = (["optout": 600], ["optout"])
        scenario.desired.audiencePreviousNames = ["optout": names]
        let plan = scenario.plan()
        #expect(plan.refusals.isEmpty)
        scenario.state.apply(plan.opening(sizes: ["optout": 600], recorded: scenario.state.audienceSizes))
        scenario.desired.audienceSizes = ["optout": 60]
        #expect(scenario.plan().refusals.map(\.kind) == [.audienceCollapse])
    }

    /// `--campaign` judges only the audiences that decide about those campaigns.
    @Test func `a plan that does not judge an audience keeps what its earlier name had`() {
        var scenario = PlanScenario()
        scenario.state.apply([.goneAudiences(["fishers": 150])])
        scenario.desired.audienceSizes = ["anglers": 2, "other": 5]
        scenario.desired.audiencePreviousNames = ["anglers": ["fishers"]]
        scenario.judgedAudiences = ["other"]
        let limited = scenario.plan()
        #expect(limited.refusals.isEmpty)
        scenario.state.apply(limited.closing(sizes: scenario.desired.audienceSizes))
        scenario.judgedAudiences = nil
        let whole = scenario.plan()
        #expect(whole.refusals.map(\.kind) == [.audienceCollapse])
        #expect(whole.refusals.map(\.name) == ["anglers"] && whole.refusals.map(\.limit) == [15])
        #expect(whole.goneSizes == [:])
    }

    @Test func `a renamed audience is not gone, and of many the largest are remembered`() {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["fishers": 1000]
        scenario.desired.audienceSizes = ["anglers": 1000]
        scenario.desired.audiencePreviousNames = ["anglers": ["fishers"]]
        #expect(scenario.plan().goneSizes == nil)
        scenario.state.audienceSizes = Dictionary(uniqueKeysWithValues: (0...1000).map { ("a\($0)", 100 + $0) })
        let gone = scenario.plan().goneSizes
        #expect(gone?.count == 1000 && gone?["a0"] == nil && gone?["a1"] == 101)
    }
}
