import ArgumentParser
import Foundation
import HeraldCore
import HeraldStore

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply memberships and send whatever is due, without asking: what cron calls.",
        discussion: """
            Needs a state ('herald state init' or the first apply makes one). What a guard refuses is left out and the \
            rest is done. While it works it looks for sends that came due, and sends before it changes memberships that \
            no send waits for. Nothing to do is success.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("Stay, and do it again every so often: 30s, 5m.", valueName: "time"))
    var every: SpanArgument?

    @Option(help: "When another run works on the state: fail, skip, or wait=30s.")
    var ifLocked: Lockout = .fail

    @Option(
        help: ArgumentHelp("Write figures for Prometheus' textfile collector to this file.", valueName: "file"),
        completion: .file())
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Where to write the report (default: runs/ beside the state, when there was something to do).",
            valueName: "file"), completion: .file())
    var report: String?

    /// What becomes of a run that finds the state in use.
    enum Lockout: ExpressibleByArgument, Hashable {
        case fail, skip
        case wait(Duration)

        init?(argument: String) {
            switch argument {
            case "fail": self = .fail
            case "skip": self = .skip
            default:
                guard argument.hasPrefix("wait="), let wait = Duration(written: String(argument.dropFirst(5))) else {
                    return nil
                }
                self = .wait(wait)
            }
        }

        var defaultValueDescription: String { "fail" }
    }

    func validate() throws {
        if let every, every.duration < .seconds(1) { throw ValidationError("--every is at least 1s") }
    }

    func run() async throws {
        let common = Common(herald.common, options)
        let signals = Signals.listen(on: common.console)
        guard let every else { return try await once(common, signals) }
        while true {
            let begin = ContinuousClock.now
            // What goes wrong once, a file half written or a network that is away, may be right the next time.
            do { try await once(common, signals) } catch let code as ExitCode {
                if signals.first != 0 { throw code }
            }
            let next = begin + every.duration
            while ContinuousClock.now < next {
                if signals.first != 0 { throw ExitCode(128 + signals.first) }
                try await Task.sleep(for: min(.seconds(1), next - ContinuousClock.now))
            }
        }
    }

    private func once(_ common: Common, _ signals: Signals) async throws {
        let session = try Session.open(common, cache: cache.use)
        let runID = Execution.newRunID(at: Date())
        try session.requireState()
        guard let lock = try await lock(session, runID, signals) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard let store = try session.openStore() else {
            throw session.console.end(.missing(path: session.statePath))
        }
        let wanted = try await session.wanted(knownTo: store)
        // Numbers are given for good: what the lists say stays true while the run goes on.
        let desired = wanted.desired
        let planned = try await session.plan(desired, with: store, at: Date())
        let workspace = session.workspace
        let plan = planned.withholding(planned.refusals, in: workspace)
        for refusal in planned.refusals {
            session.console.error(
                "herald: guard \(refusal.kind.rawValue): \(refusal.message); left out; to allow it: herald apply \(refusal.override)\n"
            )
        }
        let document = PlanDocument(plan, id: runID, created: Date())
        let blank = Report(
            run: runID, plan: plan, planDigest: document.digest, isDryRun: false, started: Date(),
            endpoint: session.endpointKind, project: workspace.settings.project, version: Herald.version,
            gitCommit: GitCommit.current(at: session.folder.path))
        var execution = Execution(
            session: session, overrides: Overrides(), now: { Date() }, runID: runID, reportPath: report,
            signals: signals)
        if plan.isEmpty {
            // Whoever is known by a number needs not be looked for again by the next run.
            try await session.record(wanted, in: store)
            try await rest(session, plan, desired, store)
            writeMetrics(try execution.rest(blank), session.console)
            if !planned.refusals.isEmpty { throw ExitStatus.refused.code }
            return
        }
        if !session.console.isQuiet { session.console.result(document.text(session.console.output)) }
        execution.lookAgain = { now in
            guard let plan = try? await session.plan(desired, with: store, at: now) else { return nil }
            return plan.withholding(plan.refusals, in: workspace)
        }
        let finished = try await execution.run(
            plan, blank, first: [], last: plan.closing(at: Date(), sizes: desired.audienceSizes),
            in: {
                try await session.record(wanted, in: store)
                return store
            })
        writeMetrics(finished.report, session.console)
        try execution.end(finished)
    }

    /// With nothing to do at FCM, what the state is to know all the same.
    private func rest(
        _ session: Session, _ plan: Plan, _ desired: Desired, _ store: SQLiteStore
    ) async throws {
        do {
            try await store.commit(plan.bookkeeping + plan.closing(at: Date(), sizes: desired.audienceSizes))
        } catch let error as StateError {
            throw session.console.end(error)
        }
        for held in plan.held.prefix(10) {
            session.console.error("herald: \(held.occurrence) is held: \(held.reason); '\(held.resolve)'\n")
        }
        if plan.held.count > 10 {
            session.console.error("herald: \(plan.held.count - 10) more are held; 'herald plan' names them\n")
        }
        session.console.info("herald: nothing to do\n")
    }

    /// `nil` when another run works on the state and this one is to be skipped.
    private func lock(_ session: Session, _ runID: String, _ signals: Signals) async throws -> RunLock? {
        let begin = ContinuousClock.now
        var isWaiting = false
        while true {
            do {
                return try RunLock(for: session.statePath, run: runID)
            } catch let error as StateError {
                guard case .locked = error else { throw session.console.end(error) }
                switch ifLocked {
                case .wait(let wait) where ContinuousClock.now < begin + wait:
                    if !isWaiting { session.console.info("herald: another run works on the state; waiting\n") }
                    isWaiting = true
                    if signals.first != 0 { throw ExitCode(128 + signals.first) }
                    try await Task.sleep(for: .milliseconds(200))
                case .skip:
                    session.console.info("herald: another run works on the state; skipped\n")
                    return nil
                case .fail, .wait: throw session.console.end(error)
                }
            }
        }
    }

    /// What was done is done: that figures of it cannot be written must not hide how it ended.
    private func writeMetrics(_ report: Report, _ console: Console) {
        guard let metrics else { return }
        do {
            try PrivateFile.write(MetricsDocument(report).text, to: metrics, mode: 0o644)
        } catch {
            console.error("herald: the metrics could not be written to \(metrics)\n")
        }
    }
}

/// A span of time as workspaces write it: `250ms`, `90s`, `5m`.
struct SpanArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = Duration(written: argument) else { return nil }
        self.duration = duration
    }
}
