import Foundation
import HeraldCore
import HeraldStore

/// What must not overtake a request of a run that lost the lock.
extension CommandContext {
    func move(to destination: any StateLocation) async throws -> StateCopy.Result {
        let lock: any StateLock
        do {
            try await state.require()
            _ = try await state.open(for: .changing)
            lock = try await state.lock(for: "state-copy")
        } catch StateError.moved {
            // A sealed state cannot be locked. An earlier call of this command may have been interrupted.
            return try await StateCopy.move(from: state, to: destination)
        }
        return try await lock.hold {
            // The new place would count as the right one, and the original may still be in use.
            if try await state.hasMoved() { throw StateError.elsewhere(path: state.name) }
            // The lock is not copied, so in the new place nothing would keep a message from being sent again too early.
            if lock.resendTime != nil, try await hasUnknown() { try lock.refuseOvertaking("run the command again") }
            let (history, lost) = try await leaveStamp()
            let (folder, console) = (destination.reports, console)
            return try await StateCopy.move(from: state, to: destination) {
                Witness.note(history, lost: lost, in: folder, console)
            }
        }
    }

    /// Leaves a stamp where the state was, so that a backup from before the move is found out if somebody puts it back
    /// there.
    ///
    /// - Returns: The state's stamps, and one that it lacks: where it goes, nothing else says that it went back.
    private func leaveStamp() async throws -> (history: History, lost: Stamp?) {
        let store = try await state.open(for: .changing)
        try await commit([], to: store)
        // Read after that, so that it has what only a report told.
        let known = try await KnownState.read(
            from: state, for: .changing, at: machine.now(), filesIn: files.folder.path)
        return (try await store.history(), known.lostStamp)
    }

    /// Whether there is anybody whom a message may be sent again.
    private func hasUnknown() async throws -> Bool {
        let recorded = try await state.open(for: .changing).snapshot()
        return recorded.occurrences.values.contains { $0.counts.uncertain > 0 }
    }
}

extension StateLock {
    /// Throws while requests of a run that lost the lock may still arrive.
    ///
    /// - Parameter advice: what to do once that is over.
    func refuseOvertaking(_ advice: String) throws {
        guard let resendTime else { return }
        let rest = ContinuousClock.now.duration(to: resendTime)
        guard rest > .zero else { return }
        let (seconds, time) = (Int(rest.seconds.rounded(.up)), Date().addingTimeInterval(rest.seconds.rounded(.up)))
        throw CommandFailure(
            .wrong, "requests of the run that lost the lock may still reach FCM",
            help: "\(advice) in \(seconds) s, from \(time.rfc3339) on")
    }
}
