import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Logging

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
        let stamp = begin.rfc3339.filter { $0 != "-" && $0 != ":" }
        runID = "\(stamp)-\(UUID().uuidString.lowercased().prefix(4))"
    }

    func run() async throws {
        if session.endpoint == .fcm {
            throw console.end(
                .wrong,
                "this version cannot sign in to Google; start 'herald emulator' and set FCM_EMULATOR_HOST to what it prints"
            )
        }
        let lock: RunLock?
        let store: any StateStore
        if command.dryRun {
            lock = nil
            store = try await storeForDryRun()
        } else {
            let record = try recordOrNew()
            lock = try acquireLock()
            store = record
        }
        defer { withExtendedLifetime(lock) {} }
        let saved = try savedPlan()
        let (plan, desired) = try await session.plan(with: store, at: saved?.at ?? now(), campaigns: command.campaign)
        let document = PlanDocument(plan, id: saved?.id ?? runID, created: now())
        if let saved { try await check(saved, against: document, store) }
        if !console.isQuiet { console.result(document.text(console.output)) }
        let refusals = plan.refusals.filter { !overrides.allow($0.kind, for: $0.name) }
        if !refusals.isEmpty {
            for refusal in refusals {
                console.error(
                    "herald: guard \(refusal.kind.rawValue): \(refusal.message); to allow it: \(refusal.override)\n")
            }
            throw ExitStatus.refused.code
        }
        if plan.isEmpty {
            try await remember(desired, in: store)
            return
        }
        guard saved != nil || command.autoApprove || command.dryRun || console.confirms("Do it?") else {
            throw console.end(.wrong, "not approved; without a terminal, --auto-approve or a saved plan is needed")
        }
        let (report, signal) = try await execute(plan, document, saved, desired, store)
        try end(report, signal)
    }

    // MARK: The record

    private func recordOrNew() throws -> SQLiteStore {
        if let store = try session.openStore() { return store }
        guard
            command.autoApprove || command.plan != nil
                || console.confirms("There is no record at \(session.statePath). Make one?")
        else {
            throw console.end(.wrong, "there is no record at \(session.statePath); --auto-approve makes one")
        }
        do {
            return try SQLiteStore.create(at: session.statePath, identity: session.newIdentity(created: now()))
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

    /// A copy in memory of what a dry run needs of the record.
    private func storeForDryRun() async throws -> MemoryStore {
        guard let store = try session.openStore() else {
            return MemoryStore(
                Record(identity: session.newIdentity(created: now())),
                fingerprintKey: (0..<32).map { _ in UInt8.random(in: 0...255) })
        }
        do {
            let known = try await store.recipients(for: Resolver.keys(in: session.workspace))
            return MemoryStore(
                try await store.record(),
                registrations: Dictionary(known.values.map { ($0.id, $0.registration) }) { first, _ in first },
                fingerprintKey: store.fingerprintKey)
        } catch let error as StateError {
            throw console.end(error)
        }
    }

    private func remember(_ desired: Desired, in store: any StateStore) async throws {
        do {
            if try await store.record().audienceSizes != desired.audienceSizes {
                try await store.commit([.audienceSizes(desired.audienceSizes)])
            }
        } catch let error as StateError {
            throw console.end(error)
        }
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

    private func check(_ saved: SavedPlan, against document: PlanDocument, _ store: any StateStore) async throws {
        do {
            let record = try await store.record()
            do throws(SavedPlan.Problem) {
                try saved.check(against: document, record, now: now())
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
        case .used: console.end(.stalePlan, "the plan was applied before")
        case .stale: console.end(.stalePlan, "the files or the record changed since the plan was saved; plan again")
        }
    }

    // MARK: The run

    private func execute(
        _ plan: Plan, _ document: PlanDocument, _ saved: SavedPlan?, _ desired: Desired, _ store: any StateStore
    ) async throws -> (Report, signal: Int32) {
        let client: FCMClient
        let files: RunFiles
        do {
            client = try FCMClient(
                endpoint: session.endpoint, project: session.workspace.settings.project,
                timeout: session.fcmSettings.timeout, certificateAuthorities: session.certificateAuthorities,
                logger: Logger(label: "herald.client", factory: { _ in SwiftLogNoOpLogHandler() }))
            files = try RunFiles(
                run: runID, statePath: session.statePath, report: command.report, receipts: command.receipts)
        } catch let error as FCMClientError {
            throw console.end(.wrong, error.description)
        } catch {
            throw console.end(.wrong, "the report cannot be written")
        }
        let report = newReport(document)
        do {
            try files.save(report)
        } catch {
            throw console.end(.wrong, "the report cannot be written to \(files.reportPath)")
        }
        let signals = Signals.listen()
        let surroundings = Executor<ContinuousClock>.Surroundings(
            store: store, sender: client, clock: ContinuousClock(), now: now,
            fingerprints: Fingerprinter(key: store.fingerprintKey, reveals: session.common.revealsRegistrations),
            isStopping: { signals.first != 0 },
            observe: { try? files.save($0) },
            receive: { files.receive($0, $1, $2) },
            note: { files.note($0, $1) })
        let options = Executor<ContinuousClock>.Options(
            fcm: session.fcmSettings, guards: session.workspace.settings.guards, overrides: overrides,
            dryRunSample: command.dryRun ? command.sample?.count ?? 100 : nil)
        do {
            try await store.commit([.intern(desired.unrecorded)] + (saved.map { [.spendPlan($0.id)] } ?? []))
            let finished = try await Executor.run(plan, options, in: surroundings, report: report)
            if finished.result == .ok { try await store.commit([.audienceSizes(desired.audienceSizes)]) }
            await client.shutdown()
            try files.save(finished)
            if !console.isQuiet {
                console.result("\n" + ReportDocument(finished).text(console.output))
                console.info("Report: \(files.reportPath)\n")
            }
            return (finished, signals.first)
        } catch let error as StateError {
            await client.shutdown()
            throw console.end(error)
        } catch {
            throw console.end(.wrong, "the report cannot be written to \(files.reportPath)")
        }
    }

    /// Exits as the contract has it; of several reasons the first of: interrupted, unknown, refused, failed.
    private func end(_ report: Report, _ signal: Int32) throws {
        switch report.result {
        case .interrupted: throw ExitCode(128 + signal)
        case .unknown:
            throw console.end(
                .unknown,
                "it is unknown whether some sends arrived; they are held and not sent again, see 'herald state show'")
        case .refused: throw console.end(.refused, "a guard stopped a step; the report says which")
        case .failed, .running: throw console.end(.failed, "not everything succeeded; the report lists what did not")
        case .ok: return
        }
    }

    private func newReport(_ document: PlanDocument) -> Report {
        Report(
            run: runID, plan: document.plan, planDigest: document.digest, isDryRun: command.dryRun, started: now(),
            endpoint: session.endpointKind, project: session.workspace.settings.project, version: Herald.version,
            overrides: command.overrides)
    }
}
