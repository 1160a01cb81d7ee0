import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// One `apply`, from the files to the exit code.
struct Application {
    let command: Apply
    let session: Session
    let overrides: Overrides
    /// The instant that counts as now, which `--at` may shift.
    let now: @Sendable () -> Date
    let runID: String

    var console: Console { session.console }

    init(_ command: Apply, _ session: Session) throws {
        self.command = command
        self.session = session
        overrides = Overrides(command.overrides) ?? Overrides()
        let begin = Date()
        if let at = command.at?.date {
            guard command.dryRun || session.endpoint.isLoopback else {
                throw session.console.end(
                    .usage, "--at is for a dry run or an endpoint on this machine, not for \(session.endpoint)")
            }
            now = { at.addingTimeInterval(Date().timeIntervalSince(begin)) }
        } else {
            now = { Date() }
        }
        runID = Execution.newRunID(at: begin)
    }

    func run() async throws {
        let saved = try savedPlan()
        // Before people are asked to override guards for a run that could not sign in.
        try session.account()
        // The lock comes first, so that what is planned is what the state has until the run ends.
        let lock = command.dryRun ? nil : try acquireLock()
        defer { withExtendedLifetime(lock) {} }
        let existing = try session.openStore()
        let days = saved?.days ?? PlanDocument.usualDays
        let campaigns = command.campaign.isEmpty ? saved?.campaigns ?? [] : command.campaign
        let wanted = try await session.wanted(knownTo: existing)
        let desired = wanted.desired
        let plan = try await session.plan(
            desired, with: existing, at: saved?.at ?? now(), campaigns: campaigns, days: days)
        let document = PlanDocument(
            plan, id: saved?.id ?? runID, created: now(), campaigns: campaigns, days: days)
        if let saved { try await check(saved, against: document, existing) }
        // Recurring campaigns count from the first apply, though there is nothing else to do.
        let isRemembered = existing != nil || !plan.bookkeeping.isEmpty
        let isChange = !plan.isEmpty || existing == nil && isRemembered
        let needsApproval = saved == nil && !command.autoApprove && !command.dryRun && isChange
        if !console.isQuiet || needsApproval {
            let overridden = Set(plan.refusals.filter { overrides.allow($0.kind, for: $0.name) }.map(\.kind.rawValue))
            console.result(document.text(console.output))
            if !overridden.isEmpty { console.info("Let through: \(overridden.sorted().joined(separator: ", "))\n") }
        }
        try checkGuards(plan)
        if needsApproval { try approve(hasState: existing != nil) }
        let execution = Execution(
            session: session, overrides: overrides, now: now, runID: runID, reportPath: command.report,
            receiptsPath: command.receipts,
            dryRunSample: command.dryRun ? command.sample?.count ?? Apply.usualSample : nil,
            signals: .listen(on: console))
        let report = newReport(document)
        if plan.isEmpty {
            if isRemembered, !command.dryRun {
                let store = try await store(existing, for: plan, wanted)
                try await session.record(wanted, in: store)
                try await settle(plan, desired, in: store)
            }
            _ = try execution.rest(report)
            return
        }
        let finished = try await execution.run(
            plan, report, first: saved.map { [.spendPlan($0.id)] } ?? [], last: closing(plan, desired),
            in: {
                let store = try await store(existing, for: plan, wanted)
                if !command.dryRun { try await session.record(wanted, in: store) }
                return store
            })
        try execution.end(finished)
    }

    private func checkGuards(_ plan: Plan) throws {
        for entry in overrides.entries {
            let isUsed = plan.refusals.contains {
                $0.kind == entry.kind && (entry.name == nil || entry.name == $0.name)
            }
            if !isUsed, !entry.kind.isOfRuns, let name = entry.name {
                console.info("herald: --override \(entry.kind.rawValue)=\(name) matches nothing in this plan\n")
            }
        }
        let refusals = plan.refusals.filter { !overrides.allow($0.kind, for: $0.name) }
        guard !refusals.isEmpty else { return }
        for refusal in refusals {
            console.error(
                "herald: guard \(refusal.kind.rawValue): \(refusal.message); to allow it: \(refusal.override)\n")
        }
        throw ExitStatus.refused.code
    }

    private func approve(hasState: Bool) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw console.end(.wrong, "not approved; without a terminal, --auto-approve or a saved plan is needed")
        }
        let state = hasState ? "" : " (and make the state \(session.statePath))"
        guard console.confirms("Do it\(state)?") else { throw console.end(.wrong, "not approved; nothing was done") }
    }

    // MARK: The state

    /// What the run works on: the state, a new one, or for a dry run a copy in memory.
    private func store(
        _ existing: SQLiteStore?, for plan: Plan, _ wanted: Wanted
    ) async throws -> any StateStore {
        do {
            if command.dryRun {
                let state = try await existing?.state() ?? RecordedState(identity: session.newIdentity(created: now()))
                let key = existing?.fingerprintKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
                let sample = plan.sample(command.sample?.count ?? Apply.usualSample)
                return MemoryStore(
                    state, registrations: try await wanted.registrations(of: sample, knownTo: existing),
                    fingerprintKey: key)
            }
            return try existing
                ?? SQLiteStore.create(at: session.statePath, identity: session.newIdentity(created: now()))
        } catch let error as RecipientIndexError {
            throw session.end(error)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    private func acquireLock() throws -> RunLock {
        do {
            return try RunLock(for: session.statePath, run: runID)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// What is written down although nothing is to be done at FCM.
    private func settle(_ plan: Plan, _ desired: Desired, in store: any StateStore) async throws {
        do {
            try await store.commit(plan.bookkeeping + closing(plan, desired))
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    /// What an apply leaves behind besides what its steps did.
    private func closing(_ plan: Plan, _ desired: Desired) -> [StateChange] {
        plan.closing(at: now(), sizes: desired.audienceSizes)
    }

    // MARK: A saved plan

    private func savedPlan() throws -> SavedPlan? {
        guard let path = command.plan else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw console.end(.wrong, "the plan \(path) cannot be read")
        }
        do {
            return try SavedPlan(reading: Array(bytes))
        } catch {
            throw refuse(error)
        }
    }

    private func check(_ saved: SavedPlan, against document: PlanDocument, _ store: SQLiteStore?) async throws {
        do {
            let spent = try await store?.state().spentPlans ?? []
            let mayBeEarly = command.dryRun || session.endpoint.isLoopback
            do throws(SavedPlan.Problem) {
                try saved.check(against: document, spent: spent, now: now(), mayBeEarly: mayBeEarly)
            } catch {
                throw refuse(error)
            }
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    private func refuse(_ problem: SavedPlan.Problem) -> ExitCode {
        switch problem {
        case .unreadable: console.end(.wrong, "the file is no plan of herald's")
        case .altered: console.end(.stalePlan, "the plan was altered after it was saved")
        case .expired(let instant): console.end(.stalePlan, "the plan expired at \(instant.rfc3339)")
        case .early(let instant): console.end(.stalePlan, "the plan is for \(instant.rfc3339), which has not come")
        case .used: console.end(.stalePlan, "the plan was applied before")
        case .stale: console.end(.stalePlan, "the files or the state changed since the plan was saved; plan again")
        }
    }

    // MARK: The run

    private func newReport(_ document: PlanDocument) -> Report {
        Report(
            run: runID, plan: document.plan, planDigest: document.digest, isDryRun: command.dryRun, started: now(),
            endpoint: session.endpointKind, project: session.workspace.settings.project, version: Herald.version,
            gitCommit: GitCommit.current(at: session.folder.path), overrides: command.overrides)
    }
}
