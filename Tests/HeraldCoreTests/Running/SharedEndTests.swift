import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// When other processes leave a shared send, and how what they told is judged.
extension SharingTests {
    @Test(arguments: [(7, false), (8, false), (9, true)])
    func `a stage is judged by what others counted, and their job ends when it halts`(
        _ rejected: Int, _ halts: Bool
    ) throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        let open = RecordedStage(share: StageShare(millionths: 10_000), opened: Laboratory.start, planned: 400)
        // An earlier run had 99 outcomes, all of them well. With 2 % of 400 at least nine must be rejected.
        let staging = Plan.Staging(
            opened: [open], isNews: false, figures: StageFigures(accepted: 99), limits: StageLimits(), soak: .manual)
        var (step, _) = try proven(400, staging: staging, &context)
        let job = JobID(rawValue: 1)
        _ = step.handle(.shared(job), at: Self.now, &context)
        var view = JobView()
        view.hasFree = true
        (view.others[.accepted], view.others[.rejected]) = (300 - rejected, rejected)
        context.crew = crew(others: 1, [job: view], reading: 2)
        step.stage = .claiming
        let effect = step.handle(.claimed(Claim()), at: Self.now, &context)
        #expect((step.trouble.halt == .stage) == halts)
        #expect(["leave", "commit"].contains(effect.word) == halts, "\(effect.word)")
        if halts {
            #expect(step.report.stopped?.words == "stage 1 % was halted: 9 of 400 were rejected, more than 2 %")
        }
    }

    @Test(arguments: [(150, false), (250, true)])
    func `the others are asked to leave as soon as a send stops, before the run has its own answers`(
        rejected: Int, halts: Bool
    ) throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        var (step, effect) = try proven(400, &context)
        let job = JobID(rawValue: 1)
        for event: StepEvent in [.shared(job), .prepared, .committed, .sent] {
            effect = step.handle(event, at: Self.now, &context)
        }
        #expect(effect.word == "claim" && !step.calls.inFlight.isEmpty)
        var view = JobView()
        (view.others[.accepted], view.others[.rejected], view.open) = (300 - rejected, rejected, 97)
        context.crew = crew(others: 1, [job: view], reading: 2)
        #expect(step.handle(.claimed(Claim()), at: Self.now, &context).word == "wait")
        let dismissed = step.takeNews().contains { if case .dismissal(job) = $0 { true } else { false } }
        #expect(dismissed == halts)
    }

    @Test func `when a run is to stop, the others hear of it before it has its own answers`() async throws {
        var laboratory = Laboratory(population: 400)
        laboratory.fcm.ramp = .zero
        let crew = ScriptedCrew(isConductor: true)
        laboratory.crew = crew
        let (clock, asked, told) = (laboratory.clock, Log<RecipientID>(), Log<Bool>())
        let sender = ScriptedSender { request, number in
            asked.append(request.recipient)
            if number == 50 {
                // This answer comes late.
                let end = ContinuousClock.now + .seconds(300)
                while crew.withState({ $0.dismissed.isEmpty }), ContinuousClock.now < end {
                    try? await clock.sleep(for: .milliseconds(10))
                }
                told.append(crew.withState { !$0.dismissed.isEmpty })
            }
            return .accepted(request, number)
        }
        let plan = laboratory.plan(.send(.sample(1...400)))
        let report = try await laboratory.run(plan, sender, stop: { asked.entries.count > 50 ? .machine : nil })
        #expect(report.result == .interrupted && report.steps[0].accepted == asked.entries.count)
        #expect(told.entries == [true])
    }

    /// The others have all of the first send when the second one comes due, which takes ten seconds.
    @Test(arguments: [(150, false), (250, true)])
    func `a send that others go on with is judged while another one is in front`(
        rejected: Int, halts: Bool
    ) async throws {
        var laboratory = Laboratory(population: 410)
        laboratory.fcm.ramp = .zero
        let crew = ScriptedCrew(isConductor: true)
        crew.withState { $0.takesAll = true }
        laboratory.crew = crew
        let left = Plan.Send.sample(1...400)
        var slow = Plan.Send.sample(401...410, campaign: "surf")
        slow.delivery.rate = .limited(1)
        var plan = laboratory.plan(.send(left))
        plan.nextDue = Laboratory.start.adding(.seconds(20))
        let later = laboratory.plan(.send(slow))
        let told = Log<Bool>()
        // The first send is shared before the second one comes due, however slow the machine is.
        let sender = ScriptedSender(isPrompt: true) { request, number in
            if request.recipient == 402 {
                crew.withState { state in
                    var others = Tally()
                    (others[.accepted], others[.rejected]) = (399 - rejected, rejected)
                    state.view.jobs = state.view.jobs.mapValues { job in
                        var job = job
                        (job.others, job.open) = (others, 0)
                        return job
                    }
                    state.settlement.others = others
                }
            }
            if request.recipient == 410 { told.append(crew.withState { !$0.dismissed.isEmpty }) }
            return .accepted(request, number)
        }
        let report = try await laboratory.run(plan, sender, lookAgain: { _, _ in later })
        #expect(told.entries == [halts])
        #expect(report.steps.map(\.accepted) == [400 - rejected, 10])
        #expect((report.steps[0].stopped != nil) == halts)
        let recorded = try #require(laboratory.memory.state().occurrences[left.occurrence])
        #expect(recorded.halt == (halts ? .rejected : nil))
    }

    /// A process that helps, and may claim 1 to 20.
    private func helping(_ job: JobID) throws -> StepWorld<StepState> {
        var send = Plan.Send.sample([])
        send.isResumed = true
        let work = try StepWork(
            .send(send), isDryRun: false, partUntil: TimeLimits(), begun: Laboratory.start, now: Laboratory.start)
        var step = StepState(
            work, members: [], probesAPI: false, report: StepReport(Plan.Step(work: .send(send), reason: "")))
        var context = RunContext.sample()
        step.join(job, isConductor: false, &context)
        var view = JobView()
        view.hasFree = true
        context.crew = crew(isConductor: false, [job: view])
        var state = RecordedState.blank
        state.apply([.open(send.occurrence, RecordedOccurrence(send))])
        var world = StepWorld(step, context, seed: 1, state: state)
        world.free = RecipientSet(1...20)
        return world
    }

    @Test(arguments: [Exchange.error(401, "UNAUTHENTICATED"), .notSent(reason: "connection refused")])
    func `a process that helps and cannot send any more writes what it knows before it leaves`(
        _ refusal: Exchange
    ) throws {
        var world = try helping(JobID(rawValue: 1))
        world.answer = { request, _ in request.recipient <= 3 ? .accepted(request) : refusal }
        let id = Plan.Send.sample([]).occurrence
        let isOver = world.run { $1.occurrences[id]?.intended.contains($0.recipient) == true }
        #expect(isOver == true)
        #expect(world.context.fatal != nil && world.unwritten.isEmpty)
        let occurrence = try #require(world.left?.occurrences[id])
        #expect(occurrence.accepted == [1, 2, 3])
        #expect(occurrence.intended.isEmpty && occurrence.unknown.isEmpty)
    }

    @Test func `a process that helps and can neither send nor write leaves all the same`() throws {
        var world = try helping(JobID(rawValue: 1))
        world.answer = { _, _ in .error(401, "UNAUTHENTICATED") }
        // The intents of both tries can be written, and nothing after that.
        world.failsFrom = 2
        let isOver = world.run { _, _ in true }
        #expect(isOver == true)
        #expect(world.left != nil && world.step.report.accepted == 0)
        #expect(world.effects.count { $0.word == "leave" } == 1)
    }

    /// With more than 50 % rejected the send stops.
    @Test(arguments: [(150, false), (250, true)])
    func `what others tell last is judged before the step ends`(rejected: Int, halts: Bool) throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        var (step, _) = try proven(400, &context)
        _ = step.handle(.shared(JobID(rawValue: 1)), at: Self.now, &context)
        step.queue = StepQueue([])
        step.stage = .leavingJob
        var settlement = Settlement()
        (settlement.others[.accepted], settlement.others[.rejected]) = (397 - rejected, rejected)
        guard case .commit(let changes) = step.handle(.settled(settlement), at: Self.now, &context) else {
            throw Unexpected()
        }
        let send = Plan.Send.sample(1...400)
        #expect(changes.contains(.halt(send.occurrence, .rejected)) == halts)
        #expect((step.report.stopped != nil) == halts)
    }

    /// The others have it all, so the run goes on with the next send. A machine stops that, or FCM
    /// takes no credential any more.
    @Test(arguments: [(150, false), (250, true)], [false, true])
    func `what others tell last of a send that is not in front is judged however the run is stopped`(
        _ told: (rejected: Int, halts: Bool), isFatal: Bool
    ) async throws {
        let (rejected, halts) = told
        var laboratory = Laboratory(population: 410)
        laboratory.fcm.ramp = .zero
        let crew = ScriptedCrew(isConductor: true)
        crew.withState { state in
            state.takesAll = true
            (state.settlement.others[.accepted], state.settlement.others[.rejected]) = (399 - rejected, rejected)
        }
        laboratory.crew = crew
        let left = Plan.Send.sample(1...400)
        let plan = laboratory.plan(.send(left), .send(.sample(401...410, campaign: "surf")))
        let sent = Log<RecipientID>()
        let sender = ScriptedSender { request, number in
            sent.append(request.recipient)
            return isFatal && request.recipient > 400 ? .error(401, "UNAUTHENTICATED") : .accepted(request, number)
        }
        let report = try await laboratory.run(
            plan, sender, stop: { !isFatal && sent.entries.contains { $0 > 400 } ? .machine : nil })
        #expect((report.result == .interrupted) != isFatal)
        #expect(report.steps[0].rejected == rejected && report.steps[0].accepted == 400 - rejected)
        #expect((report.steps[0].stopped != nil) == (halts || isFatal))
        let recorded = try #require(laboratory.memory.state().occurrences[left.occurrence])
        #expect(recorded.halt == (halts ? .rejected : nil))
    }
}
