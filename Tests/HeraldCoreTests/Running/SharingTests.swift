import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// How one step shares its recipients, and what it does not start while others must be asked first.
@Suite struct SharingTests {
    static let now = Moment(elapsed: .zero, date: Laboratory.start)

    struct Unexpected: Error {}

    func crew(
        validity: Duration = .seconds(1), share: Share = .whole, others: Int = 0, isConductor: Bool = true,
        _ jobs: [JobID: JobView] = [:], reading: Int = 1
    ) -> CrewView {
        var view = CrewView(isConductor: isConductor, validity: validity)
        (view.share, view.others, view.jobs, view.reading) = (share, others, jobs, reading)
        return view
    }

    /// A step whose first request was answered.
    func proven(
        _ count: Int, staging: Plan.Staging? = nil, seeds: RecipientSet = [], repeated: RecipientSet = [],
        again: RecipientSet = [], tried: RecipientSet = [], _ context: inout RunContext
    ) throws -> (StepState, StepEffect) {
        var send = Plan.Send.sample(1...RecipientID(count))
        (send.staging, send.seeds, send.repeated) = (staging, seeds, repeated)
        send.again = Ledger(entries: Partition(disjoint: [.again: again]), codes: Partition())
        send.earlierStarts = Partition(disjoint: [MessageStart(until: Self.now.date, tags: []): tried])
        var step = try StepState.sample(.send(send))
        var effect = StepEffect.finish
        let known = Dictionary(uniqueKeysWithValues: (1...count).map { (RecipientID($0), Registration.fid($0)) })
        for event: StepEvent in [
            .begun, .committed, .looked(isPaused: false), .prepared, .read(known), .committed,
        ] {
            effect = step.handle(event, at: Self.now, &context)
        }
        guard case .send(let departures) = effect else { throw Unexpected() }
        _ = step.handle(.sent, at: Self.now, &context)
        let answers = departures.map { Inbox.Answer(asked: $0.asked, exchange: .accepted($0.request)) }
        effect = step.handle(.woke(answers), at: Self.now, &context)
        return (step, effect)
    }

    @Test(arguments: [
        (Duration.zero, Share.whole), (.milliseconds(-3), .whole), (.seconds(1), .none),
        (.seconds(1), Share(parts: 1)),
    ])
    func `nothing starts on an old reading or without a share`(_ validity: Duration, _ share: Share) throws {
        var context = RunContext.sample(rate: .limited(100))
        context.crew = crew(validity: validity, share: share)
        var step = try StepState.sample(.send(.sample(1...3)))
        var effect = StepEffect.finish
        for event: StepEvent in [.begun, .committed, .looked(isPaused: false)] {
            effect = step.handle(event, at: Self.now, &context)
        }
        guard case .wait(let until?, 0) = effect else { throw Unexpected() }
        #expect(until <= .milliseconds(250), "it looks again soon")
        context.crew = crew()
        #expect(step.handle(.woke([]), at: Self.now, &context).word == "prepare")
    }

    /// Three processes have the rest of the rates: a quarter of 3 a second is less than one.
    @Test func `a campaign's rate is cut only while others help with the campaign, and a second longer`() throws {
        var context = RunContext.sample(rate: .limited(1000))
        context.crew = crew(share: Share(parts: 1260), others: 3)
        let job = JobID(rawValue: 1)
        for (rate, help, word) in [
            (3, nil, "prepare"), (3, (campaign: "surf", end: nil), "prepare"), (3, ("tide", nil), "wait"),
            (3, ("tide", .milliseconds(-900)), "wait"), (3, ("tide", .seconds(-1)), "prepare"),
            (4, ("tide", nil), "prepare"),
        ] as [(Int, (campaign: String, end: Duration?)?, String)] {
            var context = context
            if let help { context.noteHelp(in: job, of: help.campaign) }
            if let end = help?.end { context.noteEndOfHelp(in: job, at: Self.now.elapsed + end) }
            var send = Plan.Send.sample(1...3)
            send.delivery.rate = .limited(rate)
            var step = try StepState.sample(.send(send))
            var effect = StepEffect.finish
            for event: StepEvent in [.begun, .committed, .looked(isPaused: false)] {
                effect = step.handle(event, at: Self.now, &context)
            }
            #expect(effect.word == word, "\(rate), \(String(describing: help))")
        }
    }

    @Test func `what was granted does not start once the reading is too old, and comes again`() throws {
        var context = RunContext.sample()
        context.crew = crew()
        var step = try StepState.sample(.send(.sample(1...3)))
        var effect = StepEffect.finish
        for event: StepEvent in [
            .begun, .committed, .looked(isPaused: false), .prepared,
            .read([1: .fid(1), 2: .fid(2), 3: .fid(3)]),
        ] {
            effect = step.handle(event, at: Self.now, &context)
        }
        guard case .commit(let intents) = effect else { throw Unexpected() }
        let send = Plan.Send.sample(1...3)
        #expect(intents == [.outcome(send.occurrence, [1], .intended)])
        #expect(step.isGranting)
        context.crew = crew(validity: .zero)
        guard case .commit(let back) = step.handle(.committed, at: Self.now, &context) else { throw Unexpected() }
        #expect(back == [.outcome(send.occurrence, [1], nil)], "nobody takes the recipient for tried")
        #expect(!step.isGranting)
        #expect(step.handle(.committed, at: Self.now, &context).word == "wait")
        context.crew = crew()
        var world = StepWorld(step, context, seed: 1)
        let event = StepEvent.woke([])
        #expect(world.step.handle(event, at: Self.now, &world.context).word == "prepare")
        #expect(world.step.report.pending == 3 && world.step.report.retries == 0)
    }

    @Test func `a step shares what is untried once it is proven and somebody can help`() throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        var (step, effect) = try proven(400, &context)
        guard case .share(let send, let members) = effect else { throw Unexpected() }
        #expect(send.campaign == "tide")
        // The first was sent; those of `sampleOthers` stay, because only this process can look for others.
        #expect(members == RecipientSet(4...400))
        effect = step.handle(.shared(JobID(rawValue: 1)), at: Self.now, &context)
        #expect(effect.word == "prepare", "those that stayed come first")
        for event in [StepEvent.prepared, .committed, .sent] { effect = step.handle(event, at: Self.now, &context) }
        #expect(effect.word == "claim", "then it claims like everybody else")
        effect = step.handle(.claimed(Claim(members: RecipientSet(4...20))), at: Self.now, &context)
        #expect(["prepare", "commit", "claim"].contains(effect.word))
        #expect(step.report.planned == 400)
    }

    @Test(
        arguments: [([7, 400], [], []), ([], [7, 400], []), ([7], [400], []), ([], [400], [7])]
            as [(RecipientSet, RecipientSet, RecipientSet)])
    func `seeds, and whom it is sent again, stay with the run`(
        seeds: RecipientSet, repeated: RecipientSet, again: RecipientSet
    ) throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        let effect = try proven(400, seeds: seeds, repeated: repeated, again: again, &context).1
        guard case .share(_, let members) = effect else { throw Unexpected() }
        #expect(members == RecipientSet(4...399).subtracting([7]))
    }

    @Test func `whom an earlier try may have reached is not shared, because others do not know when it was`() throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        guard case .share(_, let members) = try proven(400, tried: [7, 400], &context).1 else { throw Unexpected() }
        #expect(members == RecipientSet(4...399).subtracting([7]))
    }

    @Test func `without anybody to help, or with few recipients, nothing is shared`() throws {
        var alone = RunContext.sample()
        alone.crew = crew()
        #expect(try proven(400, &alone).1.word != "share")
        var few = RunContext.sample()
        few.crew = crew(others: 3)
        #expect(try proven(100, &few).1.word != "share")
    }

    @Test func `what others counted is in the report once, and the step's own part is without it`() throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        var (step, _) = try proven(400, &context)
        let job = JobID(rawValue: 1)
        _ = step.handle(.shared(job), at: Self.now, &context)
        for (reading, accepted) in [(2, 100), (3, 250), (4, 250)] {
            var view = JobView()
            view.hasFree = true
            (view.others[.accepted], view.others[.rejected]) = (accepted, 7)
            context.crew = crew(others: 1, [job: view], reading: reading)
            step.stage = .claiming
            _ = step.handle(.claimed(Claim()), at: Self.now, &context)
            #expect(step.report.accepted == 1 + accepted && step.report.rejected == 7)
            #expect(step.part?.tally[.accepted] == 1 && step.part?.tally[.rejected] == 0)
        }
        var settlement = Settlement()
        (settlement.others[.accepted], settlement.others[.rejected]) = (390, 7)
        step.take(settlement, Self.now, &context)
        #expect(step.report.accepted == 391 && step.report.rejected == 7 && step.report.pending == 2)
    }

    @Test func `whom nobody took comes back if the job ends before the step, and caps may still stop them`() throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        var (step, _) = try proven(400, &context)
        _ = step.handle(.shared(JobID(rawValue: 1)), at: Self.now, &context)
        var settlement = Settlement()
        settlement.others[.accepted] = 97
        settlement.left = Claim(members: RecipientSet(101...400), deferred: [400])
        step.goOnAlone(after: settlement, Self.now, &context)
        #expect(step.sharing == nil && step.isUnfinished)
        // 2 and 3 had stayed.
        #expect(step.queue.freshCount == 302 && step.deferred == [400])
        #expect(step.report.accepted == 98 && step.report.pending == 302)
        step.queue.setAside(forCaps: RecipientSet(1...150))
        #expect(step.queue.awaitingCaps == RecipientSet(101...150).union([2, 3]))
        #expect(step.queue.freshCount == 250)
    }

    @Test(arguments: [RecipientSet(), [400]])
    func `a stage is not over while somebody of it is left whom another process does not try again`(
        _ left: RecipientSet
    ) throws {
        var context = RunContext.sample()
        context.crew = crew(others: 1)
        let open = RecordedStage(share: StageShare(millionths: 10_000), opened: Laboratory.start, planned: 400)
        let staging = Plan.Staging(
            opened: [open], isNews: false, figures: StageFigures(), limits: StageLimits(), soak: .manual)
        var (step, _) = try proven(400, staging: staging, &context)
        _ = step.handle(.shared(JobID(rawValue: 1)), at: Self.now, &context)
        step.queue = StepQueue([])
        step.stage = .leavingJob
        var settlement = Settlement()
        settlement.others[.accepted] = 399 - left.count
        settlement.left.members = left
        guard case .commit(let changes) = step.handle(.settled(settlement), at: Self.now, &context) else {
            throw Unexpected()
        }
        let stages = changes.compactMap { if case .stages(_, let stages) = $0 { stages } else { nil } }
        #expect(stages.count == 1 && (stages[0].last?.settled != nil) == left.isEmpty)
        #expect(step.report.pending == left.count)
    }

    @Test func `a run that only waits for others does something else, and soon looks again`() throws {
        var context = RunContext.sample()
        let (job, send) = (JobID(rawValue: 1), Plan.Send.sample(1...300))
        let work = try StepWork(.send(send), isDryRun: false, begun: Laboratory.start, now: Laboratory.start)
        var step = StepState(
            work, members: [], probesAPI: false,
            report: StepReport(Plan.Step(work: .send(send), reason: "")))
        step.join(job, isConductor: true, &context)
        step.leave.whenIdle = true
        var view = JobView()
        view.open = 5
        context.crew = crew(others: 1, [job: view])
        var effect = StepEffect.finish
        for event: StepEvent in [.begun, .committed, .committed] {
            effect = step.handle(event, at: Self.now, &context)
        }
        #expect(effect.word == "yield")
        #expect(step.idleTime(at: Self.now) > .zero)
        let later = Moment(elapsed: .seconds(1), date: Laboratory.start)
        #expect(step.idleTime(at: later) == .zero, "it is ready once the time has passed")
        view.open = 0
        context.crew = crew(others: 1, [job: view], reading: 2)
        #expect(step.handle(.begun, at: later, &context).word == "leave")
    }

    @Test func `a process that helps stops when its job is gone`() throws {
        var context = RunContext.sample()
        let job = JobID(rawValue: 1)
        var send = Plan.Send.sample([])
        send.isResumed = true
        let work = try StepWork(
            .send(send), isDryRun: false, partUntil: TimeLimits(), begun: Laboratory.start, now: Laboratory.start)
        var step = StepState(
            work, members: [], probesAPI: false,
            report: StepReport(Plan.Step(work: .send(send), reason: "")))
        step.join(job, isConductor: false, &context)
        context.crew = crew(isConductor: false, [job: JobView()], reading: 0)
        _ = step.handle(.begun, at: Self.now, &context)
        context.crew = crew(isConductor: false, reading: 2)
        let effect = step.handle(.committed, at: Self.now, &context)
        #expect(effect.word == "leave")
        guard case .commit(let changes) = step.handle(.settled(Settlement()), at: Self.now, &context) else {
            throw Unexpected()
        }
        #expect(changes.isEmpty, "only the run itself ends an occurrence")
    }

    // MARK: Personal campaigns

    /// A process that helps with a personal campaign of 1 to 20, has begun, and claims.
    private func claiming(_ context: inout RunContext) throws -> StepState {
        let content = PersonalContent(
            message: ["data": ["name": "{{ name }}"]], fields: [Field(name: "name")], seed: "tide#1")
        var send = Plan.Send.sample([])
        send.content = MessageContent(try PersonalMessages(content))
        (send.isResumed, send.classes) = (true, Partition(disjoint: [MessageClass(): RecipientSet(1...20)]))
        let work = try StepWork(
            .send(send), isDryRun: false, partUntil: TimeLimits(), begun: Laboratory.start, now: Laboratory.start)
        var step = StepState(
            work, members: [], probesAPI: false,
            report: StepReport(Plan.Step(work: .send(send), reason: "")))
        let job = JobID(rawValue: 1)
        step.join(job, isConductor: false, &context)
        var view = JobView()
        view.hasFree = true
        context.crew = crew(isConductor: false, [job: view])
        var effect = StepEffect.finish
        for event: StepEvent in [.begun, .committed, .looked(isPaused: false)] {
            effect = step.handle(event, at: Self.now, &context)
        }
        guard case .claim(job) = effect else { throw Unexpected() }
        return step
    }

    private func rows(_ ids: ClosedRange<RecipientID>) -> [RecipientID: FieldValues] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, FieldValues(["Ann \($0)"])) })
    }

    @Test func `a process that helps has the rows from its claim, and asks nobody for them`() throws {
        var context = RunContext.sample()
        var step = try claiming(&context)
        let claim = Claim(members: RecipientSet(1...5), rows: rows(1...5))
        var effect = step.handle(.claimed(claim), at: Self.now, &context)
        #expect(effect.word == "prepare")
        let known = Dictionary(uniqueKeysWithValues: (1...5).map { (RecipientID($0), Registration.fid($0)) })
        for event: StepEvent in [.prepared, .read(known), .committed] {
            #expect(effect.word != "rows")
            effect = step.handle(event, at: Self.now, &context)
        }
        guard case .send(let departures) = effect else { throw Unexpected() }
        #expect(departures.map { $0.request.json["message"]?["data"]?["name"]?.string } == ["Ann 1"])
        #expect(step.sharing?.claimedRows.isEmpty == true, "the rows are where the recipients are")
    }

    @Test(arguments: [(5, 4), (21, 21), (5, 0)] as [(RecipientID, RecipientID)])
    func `without all rows and texts it sends to nobody of its claim, and leaves`(
        _ members: RecipientID, _ rows: RecipientID
    ) throws {
        var context = RunContext.sample()
        var step = try claiming(&context)
        let found = rows > 0 ? self.rows(1...rows) : [:]
        let effect = step.handle(
            .claimed(Claim(members: RecipientSet(1...members), rows: found)), at: Self.now, &context)
        #expect(effect.word == "leave")
        #expect(step.report.stopped?.words.contains("the rows of the recipients") == true)
        #expect(step.queue.isEmpty && step.report.failures.isEmpty && step.report.rejected == 0)
    }
}
