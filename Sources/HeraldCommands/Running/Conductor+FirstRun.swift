import Foundation
import HeraldCore

/// What is checked before a state's first message is sent.
extension Conductor {
    /// Ends the command if the credential, the project or the clock is wrong. Later runs are not checked: a wrong
    /// setting stops one step of them, and their state is no longer empty.
    ///
    /// - Parameter halt: returns when nobody wants to wait for the answers any more. Then nothing is sent afterwards.
    func checkFirstRun(
        _ work: PlannedWork, _ state: RecordedState, over connection: Connection,
        until halt: @escaping @Sendable () async -> Void
    ) async throws {
        guard request.mode == .apply, connection.signsIn, state.hasNeverSent, work.plan.sends else { return }
        // The clock is judged by its real time, also with `--at`.
        let calls = Calls(context: context, proxy: nil, now: context.machine.now)
        let results = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await halt()
                if !Task.isCancelled { await connection.shutdown() }
            }
            defer { group.cancelAll() }
            return await calls.shortResults(over: connection)
        }
        // A server that cannot be reached now is waited for, as in every run.
        guard let error = results.first(where: { $0.outcome == .error && $0.check != .endpoint }) else { return }
        throw CommandFailure(
            .wrong, "\(error.found); nothing was sent",
            help: "\(error.fix ?? "") 'herald doctor' looks at everything.")
    }
}

extension RecordedState {
    /// Whether no message was ever sent from this state, as far as it knows.
    fileprivate var hasNeverSent: Bool { occurrences.isEmpty && tests.isEmpty }
}

extension Plan {
    /// Whether a message would go to somebody.
    fileprivate var sends: Bool {
        steps.contains { if case .send(let send) = $0.work { !send.members.isEmpty } else { false } }
    }
}
