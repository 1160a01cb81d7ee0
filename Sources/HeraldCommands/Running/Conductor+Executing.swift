import FCM
import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// Carries out a plan: the client, the report files, and the state's changes before and after.
extension Conductor {
    /// - Parameter state: Consumed, so that a large state does not stay in memory during the run.
    func execute(
        _ work: PlannedWork, from state: consuming KnownState, under lock: (any StateLock)?, _ signals: Signals,
        _ watch: FileWatch
    ) async throws -> Report {
        let machine = context.machine
        let connection = try machine.connect(
            context.destination, context.settings, lock?.mayWrite, context.common.logger)
        connection.warning.map(console.info)
        do {
            try await connection.checkCredentials { await signals.insistence(by: machine.clock) }
            try await checkFirstRun(work, state.recorded, over: connection) {
                await signals.insistence(by: machine.clock)
            }
            let report = try await execute(
                work, from: state, over: connection.sender, under: lock, signals, watch, by: machine.clock)
            await connection.shutdown()
            return report
        } catch {
            await connection.shutdown()
            throw error
        }
    }

    private func execute(
        _ work: PlannedWork, from state: consuming KnownState, over sender: any Sender,
        under lock: (any StateLock)?, _ signals: Signals, _ watch: FileWatch, by clock: some Clock<Duration>
    ) async throws -> Report {
        if case .listed(let lists) = work.recipients { try Self.prepare(lists.desired.rows, for: work.plan) }
        let blank = blankReport(work)
        let files = try openFiles(blank)
        request.events?.plan(blank, held: work.plan.held)
        // A new state is created only now, when nothing else can be wrong.
        let store = try await openStore(work, state)
        let progress = ProgressDisplay(on: console)
        var surroundings = surroundings(
            work, store, sender, files, progress, under: lock, signals, watch, clock)
        surroundings.followsUp = context.workspace.goesByOutcomes
        surroundings.end = { await noteHalt($0, in: store, under: lock, started: blank.started) }
        if isReal, !context.settings.webhooks.isEmpty {
            surroundings.news = { [identity = state.recorded.identity] missed, changes in
                try await tellingMissed(missed, with: changes, in: store, identity, started: blank.started)
            }
        }
        tellCap(of: sender, for: work.plan)
        let begin = StateChange.begunRun(BegunRun(run: blank.run, started: blank.started))
        let sizes = work.course.opening(recorded: state.recorded.audienceSizes)
        let notes =
            (request.saved.map { [.spendPlan($0.id)] } ?? [])
            + (isReal ? state.applying + sizes + [begin, .newStamp()] : [])
            + tellingBegin(state.recorded, at: blank.started)
        let earlier = state.recorded.lastRun
        var stamps: Stamps?
        let options = runOptions(under: lock)
        do {
            if !notes.isEmpty { try await store.commit(notes) }
            if isReal {
                let history = try await store.history()
                stamps = history.stamps
                witness(history)
            }
            if request.mode == .apply { surroundings.crew = try await lock?.gather(rate: options.fcm.rate) }
        } catch {
            // A run that has to stop by now starts nothing, and says so in its report.
            guard surroundings.stop() != nil else { throw error }
            console.error(CommandFailure(blaming: error).text)
        }
        let recorded = Self.begun(consume state, stamps, work)
        var report = try await work.course.carryOut(
            from: consume recorded, options, in: surroundings, report: blank, recording: isReal ? [.newStamp()] : nil
        ) { error in
            console.error("herald: the audiences' sizes could not be recorded\n")
            // If the disk is full, only this message names the place.
            console.error(CommandFailure(blaming: error).text)
        }
        progress.end()
        // A copy of the state that was made while the run worked lacks the second stamp, also if the run was stopped.
        if isReal, !report.isUnreachable, let history = try? await store.history() {
            report.state?.stamp = history.stamps.last
            witness(history)
        }
        if isReal, let end = self.end(of: report, after: earlier) {
            // For people only, so that a failure must not hide how the run ended.
            try? await store.commit(StateChange.end(of: end))
        }
        context.machine.reported(report)
        do {
            try files.save(report)
            let lacking = CommandFailure(unrecordedIn: report, at: files.reportPath)
            if let lacking { console.error(lacking.text) }
        } catch {
            console.error("herald: the report could not be written to \(files.reportPath)\n")
        }
        if !context.settings.webhooks.isEmpty, let now = try? await store.snapshot() {
            let proposal = await proposal(after: lists(of: work), in: store, now)
            await noteNews(of: report, proposal, in: store, now, files)
        }
        if !console.isQuiet {
            console.result("\n" + ReportDocument(report).text(console.output))
            console.info("Report: \(files.reportPath)\n")
        }
        return report
    }

    /// The state as the run begins with it.
    private static func begun(
        _ state: consuming KnownState, _ stamps: Stamps?, _ work: PlannedWork
    ) -> RecordedState {
        var recorded = state.recorded
        if let stamps { recorded.stamps = stamps }
        if case .listed(let lists) = work.recipients { recorded.apply(lists.desired.registrations.changes) }
        return recorded
    }

    /// Notes outside of the state what was committed to it.
    func witness(_ history: History) {
        context.witness(history, workspace: KnownState.place(of: context.files.folder.path))
    }

    /// Whether it works on the state itself, and not on a copy.
    var isReal: Bool {
        if case .workspace = request.goal { request.dryRunSample == nil } else { false }
    }

    private func runOptions(under lock: (any StateLock)?) -> RunOptions {
        RunOptions(
            fcm: context.destination.adapted(context.settings.fcm), guards: context.settings.guards,
            overrides: request.guards.overrides, mode: request.mode,
            resendDelay: lock?.resendTime.map { ContinuousClock.now.duration(to: $0) } ?? .zero)
    }

    private func surroundings<Time: Clock<Duration>>(
        _ work: PlannedWork, _ store: any StateStore, _ sender: any Sender, _ files: RunFiles,
        _ progress: ProgressDisplay, under lock: (any StateLock)?, _ signals: Signals, _ watch: FileWatch,
        _ clock: Time
    ) -> Executor<Time>.Surroundings {
        let lists = lists(of: work)
        return Executor<Time>.Surroundings(
            store: store, sender: sender, clock: clock, now: request.now,
            random: context.machine.random(),
            fingerprints: Fingerprinter(key: store.fingerprintKey, reveals: context.common.revealsRegistrations),
            // A run that lost the lock, or whose files changed, starts nothing more; the next run goes on.
            stop: { [mayWrite = lock?.mayWrite] in
                signals.stop ?? (mayWrite?() == false || watch.hasChanged ? .machine : nil)
            },
            halt: { await signals.insistence(by: clock) }, lookAgain: lookAgain(work, lists, store),
            others: others(work, store), rows: rows(work, lists),
            observe: { [reported = context.machine.reported, events = request.events] in
                try? files.save($0)
                progress.show($0)
                events?.note($0)
                reported($0)
            },
            begin: { [events = request.events] in events?.begin($0) },
            receive: files.receiver,
            note: { files.note($0, $1) })
    }

    /// Registrations to try when the one that counts is dead.
    private func others(_ work: PlannedWork, _ store: any StateStore) -> OtherRegistrations {
        guard case .listed(let lists) = work.recipients else { return OtherRegistrations() }
        return OtherRegistrations(of: lists.withOthers) { (try? await lists.others(of: $0, knownTo: store)) ?? [:] }
    }

    private func lists(of work: PlannedWork) -> RunLists? {
        guard case .listed(let lists) = work.recipients else { return nil }
        return RunLists(lists, of: context.files, at: context.state)
    }

    /// The rows for personal messages, as they were read with the lists.
    private func rows(
        _ work: PlannedWork, _ lists: RunLists?
    ) -> @Sendable (String, RecipientSet) throws -> [RecipientID: FieldValues] {
        switch work.recipients {
        case .named(_, let values): return { _, recipients in values.filter { recipients.contains($0.key) } }
        case .listed: return { campaign, recipients in try lists?.values(of: recipients, for: campaign) ?? [:] }
        }
    }

    /// Gathers the rows for a plan's personal messages before anything of it starts, so that a full disk does not end a
    /// send halfway.
    private static func prepare(_ rows: [String: PersonalRows], for plan: Plan) throws {
        for step in plan.steps where step.refusal == nil {
            if case .send(let send) = step.work { try rows[send.campaign]?.prepare() }
        }
    }

    /// Plans what came due since the plan was made. The lists are not read again: a recipient's number never changes.
    private func lookAgain(
        _ work: PlannedWork, _ lists: RunLists?, _ store: any StateStore
    ) -> (@Sendable (Date, [Plan.Send]) async -> Plan?)? {
        guard request.looksAgain, let lists else { return nil }
        let (files, scope) = (context.files, request.scope)
        let (course, console) = (work.course, console)
        let planned = context.machine.planned
        let told = Mutex<String?>(nil)
        return { now, underWay in
            guard let desired = try? await lists.desired(at: now, store: store),
                let recorded = try? await store.snapshot(),
                let proposal = try? files.proposal(
                    desired, from: KnownState(store: store, recorded: recorded), at: now, scope, underWay: underWay,
                    policy: .leaveOut)
            else { return nil }
            planned(proposal, course)
            let rest = course.rest(of: proposal)
            do { try Self.prepare(desired.rows, for: rest) } catch {
                // This does not stop the run. The next one finds what came due.
                let text = CommandFailure(blaming: error).text
                let isNew = told.withLock { told in
                    defer { told = text }
                    return told != text
                }
                if isNew { console.error(text) }
                return nil
            }
            return rest
        }
    }

    /// Tells how many outcomes could become unknown if the machine dies: FCM cannot be asked what was sent.
    private func tellCap(of sender: any Sender, for plan: Plan) {
        let requests = plan.steps.reduce(0) { sum, step in
            if case .send = step.work { sum + step.work.requests } else { sum }
        }
        guard requests > 0, request.dryRunSample == nil else { return }
        let cap = request.looksAgain ? sender.capacity : min(sender.capacity, requests)
        let (noun, outcomes) =
            cap == 1 ? ("request", "its outcome") : ("requests", "that many outcomes")
        console.info(
            "herald: at most \(cap.grouped) \(noun) in flight: \(outcomes) could become unknown if this machine dies\n"
        )
    }

    // MARK: What it works on

    private func openStore(_ work: PlannedWork, _ state: KnownState) async throws -> any StateStore {
        switch work.recipients {
        case .named(let registrations, _): return state.inMemory(registrations)
        case .listed(let lists):
            if let count = request.dryRunSample {
                let sample = work.plan.sample(count)
                return state.inMemory(
                    try await context.state.blamed { try await lists.registrations(of: sample, knownTo: state.store) })
            }
            let store = try await existingOrNew(state)
            try await record(work, in: store)
            return store
        }
    }

    /// Gives numbers to recipients that are new to the state: only a recipient with a number can be sent to or
    /// subscribed.
    func record(_ work: PlannedWork, in store: any StateStore) async throws {
        guard case .listed(let lists) = work.recipients else { return }
        try await context.state.blamed { try await lists.record(in: store) }
    }

    func existingOrNew(_ state: KnownState) async throws -> any StateStore {
        if let store = state.store { return store }
        return try await context.state.create(state.recorded.identity)
    }

    func openFiles(_ report: Report) throws -> RunFiles {
        if let path = request.reportPath { try FileKind.report.requireReplaceable(path) }
        if let path = request.receiptsPath { try FileKind.lines.requireReplaceable(path) }
        do {
            if request.reportPath == nil {
                try FileManager.default.createDirectory(
                    atPath: context.state.reports, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let files = try RunFiles(report: reportPath, receipts: request.receiptsPath, console)
            try files.save(report)
            return files
        } catch {
            let receipts = request.receiptsPath.map { " or the receipts to \($0)" } ?? ""
            let path = request.reportPath.map { " to \($0)" } ?? ""
            throw CommandFailure(
                .wrong, "the report cannot be written\(path)\(receipts)",
                help: "check that the folder exists and who may write there; nothing was sent")
        }
    }
}
