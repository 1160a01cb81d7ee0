import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// Takes an apply, a run or a test from the lock to the exit status. Nothing else in herald changes anything at FCM.
struct Conductor {
    let context: CommandContext
    let request: RunRequest

    var console: Console { context.console }

    func conduct() async throws {
        guard let ifLocked = request.ifLocked else { return try await carryOut(under: nil) }
        do {
            try await telling { try await conduct(ifLocked: ifLocked) }
        } catch {
            await tellDeaths()
            throw error
        }
        await tellDeaths()
    }

    /// Returns once the lock is free again, so that nobody who is told keeps the next run waiting.
    private func conduct(ifLocked: LockedState) async throws {
        // The lock comes first, so that the state stays as it was planned with until the run ends.
        let found: (lock: any StateLock, hasWaited: Bool)?
        do {
            if request.requiresState { try await context.state.require() }
            found = try await lock(ifLocked)
        } catch {
            await noteFailure(error, under: nil)
            throw error
        }
        guard let (lock, hasWaited) = found else { return }
        try await lock.hold {
            // The files were read before the wait.
            if hasWaited, haveFilesChanged {
                return console.error(
                    "herald: files of the workspace changed while this run waited for another one, so it did nothing; "
                        + "the next run does what is due with the new files\n")
            }
            do { try await carryOut(under: lock) } catch {
                await noteFailure(error, under: lock)
                await writeSnapshot()
                throw ending(error, under: lock)
            }
            await writeSnapshot()
        }
    }

    /// Whether the files have changed since they were read.
    var haveFilesChanged: Bool {
        let watch = FileWatch(context.files, environment: context.common.environment)
        watch.look()
        return watch.hasChanged
    }

    /// - Parameter lock: Without one, the state is only read.
    private func carryOut(under lock: (any StateLock)?) async throws {
        var state = try await readState()
        let work = try await prepare(state)
        // The first apply makes the state, also with nothing to do: without one no run works.
        let isChange = !work.plan.isEmpty || !state.exists
        let needsApproval = request.asks && isChange
        show(work.plan, work.document, needsApproval: needsApproval)
        try obeyGuards(work.course)
        if needsApproval { try approve(state) }
        let signals = request.signals ?? context.machine.signals(console)
        request.telling.end(with: signals)
        // A person who overrode the guard accepts the state as it is.
        if request.dryRunSample == nil {
            if state.hasMoved { try await context.state.acceptMove() }
            try await state.outgrowReports()
            if state.exists, state.lostStamp != nil || state.isElsewhere { witness(state.recorded.history) }
        }
        // A run that looks again waits for a stage that opens soon.
        let awaitsStage = request.looksAgain && work.plan.awaitsStage(at: request.now())
        let plan = work.plan
        do {
            if plan.isEmpty, !awaitsStage {
                try await rest(work, state)
            } else {
                try await act(on: work, from: consume state, under: lock, signals)
            }
        } catch {
            await noteDeaths(of: plan, under: lock)
            throw error
        }
        await noteDeaths(of: plan, under: lock)
    }

    /// Carries out what passed all checks.
    private func act(
        on work: PlannedWork, from state: consuming KnownState, under lock: (any StateLock)?, _ signals: Signals
    ) async throws {
        let drift = state.recorded.lastDrift
        let (store, watch) = (state.store, FileWatch(context.files, environment: context.common.environment))
        async let _: Void = isReal ? watch.watch(by: context.machine.clock) : ()
        let report = try await execute(work, from: consume state, under: lock, signals, watch)
        writeMetrics(report, drift)
        request.ended(report)
        try await recordTest(report, in: store)
        if report.result != .ok, lock?.mayWrite?() == false {
            console.error(lostLock(lock).text)
            // The run was not stopped by a signal.
            if report.result == .interrupted, signals.first == 0 { throw CommandFailure(.failed) }
        }
        if report.result == .interrupted, signals.first == 0, watch.hasChanged { return try tellChanged(report) }
        // The lock was lost for a while.
        if report.result == .interrupted, signals.first == 0 { throw lostLock(lock) }
        if let failure = failure(of: report, signal: signals.first) { throw failure }
    }

    /// The next run does the rest. What went wrong before counts all the same. After `apply` a person must know that not
    /// everything was done.
    private func tellChanged(_ report: Report) throws {
        let message = "files of the workspace changed while this run worked, so it stopped"
        let isRun = if case .leaveOut = request.guards { true } else { false }
        var done = report
        done.result = report.outcomeBesidesRest
        let failure = failure(of: done, signal: 0)
        if isRun { console.error("herald: \(message); the next run does the rest with the new files\n") }
        if let failure, isRun || failure.status != .failed {
            if !isRun { console.error("herald: \(message)\n") }
            throw failure
        }
        if isRun { return }
        throw CommandFailure(.failed, message, help: "apply again: what is left is done with the new files")
    }

    private func lostLock(_ lock: (any StateLock)?) -> CommandFailure {
        CommandFailure(lost: lock, by: "this run", help: "run again: the next run goes on with what is left")
    }

    /// A run that lost the lock before it could begin ends as one that lost it later.
    private func ending(_ error: any Error, under lock: any StateLock) -> any Error {
        guard let error = error as? StateError, lock.mayWrite?() == false else { return error }
        if error != lock.loss { console.error("herald: \(error)\n") }
        return lostLock(lock)
    }

    // MARK: From the state to the plan

    private func readState() async throws -> KnownState {
        switch request.goal {
        case .workspace:
            try await .read(
                from: context.state, for: request.ifLocked == nil ? .reading : .changing, at: request.now(),
                filesIn: context.files.folder.path)
        // A test works on a state of its own: it keeps no outcomes and forgets no registration.
        case .test: try await .blank(beside: context.state, at: request.now())
        }
    }

    private func prepare(_ state: KnownState) async throws -> PlannedWork {
        switch request.goal {
        case .workspace(let scope):
            let time = request.saved?.at ?? request.now()
            let lists = try await context.files.wanted(knownTo: state, at: context.state, judgedAt: time)
            // A saved plan was made without them.
            let overrides = request.saved == nil ? request.guards.overrides : Overrides()
            // What an override lets through fills caps. A saved plan in which others get more because of that is stale.
            var proposal = try context.files.proposal(
                lists.desired, from: state, at: time, clock: context.machine.now(), scope, overrides: overrides,
                policy: request.guards)
            try check(proposal, state)
            // A saved plan pins its lists. How old they are is judged now.
            if request.saved != nil { proposal.plan.refuse(context.files.staleLists(at: max(time, request.now()))) }
            if let approved = request.approved {
                let files = context.files.approval(of: lists.desired)
                try approved.plan.check(against: files, from: approved.path)
                try approved.plan.check(proposal.plan, of: files, context.settings.approval)
            }
            let course = RunCourse(
                proposal, request.guards, in: context.workspace, sizes: lists.desired.audienceSizes)
            context.machine.planned(proposal, course)
            try tellLeftOut(course)
            return work(course, .listed(lists))
        case .test(let campaign, let registrations, let texts):
            let plan = Plan(testing: campaign, on: registrations, texts, at: request.now())
            let course = RunCourse(Proposal(plan), request.guards, in: context.workspace, sizes: [:])
            return work(course, .named(registrations, values: texts.compactMapValues(\.values)))
        }
    }

    private func work(_ course: RunCourse, _ recipients: PlannedWork.Recipients) -> PlannedWork {
        PlannedWork(course: course, document: document(of: course.proposal), recipients: recipients)
    }

    private func document(of proposal: Proposal) -> PlanDocument {
        PlanDocument(
            proposal, id: request.saved?.id ?? request.id, created: request.now(), campaigns: request.scope.campaigns,
            days: request.scope.days)
    }

    /// Ends the command if a saved plan is not true any more, or is to do what it holds.
    ///
    /// - Parameter proposal: the whole plan, as `plan` saves it: with what guards leave out.
    private func check(_ proposal: Proposal, _ state: KnownState) throws {
        guard let saved = request.saved else { return }
        let mayBeEarly = request.dryRunSample != nil || context.destination.endpoint.isLoopback
        try saved.check(
            against: document(of: proposal), spent: state.recorded.spentPlans, now: request.now(),
            mayBeEarly: mayBeEarly)
        if let held = proposal.plan.held.first(where: request.guards.overrides.release) {
            throw CommandFailure(
                .usage, "a saved plan cannot be overridden when it is applied, and this one holds \(held.occurrence)",
                help: "leave out the plan: '\(held.command)' makes a new one with the override")
        }
    }

    // MARK: The account

    /// Where the report is written.
    var reportPath: String { request.reportPath ?? "\(context.state.reports)/\(request.id).json" }

    /// Why a finished run is not a success.
    ///
    /// - Parameter hasReport: whether its report was written.
    func failure(of report: Report, hasReport: Bool = true, signal: Int32) -> CommandFailure? {
        CommandFailure(
            report, in: hasReport ? reportPath : nil, at: context.destination.endpoint, signal: signal)
    }

    /// The report of a run that has not begun.
    func blankReport(_ work: PlannedWork) -> Report {
        var report = Report(
            run: request.id, plan: work.plan, planDigest: request.saved?.digest ?? work.document.digest,
            isDryRun: request.dryRunSample != nil, started: request.now(), endpoint: context.destination.kind,
            project: context.settings.project, version: Herald.version,
            gitCommit: GitCommit.current(at: context.files.folder.path),
            overrides: request.guards.overrides.entries.map(\.text))
        report.approval = request.approved?.plan.approval
        let overview = work.course.proposal.overview
        report.notes += overview.undecided + overview.leftOut.map { "left out by 'where': \($0.words)" }
        return report
    }

    /// A failure to write the metrics must not hide how the run ended.
    func writeMetrics(_ report: Report, _ drift: RecordedDrift?) {
        guard let path = request.metricsPath else { return }
        let isWell = report.result == .ok && !request.isUnfetched
        let success = isWell ? report.finished : MetricsFile.lastSuccess(in: path, project: report.project)
        let document = MetricsDocument(report, isWell: isWell, lastSuccess: success, lastDrift: drift)
        MetricsFile.write(document, to: path, console)
    }

    private func recordTest(_ report: Report, in store: (any StateStore)?) async throws {
        guard case .test(let campaign, _, _) = request.goal, let step = report.steps.first else { return }
        guard let store else { return console.info("herald: there is no state that could keep this test\n") }
        let test = RecordedTest(
            campaign: campaign.name.value, at: report.started, accepted: step.accepted, rejected: step.rejected,
            unknown: step.unknown)
        try await store.commit([.test(test)])
    }
}

extension Overrides.Entry {
    /// As typed on the command line.
    fileprivate var text: String { name.map { "\(kind.rawValue)=\($0)" } ?? kind.rawValue }
}
