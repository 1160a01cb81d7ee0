import FCM
import Foundation
import HeraldCore
import HeraldStore

/// Asks FCM what registrations follow, while no run works on the state.
struct SurveyRun {
    let context: CommandContext
    let store: any StateStore
    var recorded: RecordedState
    let lock: any StateLock
    /// The name under which it has the lock, and writes.
    let id: String
    let signals: Signals

    private var console: Console { context.console }

    /// Takes the lock of the state, which must exist, and reads it.
    ///
    /// - Parameter name: the command's, for those who find the state locked.
    static func hold<Value>(
        _ context: CommandContext, for name: String, _ body: (SurveyRun) async throws -> Value
    ) async throws -> Value {
        try await context.state.require()
        let signals = context.machine.signals(context.console)
        let id = "\(name)-\(UUID().uuidString.lowercased().prefix(8))"
        let lock = try await context.state.lock(for: id)
        return try await lock.hold {
            let store = try await context.state.open(for: .changing)
            try await context.noteReported(of: store)
            let recorded = try await store.snapshot()
            return try await body(
                SurveyRun(context: context, store: store, recorded: recorded, lock: lock, id: id, signals: signals))
        }
    }

    func carryOut(_ survey: Survey) async throws -> SurveyReport {
        guard survey.count > 0 else { return SurveyReport(planned: 0) }
        let machine = context.machine
        let connection = try machine.connect(
            context.destination, context.settings, lock.mayWrite, context.common.logger)
        connection.warning.map(console.info)
        do {
            try await connection.checkCredentials { await signals.insistence(by: machine.clock) }
            let report = try await carryOut(survey, over: connection.sender, by: machine.clock)
            await connection.shutdown()
            return report
        } catch {
            await connection.shutdown()
            throw error
        }
    }

    private func carryOut<Time: Clock<Duration>>(
        _ survey: Survey, over sender: any Sender, by clock: Time
    ) async throws -> SurveyReport {
        let surroundings = Executor<Time>.Surroundings(
            store: store, sender: sender, clock: clock, now: context.machine.now, random: context.machine.random(),
            fingerprints: Fingerprinter(
                key: store.fingerprintKey, reveals: context.common.revealsRegistrations),
            stop: { [mayWrite = lock.mayWrite] in signals.stop ?? (mayWrite?() == false ? .machine : nil) },
            halt: { await signals.insistence(by: clock) })
        let options = RunOptions(fcm: context.settings.fcm, guards: context.settings.guards)
        var next = Self.betweenLines
        let begin = ContinuousClock.now
        return try await Surveyor(options, at: context.destination.kind, in: surroundings).carryOut(
            survey, from: recorded, as: id
        ) { report in
            guard begin.duration(to: .now) >= next else { return }
            next += Self.betweenLines
            console.info("herald: asked for \(report.figures.asked.count.grouped) of \(report.planned.grouped)\n")
        }
    }

    private static let betweenLines: Duration = .seconds(10)

    /// Why the command fails. `nil` if it does not.
    ///
    /// - Parameter unanswered: what the user does about registrations that could not be asked for.
    func failure(of report: SurveyReport, help unanswered: String) -> CommandFailure? {
        switch report.end {
        case .interrupted where signals.first != 0: return CommandFailure(.interrupted(signal: signals.first))
        case .interrupted:
            return CommandFailure(lost: lock, by: "this command", help: "run it again")
        case .impossible(let reason):
            return CommandFailure(.failed, "not everybody could be asked for: \(reason)", help: Self.look)
        case nil where !report.figures.failed.isEmpty:
            let failed = report.figures.failed.count
            return CommandFailure(
                .failed, "\(count(failed, "registration")) could not be asked for", help: unanswered)
        case nil: return nil
        }
    }

    /// Why the command fails if there are only dead ones. `nil` if somebody answered.
    func failure(ofNobodyIn report: SurveyReport, _ status: ExitStatus) -> CommandFailure? {
        let dead = report.figures.dead.count
        guard report.figures.answered == 0, dead > 0 else { return nil }
        return CommandFailure(
            status, "\(count(dead, "registration")) \(dead == 1 ? "looks" : "look") dead, and no other one answered",
            help: Guard.maxForgetPercent.remedy(for: []))
    }

    private static let look = "run 'herald doctor', then this command again"
}
