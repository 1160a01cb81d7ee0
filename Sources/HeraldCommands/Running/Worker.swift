import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// A process that helps the runs of a state to send, until a signal comes.
struct Worker {
    let common: Common
    let settings: Settings
    let destination: Destination
    let server: PostgresServer
    let times: LeaseTimes
    let metricsPath: String?
    let signals: Signals

    private var console: Console { common.console }

    /// How often it looks for something to do. To look takes no request.
    private static let patience = Duration.milliseconds(100)
    /// How long it keeps away, if it was parted from the others within that time.
    private static let rest = Duration.seconds(2)

    private static let lookHere = "look at this machine's credential, clock and network, then start the worker again"

    func work() async throws {
        if let metricsPath { try FileKind.metrics.requireReplaceable(metricsPath) }
        try await checkCredentials()
        var run = WorkerRun(at: destination.kind, clock: ContinuousClock())
        var account = Account(project: settings.project)
        // The first try shows mistakes in the settings. Later the server may be away for a time.
        var crew = try await join()
        let cap = settings.fcm.maxInFlight.grouped
        console.info(
            "herald: waiting for a run on \(server.name); at most \(cap) requests in flight: that many outcomes could become unknown if this machine dies\n"
        )
        while true {
            let begin = ContinuousClock.now
            let end = await help(crew, &run, &account)
            await crew.disband()
            write(account, isWorking: false)
            if let end { throw end }
            if let reason = crew.ending { throw reason }
            tellParting(crew.loss)
            // What parted it so soon may do so again.
            let isSoon = ContinuousClock.now - begin < Self.rest
            crew = try await joinEventually(after: isSoon ? Self.rest : .zero)
        }
    }

    private func checkCredentials() async throws {
        let connection = try Connection(to: destination, settings, mayWrite: nil, logger: common.logger)
        connection.warning.map(console.info)
        do { try await connection.checkCredentials { await signals.insistence(by: common.machine.clock) } } catch {
            await connection.shutdown()
            throw error
        }
        await connection.shutdown()
    }

    private func join() async throws -> PostgresCrew {
        try await PostgresCrew.join(server, project: settings.project, endpoint: destination.kind, times: times)
    }

    private func joinEventually(after rest: Duration) async throws -> PostgresCrew {
        var rest = rest
        while true {
            if signals.first != 0 { throw CommandFailure(.interrupted(signal: signals.first)) }
            try await Task.sleep(for: rest)
            do { return try await join() } catch let error as StateError {
                guard case .inaccessible = error else { throw error }
                rest = .seconds(1)
            }
        }
    }

    // MARK: Helping

    /// Returns why the process ends. `nil` if it must join again.
    private func help(
        _ crew: PostgresCrew, _ run: inout WorkerRun<ContinuousClock>, _ account: inout Account
    ) async -> CommandFailure? {
        var left: Set<JobID> = []
        var isTold = false
        while !crew.isLost {
            if signals.first != 0 { return CommandFailure(.interrupted(signal: signals.first)) }
            write(account, isWorking: crew.hasConductor)
            guard let (job, send) = await next(in: crew, &left, &isTold) else {
                try? await Task.sleep(for: Self.patience)
                continue
            }
            do {
                let (report, end) = try await help(crew, job, send, &run)
                account.add(report)
                tell(report, send, end)
                switch end {
                case .over, .paused: break
                case .stopped: left.insert(job)
                case .interrupted: return CommandFailure(.interrupted(signal: signals.first))
                case .refused(let reason):
                    return CommandFailure(
                        .failed, "this process cannot send: \(reason); the others go on", help: Self.lookHere)
                }
            } catch {
                return CommandFailure(error)
                    ?? CommandFailure(.failed, "this process cannot send; the others go on", help: Self.lookHere)
            }
        }
        return nil
    }

    /// Something to do now. A job that cannot be read is left to the others, and people are told once.
    private func next(
        in crew: PostgresCrew, _ left: inout Set<JobID>, _ isTold: inout Bool
    ) async -> (job: JobID, send: SharedSend)? {
        do { return try await crew.nextJob(except: left) } catch let error as UnreadableJob {
            left.insert(error.job)
            if isTold { return nil }
            isTold = true
            console.error(
                """
                herald: this worker cannot read a send that a run shares; the others carry it out
                  help: install the same version of herald on all machines, then start the worker again

                """)
            return nil
        } catch {
            // The state did not answer, so there is nothing to do now.
            return nil
        }
    }

    private func help(
        _ crew: PostgresCrew, _ job: JobID, _ send: SharedSend, _ run: inout WorkerRun<ContinuousClock>
    ) async throws -> (report: StepReport, end: WorkerRun<ContinuousClock>.End) {
        var settings = settings
        settings.fcm.timeout = send.timeout
        let connection = try Connection(to: destination, settings, mayWrite: crew.mayWrite, logger: common.logger)
        let surroundings = Executor<ContinuousClock>.Surroundings(
            store: crew.store, sender: connection.sender, crew: crew, clock: ContinuousClock(), now: { Date() },
            fingerprints: Fingerprinter(key: crew.store.fingerprintKey), stop: { signals.stop },
            halt: { await signals.insistence(by: common.machine.clock) }, note: { _, failure in crew.note(failure) })
        let result = await run.work(on: job, send, in: surroundings)
        await connection.shutdown()
        return result
    }

    // MARK: Telling

    private func tellParting(_ loss: StateError?) {
        let reason =
            loss.map { ": \($0)" }
            ?? ", because it did not reach the state, its row there was changed, the run lost the lock, or the database failed over"
        console.error("herald: this process has no part in the run any more\(reason); joining again\n")
    }

    private func tell(_ report: StepReport, _ send: SharedSend, _ end: WorkerRun<ContinuousClock>.End) {
        var text = "\(send.occurrence): \(report.accepted.grouped) accepted, \(report.rejected.grouped) rejected"
        if report.unknown > 0 { text += ", \(report.unknown.grouped) unknown" }
        switch end {
        case .stopped(let reason): text += "; stopped: \(reason)"
        case .paused: text += "; the campaign is paused"
        case .over, .refused, .interrupted: break
        }
        console.info("herald: \(text)\n")
    }

    /// A failure to write the metrics must not end the work.
    private func write(_ account: Account, isWorking: Bool) {
        guard let metricsPath else { return }
        let text = MetricsDocument(ofWorker: account.tally, project: account.project, isWorking: isWorking, at: Date())
        try? PrivateFile.write(text.text, to: metricsPath, mode: 0o644)
    }

    /// What it did since it began.
    private struct Account {
        let project: String
        private(set) var tally = Tally()

        init(project: String) { self.project = project }

        mutating func add(_ report: StepReport) { tally = tally + report.tally }
    }
}
