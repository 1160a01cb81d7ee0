import ArgumentParser
import FCM
import FCMClient
import Foundation
import HeraldCore

/// Carries out a plan: signals, client, report files, the state's changes before and after.
struct Execution {
    let session: Session
    let overrides: Overrides
    let now: @Sendable () -> Date
    let runID: String
    let reportPath: String?
    var receiptsPath: String?
    var dryRunSample: Int?
    /// Whether what FCM calls dead is left out from now on.
    var forgetsDead = true
    let signals: Signals
    /// What came due since the plan was made; absent where the plan is all that may be done.
    var lookAgain: (@Sendable (Date) async -> Plan?)?

    struct Finished {
        var report: Report
        /// Of the signal that ended it; 0 when none did.
        var signal: Int32
    }

    private var console: Console { session.console }

    static func newRunID(at begin: Date) -> String {
        let stamp = begin.rfc3339.filter { $0 != "-" && $0 != ":" }
        return "\(stamp)-\(UUID().uuidString.lowercased().prefix(4))"
    }

    /// - Parameters:
    ///   - first: written down before anything is done.
    ///   - last: written down at the end, when nothing hinders it.
    ///   - open: gives the state to work on, and may make it: it is called once nothing else can be wrong.
    func run(
        _ plan: Plan, _ report: Report, first: [StateChange], last: [StateChange],
        in open: () async throws -> any StateStore
    ) async throws -> Finished {
        let client = try session.client()
        if let refusal = await client.refusal() {
            await client.shutdown()
            throw console.end(.wrong, refusal)
        }
        let files: RunFiles
        let store: any StateStore
        do {
            files = try openFiles(report)
            store = try await open()
        } catch {
            await client.shutdown()
            throw error
        }
        let progress = ProgressDisplay(on: console)
        let surroundings = Executor<ContinuousClock>.Surroundings(
            store: store, sender: client.sender, clock: ContinuousClock(), now: now,
            fingerprints: Fingerprinter(key: store.fingerprintKey, reveals: session.common.revealsRegistrations),
            stop: { signals.stop }, halt: { await signals.insistence() }, lookAgain: lookAgain,
            observe: {
                try? files.save($0)
                progress.show($0)
            },
            receive: files.receiver,
            note: { files.note($0, $1) })
        var options = Executor<ContinuousClock>.Options(
            fcm: session.fcmSettings, guards: session.workspace.settings.guards, overrides: overrides,
            dryRunSample: dryRunSample)
        options.forgetsDead = forgetsDead
        tellCap(of: client.sender, for: plan)
        let finished: Report
        do {
            try await store.commit(first)
            finished = try await Executor.run(plan, options, in: surroundings, report: report)
        } catch let error as StateError {
            await client.shutdown()
            throw console.end(error)
        }
        await client.shutdown()
        progress.end()
        // From here on much was done: what fails now must not hide it.
        let isWhole = finished.result != .interrupted && !finished.isUnreachable
        do { try await store.commit(dryRunSample == nil && isWhole ? last : []) } catch {
            console.error("herald: the audiences' sizes could not be recorded\n")
            // Of a disk that is full only this names the place.
            if let error = error as? StateError { _ = console.end(error) }
        }
        do { try files.save(finished) } catch {
            console.error("herald: the report could not be written to \(files.reportPath)\n")
        }
        if !console.isQuiet {
            console.result("\n" + ReportDocument(finished).text(console.output))
            console.info("Report: \(files.reportPath)\n")
        }
        return Finished(report: finished, signal: signals.first)
    }

    /// Says how many outcomes a machine that dies could leave unknown: what is sent cannot be asked for again.
    private func tellCap(of sender: any Sender, for plan: Plan) {
        let requests = plan.steps.lazy.filter { $0.work.action == "send" }.map(\.work.requests).reduce(0, +)
        guard requests > 0, dryRunSample == nil else { return }
        let cap = lookAgain == nil ? min(sender.capacity, requests) : sender.capacity
        console.info(
            "herald: at most \(cap.grouped) requests in flight: that many outcomes could become unknown if this machine dies\n"
        )
    }

    /// Accounts for a run that had nothing to do, where somebody asked for a report.
    func rest(_ report: Report) throws -> Report {
        var report = report
        (report.result, report.finished) = (report.outcome, now())
        if reportPath != nil { _ = try openFiles(report) }
        return report
    }

    private func openFiles(_ report: Report) throws -> RunFiles {
        do {
            let files = try RunFiles(
                run: runID, statePath: session.statePath, report: reportPath, receipts: receiptsPath)
            try files.save(report)
            return files
        } catch {
            let receipts = receiptsPath.map { " or the receipts to \($0)" } ?? ""
            throw console.end(
                .wrong, "the report cannot be written\(reportPath.map { " to \($0)" } ?? "")\(receipts)")
        }
    }

    /// Exits as the contract has it; of several reasons the first of: interrupted, unknown, refused, failed.
    func end(_ finished: Finished) throws {
        let report = finished.report
        switch report.result {
        case .interrupted: throw ExitCode(128 + finished.signal)
        case .unknown:
            throw console.end(
                .unknown,
                "some may or may not have got their message; they are held and not sent it again; "
                    + "'herald state resolve' settles it: \(unsettled(report))")
        case .refused: throw console.end(.refused, "a guard stopped a step; the report says which")
        case .failed, .running:
            if report.isUnreachable {
                let hint = session.endpoint.isLoopback ? "; is 'herald emulator' running there?" : ""
                let reason = report.steps.lazy.compactMap(\.stopped).first ?? "nothing answers"
                throw console.end(.failed, "\(session.endpoint): \(reason)\(hint)")
            }
            throw console.end(.failed, "not everything succeeded; the report lists what did not")
        case .ok: return
        }
    }

    private func unsettled(_ report: Report) -> String {
        let occurrences = report.steps.filter { $0.unknown > 0 }.compactMap(\.occurrence)
        return occurrences.prefix(3).joined(separator: ", ") + (occurrences.count > 3 ? ", …" : "")
    }
}
