import Synchronization

/// Writes one call to the journal, at most once.
final class Keeping: Sendable {
    private let call: Call
    private let state = Mutex(State())

    private struct State {
        var isKept = false
        var failure: FileError?
    }

    init(_ call: Call) { self.call = call }

    /// Writes the call down the first time, and does nothing after that.
    func once(_ write: (Call) throws(FileError) -> Void) {
        state.withLock { state in
            guard !state.isKept else { return }
            state.isKept = true
            do throws(FileError) { try write(call) } catch { state.failure = error }
        }
    }

    /// The answer if the call could not be written. `nil` if it could.
    var failure: Answer? { state.withLock(\.failure).map(Answer.cannotKeep) }
}

extension Answer {
    /// The answer to a call that a restart would undo.
    static func cannotKeep(_ error: FileError) -> Answer {
        GoogleError(status: .internal, message: "The emulator's data cannot be written: \(error)").answer
    }
}
