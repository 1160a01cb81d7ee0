internal import FCM

/// Sends that other processes help with. What they count is added to the report, so that guards judge the whole.
extension StepState {
    /// The part of this process in a send that several processes share.
    struct Sharing {
        let job: JobID
        let isConductor: Bool
        var view = JobView()
        /// Which reading the view comes from.
        var reading = -1
        /// No earlier claim: the last one got nothing.
        var nextClaim: Duration = .zero
        /// When to look again what others did, if there is nothing else to do.
        var nextLook: Duration = .zero
        /// The rows of claimed recipients that were not read ahead yet, in a process that helps.
        var claimedRows: [RecipientID: FieldValues] = [:]

        init(_ job: JobID, isConductor: Bool) {
            (self.job, self.isConductor) = (job, isConductor)
            // Until the first reading.
            view.hasFree = true
        }

        /// Whether there may be more to do when the process has settled all that it claimed. A conductor waits for what
        /// others have claimed: they may give it back.
        var isOpen: Bool { view.hasFree || isConductor && (view.open > 0 || reading < 0) }

        /// How long it can only wait for others. Zero if it can claim something.
        func idleTime(at now: Moment) -> Duration {
            view.hasFree && nextClaim <= now.elapsed ? .zero : max(.zero, nextLook - now.elapsed)
        }
    }

    /// With fewer, sharing takes longer than sending.
    private static var leastShared: Int { 200 }
    /// Between two looks at what others do.
    fileprivate static var patience: Duration { .milliseconds(100) }

    var wantsStarts: Bool { work.isSend && isUnfinished && (!queue.isEmpty || sharing?.view.hasFree == true) }

    var isGranting: Bool {
        switch stage {
        case .readingAhead, .intending, .sending: true
        default: false
        }
    }

    var part: (job: JobID, tally: Tally)? {
        guard let sharing else { return nil }
        let others = sharing.view.others
        var tally = report.tally - others
        // Neither figure is in the report.
        tally[.postponed] = postponed
        tally[.dead] = dead - others[.dead]
        return (sharing.job, tally)
    }

    // MARK: Following the others

    /// Before each event.
    mutating func lookAround(_ now: Moment, _ context: inout RunContext) {
        if let campaign = calls.campaign, let rate = ownRate(now, context) {
            context.limit(campaign, to: rate, at: now.elapsed)
        }
        sharing?.nextLook = now.elapsed + Self.patience
        follow(now, &context)
    }

    /// The same for a step that is not in front, whose job others go on with.
    mutating func followFromBehind(_ now: Moment, _ context: inout RunContext) {
        follow(now, &context)
        dismissOthers()
    }

    /// Takes in what the other processes have done since.
    private mutating func follow(_ now: Moment, _ context: inout RunContext) {
        guard work.isSend, let crew = context.crew else { return }
        guard let reading = sharing?.reading, reading < crew.reading, let job = sharing?.job else { return }
        guard let view = crew.jobs[job] else {
            // A reading from before it was shared, or another run took over.
            if sharing?.isConductor == false { report.stop(.interrupted) }
            return
        }
        sharing?.reading = crew.reading
        take(view, now, &context)
        if !crew.isConductor, view.isEnding { report.stop(.interrupted) }
    }

    private mutating func take(_ view: JobView, _ now: Moment, _ context: inout RunContext) {
        count(view.others)
        sharing?.view = view
        if view.quiet > .zero { calls.pause(for: view.quiet, at: now) }
        judgeOthers(&context)
    }

    /// What they counted since shows whether the step may go on.
    private mutating func judgeOthers(_ context: inout RunContext) {
        if let others = sharing?.view.others, others[.accepted] > 0 { context.noteSuccess(on: .send) }
        checkForgetting(&context)
        checkRejections()
    }

    /// Once the step starts nothing more, the others are to start nothing more of it either, also while this process waits
    /// for its own answers.
    mutating func dismissOthers() {
        guard let sharing, sharing.isConductor, report.stopped != nil || report.isStanding else { return }
        news.append(.dismissal(sharing.job))
    }

    /// Replaces what the others counted.
    private mutating func count(_ others: Tally) {
        guard let before = sharing?.view.others else { return }
        report.add(others - before)
        sharing?.view.others = others
    }

    /// What this process may use of its campaign's own rate. `nil` if that is nothing, or if the campaign has none.
    private func ownRate(_ now: Moment, _ context: RunContext) -> Rate? {
        guard let rate = work.rate, let campaign = calls.campaign else { return nil }
        return context.part(of: rate, of: campaign, at: now.elapsed)
    }

    /// Whether requests may start as far as other processes are concerned. If not, the wake-up time is set.
    mutating func mayStart(_ now: Moment, _ context: RunContext) -> Bool {
        guard work.isSend, let crew = context.crew else { return true }
        let hasRate =
            crew.share.of(context.options.fcm.rate) != nil && (work.rate == nil || ownRate(now, context) != nil)
        if crew.validity > .zero, hasRate { return true }
        calls.wake(after: .milliseconds(50), now)
        return false
    }

    // MARK: Sharing and claiming

    /// Takes part in a job.
    mutating func join(_ job: JobID, isConductor: Bool, _ context: inout RunContext) {
        sharing = Sharing(job, isConductor: isConductor)
        if let campaign = work.send?.campaign { context.noteHelp(in: job, of: campaign) }
    }

    /// Lets others help, or takes recipients that are shared. `nil` if neither is to be done now.
    mutating func gather(_ now: Moment, _ context: RunContext) -> StepEffect? {
        guard let crew = context.crew else { return nil }
        guard let sharing else { return share(crew, now, context) }
        guard queue.freshCount < calls.blockNeeded(context), sharing.view.hasFree, now.elapsed >= sharing.nextClaim
        else {
            if queue.readyCount == 0 { calls.wake(after: Self.patience, now) }
            return nil
        }
        stage = .claiming
        return .claim(sharing.job)
    }

    private mutating func share(_ crew: CrewView, _ now: Moment, _ context: RunContext) -> StepEffect? {
        guard crew.isConductor, crew.others > 0, !keepsAll, !calls.isProbing, queue.freshCount >= Self.leastShared,
            let send = work.shared(ramped: context.sends.begin.map { now.elapsed - $0 } ?? .zero, context.options)
        else { return nil }
        // Only this process can look for other registrations, and knows who is a seed and when earlier tries started.
        // Whoever is sent it again is unknown already, so the state could not say whether a process that leaves has tried
        // them. What others had before that a person has tried again, only this process knows.
        let kept = (work.send.map { $0.seeds.union($0.repeated).union($0.again[.again]) } ?? [])
            .union(earlierStarts.all)
        let given = queue.giveAway(except: context.withOthers.union(kept))
        keepsAll = given.isEmpty
        if keepsAll { return nil }
        stage = .sharing
        return .share(send, given)
    }

    mutating func take(_ claim: Claim, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        if sharing?.isConductor == false {
            guard work.canWrite(to: claim) else {
                // The run has the lists.
                report.stop(.noRows)
                return goOn(now, &context)
            }
            sharing?.claimedRows.merge(claim.rows) { _, new in new }
        }
        if claim.members.isEmpty { sharing?.nextClaim = now.elapsed + Self.patience }
        add(claim, at: now.date)
        return goOn(now, &context)
    }

    // MARK: The end

    /// Ends this process's part once everything is written, whatever else ends it: without an outcome in the state, a
    /// recipient whose request left counts as unknown from then on.
    mutating func leaveJob(_ now: Moment, _ context: RunContext) -> StepEffect? {
        guard let sharing, !isUnfinished else { return nil }
        if !outcomes.isEmpty, !trouble.cannotWrite { return write(.writing, [], now, context) }
        stage = .leavingJob
        return .leave(sharing.job)
    }

    /// The state cannot say what others did.
    mutating func loseJob(_ now: Moment, _ context: inout RunContext) {
        if sharing?.isConductor == false { count(Tally()) }
        endSharing(now, &context)
    }

    private mutating func endSharing(_ now: Moment, _ context: inout RunContext) {
        if let sharing { context.noteEndOfHelp(in: sharing.job, at: now.elapsed) }
        sharing = nil
    }

    /// A process that helps reports only what it did itself, and has judged the whole before.
    mutating func take(_ settlement: Settlement, _ now: Moment, _ context: inout RunContext) {
        count(settlement.others)
        if sharing?.isConductor == true { judgeOthers(&context) }
        endSharing(now, &context)
        for failure in settlement.failures {
            news.append(.failure(failure))
            report.add(failure)
        }
        report.failuresOmitted += settlement.failuresOmitted
    }

    /// The job has ended before the step. Whom nobody took comes back, and can be shared again.
    mutating func goOnAlone(after settlement: Settlement, _ now: Moment, _ context: inout RunContext) {
        take(settlement, now, &context)
        add(settlement.left, at: now.date)
    }

    private mutating func add(_ claim: Claim, at now: Date) {
        queue.add(members: claim.members)
        if !claim.members.isEmpty { keepsAll = false }
        deferred.formUnion(claim.deferred)
        // Only the process that tried them knows when. It was not later than now.
        noteEarlier(claim.deferred, at: now)
    }

    /// It is not certain any more that the block may start. Its recipients come again.
    mutating func putBack(_ block: Block, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        withdraw(block)
        for departure in block.departures {
            for addressee in departure.asked.addressees { queue.retries.putBack(addressee, now: now.elapsed) }
        }
        return goOn(now, &context)
    }
}
