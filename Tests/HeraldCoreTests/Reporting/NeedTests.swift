import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What waits for a person.
struct NeedTests {
    private static func needs(_ scenario: PlanScenario, atWork work: Need.Work = .nobody) -> [Need] {
        Need.all(in: scenario.proposal(), [], lastRun: nil, every: .seconds(300), atWork: work)
    }

    /// An answer may still come for the second one. For the first one, none does.
    @Test(arguments: [
        (Need.Work.nobody, ["gale@once", "tide@once"]), (.thisRun, ["gale@once", "tide@once"]),
        (.otherRun, ["gale@once"]),
    ])
    func `while another run works, only what has ended is unknown`(_ work: Need.Work, _ names: [String]) {
        var scenario = PlanScenario()
        let (gale, tide) = (Campaign.tide("gale"), Campaign.tide("tide"))
        scenario.began(gale, accepted: [1, 2], unknown: [3], finished: true)
        scenario.began(tide, accepted: [1], unknown: [2])
        scenario.want(gale)
        scenario.want(tide)
        let unknown = Self.needs(scenario, atWork: work).filter { $0.kind == .unknown }
        #expect(unknown.map(\.name) == names)
    }

    @Test(
        arguments: [
            (nil, false), ([], false), (["worker (process 7 on pier) since 2026-12-01T08:00:00Z, waiting"], false),
            (["run 20261201 (process 7)"], true),
            (
                [
                    "worker (process 8 on pier) since 2026-12-01T08:00:00Z, waiting",
                    "run (process 7 on quay) since 2026-12-01T08:00:00Z",
                ], true
            ),
        ] as [([String]?, Bool)])
    func `a snapshot knows whether a run was at work`(_ workers: [String]?, _ isRunning: Bool) {
        var snapshot = StateSnapshot(DocumentSamples.state, tombstones: 0, at: DocumentSamples.now)
        snapshot.workers = workers
        #expect(snapshot.isRunning == isRunning)
    }
}
