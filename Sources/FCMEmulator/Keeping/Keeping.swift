import Synchronization

/// One call's way into the journal.
final class Keeping: Sendable {
    private let call: Call
    private let state = Mutex(State())

    private struct State {
        var isKept = false
        var failure: FileError?
    }

    init(_ call: Call) { self.call = call }

    /// Writes the call down, the first time.
    func once(_ write: (Call) throws(FileError) -> Void) {
        state.withLock { state in
            guard !state.isKept else { return }
            state.isKept = true
            do throws(FileError) { try write(call) } catch { state.failure = error }
        }
    }

    /// What is answered where it could not be written down.
    var failure: Answer? { state.withLock(\.failure).map(Answer.cannotKeep) }
}

extension Answer {
    /// To a call that a restart would undo.
    static func cannotKeep(_ error: FileError) -> Answer {
        GoogleError(status: .internal, message: "The emulator's data cannot be written: \(error)").answer
    }
}
