internal import FCM

/// One step of a topic or a send. It keeps a limited number of requests under way, no faster than the rates allow. Each
/// intent is written before its request leaves, and each outcome after. One commit covers all requests that start
/// together and the answers that came in the meantime.
///
/// It takes one event at a time, with the moment it happened, and says what to do next. It has many parts, because
/// every decision of a step is made from it alone.
struct StepState: DecidingStep {
    /// What the step asked for last.
    enum Stage {
        case new
        /// Reads the registrations of recipients that an earlier run left, to report them.
        case naming(RecipientSet)
        /// Writes that the step begins.
        case opening
        /// Asks whether a person paused the campaign, before or after a connection is ready.
        case lookingForPauses(isPrepared: Bool)
        case preparing
        /// Reads the registrations of the next recipients. `granted` of them will start.
        case readingAhead(RecipientSet, granted: Int)
        /// Reads the same recipients' rows, for personal messages.
        case readingRows(RecipientSet, [RecipientID: Registration], granted: Int)
        /// Looks for other registrations of recipients whose registration is dead.
        case findingOthers
        /// Writes the intents of requests.
        case intending(Block)
        case sending
        /// Lets other processes help.
        case sharing
        /// Takes recipients that are shared.
        case claiming
        /// Ends its part in a shared send.
        case leavingJob
        /// Writes outcomes.
        case writing
        case waiting
        /// Reads the registrations of recipients whose answers are no longer waited for.
        case abandoning
        /// Writes the last outcomes before the step ends or yields.
        case closing
        /// The step has yielded or is over.
        case left
    }

    var stage = Stage.new
    var work: StepWork
    var report: StepReport
    var queue: StepQueue
    var calls: PacedCalls
    var outcomes = UnwrittenOutcomes()
    var deaths = DeadRegistrations()
    var news: [StepNews] = []
    /// Its part in a send that several processes share.
    var sharing: Sharing?
    /// Whether nobody is left whom others could send to.
    var keepsAll = false
    /// Recipients that FCM refused for now, in an earlier run, in another process or in this step. If it delivered all
    /// the same, the next try is a second push.
    var deferred: RecipientSet
    /// When the last message to each started that may have arrived, as far as it counts for caps.
    var earlierStarts: Partition<MessageStart>
    /// How many are not tried again in this run and have no outcome.
    var postponed = 0
    /// Who is not tried again in this run: for now, or because the message may have arrived.
    var givenUp = RecipientSet()
    /// When the step must yield.
    var leave = Leave()
    var trouble = Trouble()
    var lastPauseCheck: Duration?
    private var resumed: Duration = .zero
    /// When the next stage opens, once nobody of this one is left.
    private(set) var nextStage: Date?
    /// What the report counted before this step began: an earlier stage in the same run.
    private let counted: StageFigures

    /// What makes a step yield.
    struct Leave {
        /// When something else begins.
        var at: Date?
        /// Whether to yield as soon as this step only waits.
        var whenIdle = false
    }

    /// What went wrong with the step as a whole.
    struct Trouble {
        /// Whether the project lacks the API that the step used. Recipients that were asked go back into the queue.
        var isUnavailable = false
        /// Whether FCM refused something that is the same for every recipient.
        var isRefused = false
        /// How many messages of a personal campaign FCM refused since it accepted one.
        var refusedInRow = 0
        /// Whether outcomes could not be written. The step tries that again only when it ends.
        var cannotWrite = false
        /// Whether a request to stop the run ended the step.
        var isInterrupted = false
        /// Why the step stopped itself. Later runs do not go on with it before a person decides.
        var halt: RecordedOccurrence.Halt?
    }

    /// From this many on, outcomes are written even if no request starts.
    private static var commitSize: Int { 256 }

    init(_ work: StepWork, members: RecipientSet, probesAPI: Bool, report: StepReport) {
        self.work = work
        self.report = report
        (deferred, earlierStarts) = (work.send?.deferred ?? [], work.send?.earlierStarts ?? Partition())
        queue = StepQueue(members)
        calls = PacedCalls(
            work.isSend ? .sends : .memberships, ofOwnRate: work.rate == nil ? nil : work.send?.campaign,
            probesAPI: probesAPI)
        counted = report.figures(dead: report.dead)
    }

    /// Prepares the step to go on after it has yielded.
    ///
    /// - Parameter work: the same work, with what the run has learned since.
    mutating func resume(_ work: StepWork) {
        self.work = work
        trouble.isUnavailable = false
    }

    /// Whether there are still recipients to be tried.
    var isUnfinished: Bool {
        report.stopped == nil && !report.isStanding && (!queue.isEmpty || sharing?.isOpen == true)
    }

    /// How long the step can only wait for retries. Zero if that is too short to yield.
    func idleTime(at now: Moment) -> Duration {
        guard calls.inFlight.isEmpty else { return .zero }
        if let sharing, queue.isEmpty { return sharing.idleTime(at: now) }
        return queue.idleTime(at: now.elapsed)
    }

    mutating func takeNews() -> [StepNews] {
        defer { news = [] }
        return news
    }

    // MARK: Events

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect {
        calls.noteWaking(at: now)
        lookAround(now, &context)
        switch (stage, event) {
        case (.new, .begun):
            resumed = now.elapsed
            return open(context)
        case (.left, .begun):
            resumed = now.elapsed
            return goOn(now, &context)
        case (.naming(let recipients), .read(let found)):
            tellLeft(named(recipients, found), context)
            return commit(work.opening, .opening, context)
        case (.naming(let recipients), .storeFailed):
            tellLeft(named(recipients, [:]), context)
            return commit(work.opening, .opening, context)
        case (.opening, .committed), (.sending, .sent): return goOn(now, &context)
        case (.lookingForPauses(let isPrepared), .looked(let isPaused)):
            // Counted from now, not from the question: a slow state would be asked over and over, and nothing would
            // start.
            lastPauseCheck = now.elapsed
            if isPaused { report.pause() }
            return isPrepared && !isPaused ? reserve(now, &context) : goOn(now, &context)
        case (.preparing, .prepared):
            // Connecting and signing in may have taken long.
            return isPauseCheckDue(now, context) ? lookForPauses(isPrepared: true) : reserve(now, &context)
        case (.readingAhead(let recipients, let granted), .read(let found)):
            guard work.isPersonal else {
                queue.add(named(recipients, found))
                return intend(granted, now, &context)
            }
            if sharing?.isConductor == false {
                queue.add(named(recipients, found) { sharing?.claimedRows.removeValue(forKey: $0) })
                return intend(granted, now, &context)
            }
            stage = .readingRows(recipients, found, granted: granted)
            return .readRows(recipients)
        case (.readingRows(let recipients, let found, let granted), .readRows(let rows)):
            queue.add(named(recipients, found) { rows[$0] })
            return intend(granted, now, &context)
        case (.findingOthers, .foundOthers(let found, let formers)):
            context.note(formers)
            tryOthers(found, now, &context)
            return goOn(now, &context)
        case (.intending(let block), .committed):
            outcomes = UnwrittenOutcomes()
            // Writing may have taken long.
            if let barrier = work.barrier(at: now.date, isUnderWay: calls.hasStarted) {
                return takeBack(block, barrier, now, &context)
            }
            let isOpen = work.closed(at: now.date).intersection(block.recipients).isEmpty
            let mayStart = isOpen && work.isNoted(block.noted, at: now.date) && mayStart(now, context)
            return mayStart ? release(block, now, &context) : putBack(block, now, &context)
        case (.sharing, .shared(let job)):
            join(job, isConductor: true, &context)
            return goOn(now, &context)
        case (.claiming, .claimed(let claim)): return take(claim, now, &context)
        case (.leavingJob, .settled(let settlement)):
            take(settlement, now, &context)
            // Others have left them to the next run. So their stage is not over.
            if report.stopped == nil, !report.isStanding { postponed += settlement.left.members.count }
            givenUp.formUnion(settlement.left.members)
            return goOn(now, &context)
        case (.leavingJob, .storeFailed(let reason)):
            loseJob(now, &context)
            giveUp(reason, &context)
            return goOn(now, &context)
        case (.writing, .committed):
            outcomes = UnwrittenOutcomes()
            return goOn(now, &context)
        case (.waiting, .woke(let answers)):
            take(answers, now, &context)
            return goOn(now, &context)
        case (.waiting, .halted(let answers)): return abandon(answers, now, &context)
        case (.abandoning, .read(let found)): return writeOff(found, now, &context)
        case (.abandoning, .storeFailed): return writeOff([:], now, &context)
        case (.closing, .committed): return end(now, context)
        case (.closing, .storeFailed(let reason)):
            giveUp(reason, &context)
            if work.isSend { report.unrecorded = work.unrecorded(outcomes, besides: earlierStarts) }
            return end(now, context)
        case (.intending, .storeFailed(let reason)), (.writing, .storeFailed(let reason)):
            trouble.cannotWrite = true
            giveUp(reason, &context)
            return goOn(now, &context)
        case (_, .storeFailed(let reason)):
            giveUp(reason, &context)
            return goOn(now, &context)
        default: preconditionFailure("the event does not answer what was asked for")
        }
    }

    /// Decides what to do next when the step waits for nothing but answers.
    mutating func goOn(_ now: Moment, _ context: inout RunContext) -> StepEffect {
        let isLeft = isToBeLeft(now)
        if !isLeft, let effect = startSome(now, &context) { return effect }
        dismissOthers()
        let mustWrite = outcomes.count >= Self.commitSize || calls.inFlight.isEmpty && isUnfinished && !isLeft
        if mustWrite, !outcomes.isEmpty, !trouble.cannotWrite { return write(.writing, [], now, context) }
        if calls.inFlight.isEmpty, isLeft || !isUnfinished {
            return findOthers(now, &context) ?? leaveJob(now, context) ?? close(now, context)
        }
        stage = .waiting
        // Others wait for what this process is to give up.
        if work.isSend, context.crew != nil { calls.wake(after: .milliseconds(250), now) }
        return .wait(until: calls.wakeAt, answers: answersNeeded(now, context))
    }

    /// Whether nothing more may start before the step resumes.
    private func isToBeLeft(_ now: Moment) -> Bool {
        trouble.isUnavailable || leave.at.map { now.date >= $0 } ?? false || leave.whenIdle && idleTime(at: now) > .zero
    }

    /// How many answers to wait for before waking.
    private func answersNeeded(_ now: Moment, _ context: RunContext) -> Int {
        guard !calls.inFlight.isEmpty else { return 0 }
        let limit = calls.limit(context)
        // If a wake-up is near, all answers can wait for it. If no first attempts are left, each answer is handled at
        // once.
        let isWakeNear = calls.wakeAt.map { $0 - now.elapsed <= RateLimiter.minimumWait * 2 } ?? false
        let missing =
            isWakeNear
            ? calls.inFlight.requests
            : queue.freshCount > 0 ? calls.blockNeeded(context) - (limit - calls.inFlight.requests) : 1
        return max(1, min(missing, calls.inFlight.requests))
    }

    mutating func giveUp(_ reason: String, isUnreachable: Bool = false, _ context: inout RunContext) {
        context.giveUp(reason, isUnreachable: isUnreachable)
        report.stop(.fatal(reason))
    }

    // MARK: The end

    private mutating func close(_ now: Moment, _ context: RunContext) -> StepEffect {
        write(.closing, lastChanges(now, context), now, context)
    }

    /// The step has yielded and does not go on in this run.
    ///
    /// - Returns: What is to be written if what others told since has stopped it.
    mutating func dismiss(_ now: Moment, _ context: RunContext) -> [StateChange] {
        doubtDead(context)
        guard trouble.halt != nil else { return [] }
        let changes = work.changes(outcomes, besides: earlierStarts, at: now.date) + lastChanges(now, context)
        holdRest()
        return changes
    }

    private mutating func lastChanges(_ now: Moment, _ context: RunContext) -> [StateChange] {
        let (left, yields) = (queue.aside.left, isUnfinished)
        let expiry = yields ? nil : work.expiry(of: left, at: now.date)
        // While others of it are still to be tried, it goes on with them.
        if !left.isEmpty, expiry == nil, !yields { report.wait(work.closedNote) }
        let isComplete = report.pending == 0 && report.stopped == nil && !report.isStanding
        let ending = isComplete ? work.closing(at: now.date, unknown: report.unknown) : []
        let never = isComplete && !calls.hasStarted ? work.skippingBadRows : []
        var changes = closeStage(now, isLast: !ending.isEmpty) + never + ending
        if report.standing == .waiting || !left.isEmpty, calls.hasStarted { changes += work.suspending(at: now.date) }
        if let expiry { report.stop(.tooLate(.expired(at: expiry))) }
        if !isUnfinished, let note = undecidedNote { report.wait(note) }
        if let halt = trouble.halt, context.options.mode == .apply { changes += work.halting(halt) }
        return changes
    }

    private var undecidedNote: String? { work.undecidedNote(besides: queue.awaitingCaps.count) }

    /// What came of the stage, for the state. It soaks from now on if nobody of it may start any more.
    ///
    /// - Parameter isLast: whether the occurrence ends with it.
    private mutating func closeStage(_ now: Moment, isLast: Bool) -> [StateChange] {
        guard let staging = work.staging, !isUnfinished else { return [] }
        let isOver =
            report.stopped == nil && postponed == 0 && report.standing != .held && undecidedNote == nil
        let isSettled = calls.hasStarted && isOver
        // The last stage is not done while people of it wait for their window or their clock.
        let isLeft = staging.ahead.isEmpty && work.send?.staysOpen == true
        report.stages = staging.shown(
            with: stageFigures, isHalted: trouble.halt == .stage, isSettled: isSettled && !isLeft || isLast)
        guard calls.hasStarted || trouble.halt == .stage else {
            // Caps left nobody of it. If nobody was sent anything before either, it is passed over.
            let isSpent = isOver && !report.isStanding && queue.aside.left.isEmpty && !staging.ahead.isEmpty
            if isSpent { nextStage = stageFigures.outcomes == 0 ? now.date : staging.opening(after: now.date) }
            if isSpent, stageFigures.outcomes == 0 { report.stages = staging.shown(isPassed: true) }
            return []
        }
        if isSettled { nextStage = staging.opening(after: now.date) }
        return work.closing(stage: stageFigures, settled: isSettled ? now.date : nil)
    }

    /// What came of the open stage, in earlier runs and in this one.
    var stageFigures: StageFigures {
        (work.staging?.figures ?? StageFigures()) + (report.figures(dead: dead + deaths.kept) - counted)
    }

    /// What is left waits for a person.
    private mutating func holdRest() {
        if deaths.areTooMany || report.standing == .held || trouble.halt == .stage { report.held += report.pending }
    }

    private mutating func end(_ now: Moment, _ context: RunContext) -> StepEffect {
        holdRest()
        report.duration += now.elapsed - resumed
        outcomes = UnwrittenOutcomes()
        calls.endWaiting()
        stage = .left
        return isUnfinished && context.fatal == nil ? .yield : .finish
    }
}
