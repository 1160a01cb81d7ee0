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
        #expect(unknown.map(\.name).sorted() == names)
    }

    /// What a person may decide is the same: the message changed, herald stopped it, or `soak` is manual.
    @Test(
        arguments: [
            ("Low tide", nil, false, .held, .held), ("High tide", .rejected, false, .halted, .halted),
            ("High tide", nil, true, .held, .held),
        ] as [(String, RecordedOccurrence.Halt?, Bool, Need.Kind, Webhook.Change)])
    func `halted is only what herald stopped`(
        _ title: String, _ halt: RecordedOccurrence.Halt?, _ isStaged: Bool, _ kind: Need.Kind, _ change: Webhook.Change
    ) {
        let first = StageShare(millionths: 1)
        var stages = Stages()
        (stages.shares, stages.soak) = ([first, .everybody], .manual)
        var (began, wanted) = (Campaign.tide(title: "High tide"), Campaign.tide(title: title))
        if isStaged { (began.delivery.stages, wanted.delivery.stages) = (stages, stages) }
        var scenario = PlanScenario()
        scenario.began(began, accepted: [1])
        scenario.state.apply([.halt("tide@once", halt)])
        if isStaged {
            var stage = RecordedStage(share: first, opened: .after(-120), planned: 1)
            stage.settled = .after(-60)
            scenario.state.occurrences["tide@once"]?.stages = [stage]
        }
        scenario.want(wanted, for: RecipientSet(1...10))
        let needs = Self.needs(scenario)
        #expect(needs.map(\.kind) == [kind] && needs.map(\.change) == [change], "\(needs)")
        #expect(needs.map(\.command) == ["herald state resolve tide@once --continue"])
    }

    @Test(arguments: [nil, "123456789012"])
    func `where no run can delete a group, what helps is named in place of another run`(_ senderID: String?) {
        var scenario = PlanScenario()
        var group = RecordedGroup()
        (group.key, group.members) = (NotificationKey(rawValue: "key"), [1])
        scenario.state.groups["chris"] = group
        scenario.settings.senderID = senderID
        let run = RecordedRun(
            run: "r", started: .after(-60), finished: .after(-30), result: Report.Result.failed.rawValue,
            figures: ["pending": 1])
        let needs = Need.all(
            in: scenario.proposal(), [], lastRun: run, every: .seconds(300), atWork: .nobody)
        #expect(needs.map(\.kind) == [.failed], "\(needs)")
        #expect(needs.map(\.command) == [senderID == nil ? "herald state rm group:chris" : "herald run"])
    }

    /// Each run asks for them again, and fails again. Whoever is dead is not asked for.
    @Test(arguments: [(0, 0, false), (1, 1, false), (1, 0, true), (2, 1, true)])
    func `a run that was refused memberships needs another one, and one that was refused messages does not`(
        _ rejected: Int, _ dead: Int, _ isFailed: Bool
    ) throws {
        var plan = Plan(at: PlanScenario.now, workspaceDigest: "", state: nil)
        plan.steps = [
            .init(work: .subscribe("tides", [1, 2, 3]), reason: "", seconds: 1),
            .init(work: .send(.sample([1, 2, 3], due: PlanScenario.now)), reason: "", seconds: 1),
        ]
        var report = Report(
            run: "r", plan: plan, planDigest: "", isDryRun: false, started: plan.at, endpoint: .emulator, project: "p",
            version: "1")
        (report.finished, report.result) = (plan.at, .failed)
        (report.steps[0].accepted, report.steps[0].rejected, report.steps[0].forgotten) = (3 - rejected, rejected, dead)
        (report.steps[1].accepted, report.steps[1].rejected) = (1, 2)
        let last = try #require(RecordedRun(report))
        #expect(try needsAnother(last) == isFailed)
        // One that an older herald noted lacks the figure.
        var figures = last.figures
        figures["refused_memberships"] = nil
        let older = RecordedRun(
            run: "r", started: last.started, finished: last.finished, result: last.result, figures: figures)
        #expect(try needsAnother(older) == false)
    }

    /// What a state keeps of the run is read back first.
    private func needsAnother(_ run: RecordedRun) throws -> Bool {
        let kept = try #require(RecordedRun(json: run.json))
        return Need.all(in: PlanScenario().proposal(), [], lastRun: kept, every: .seconds(300), atWork: .nobody)
            .contains { $0.kind == .failed }
    }

    private static let finding = "20 of 40 registrations look dead"

    /// A run in which a guard stopped a step.
    private static func refused(_ kind: Guard, _ step: String) -> RecordedRun {
        RecordedRun(
            run: "r", started: PlanScenario.now, finished: PlanScenario.now, result: "refused", figures: [:],
            refusals: [RunRefusal(kind: kind.rawValue, step: step, finding: finding)])
    }

    /// No plan names it: the state and its snapshot keep it from the last run.
    @Test(
        arguments: [
            (.foreignGroup, "group_create:chris", "chris"), (.maxForgetPercent, "subscribe:tides", "subscribe:tides"),
        ] as [(kind: Guard, step: String, name: String)], [false, true])
    func `what a guard refused while a run was at work needs somebody until it is done`(
        _ example: (kind: Guard, step: String, name: String), _ isSnapshot: Bool
    ) throws {
        var scenario = PlanScenario()
        scenario.want("tides", [1, 2, 3])
        scenario.desired.groups = [DesiredGroup(name: "chris", members: [1])]
        scenario.list([1, 2, 3])
        scenario.state.apply([.lastRun(Self.refused(example.kind, example.step))])
        let document = SnapshotDocument(StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)).json
        #expect(!document.compactText.contains("chris"))
        let snapshot = try SnapshotDocument(reading: document.bytes()).snapshot
        let proposal =
            isSnapshot
            ? Planner.forecast(from: snapshot, of: scenario.desired, scenario.settings, at: PlanScenario.now).proposal
            : scenario.proposal()
        let last = try #require(isSnapshot ? snapshot.lastRun : scenario.state.lastRun)
        let needs = Need.all(in: proposal, [], lastRun: last, every: .seconds(300), atWork: .nobody)
        #expect(needs.map(\.kind) == [.refused] && needs.map(\.change) == [.held], "\(needs)")
        #expect(needs.map(\.command) == ["herald apply --override \(example.kind.rawValue)=\(example.name)"])
        #expect(needs.first?.sentence.contains("step '\(example.step)': \(Self.finding)") == true, "\(needs)")
        let done = Need.all(
            in: PlanScenario().proposal(), [], lastRun: last, every: .seconds(300), atWork: .nobody)
        #expect(done.isEmpty, "\(done)")
    }

    @Test func `a plan needs no override of what only runs find out`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        scenario.want(.tide())
        scenario.want("tides", [1, 2, 3])
        let needs = Need.all(
            in: scenario.proposal(), [], lastRun: Self.refused(.maxForgetPercent, "subscribe:tides"),
            every: .seconds(300), atWork: .nobody)
        let plans = "--override max_recipients=tide"
        #expect(
            needs.map(\.command) == [
                "herald apply \(plans)", "herald apply \(plans) --override max_forget_percent=subscribe:tides",
            ])
    }

    /// What came of the step in a later run, and whether that was for everything.
    @Test(
        arguments: [
            ("subscribe:tides", 0, true, true), ("subscribe:tides", 0, false, true),
            ("subscribe:tides", 3, true, false), ("subscribe:ebb", 3, true, false), ("subscribe:ebb", 3, false, true),
        ] as [(String, Int, Bool, Bool)])
    func `what no run tried again stays refused`(
        _ step: String, _ accepted: Int, _ isWhole: Bool, _ isRefused: Bool
    ) throws {
        var plan = Plan(at: PlanScenario.now, workspaceDigest: "", state: nil)
        plan.steps = [.init(work: .subscribe("tides", [1, 2, 3]), reason: "", seconds: 1)]
        var report = Report(
            run: "r", plan: plan, planDigest: "", isDryRun: false, started: plan.at, endpoint: .emulator, project: "p",
            version: "1")
        (report.finished, report.steps[0].accepted) = (plan.at, accepted)
        let earlier = Self.refused(.maxForgetPercent, step)
        let last = try #require(RecordedRun(report, after: earlier, isWhole: isWhole))
        #expect(last.refusals == (isRefused ? earlier.refusals : []))
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
