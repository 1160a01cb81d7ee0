import HeraldCore
import HeraldStore

extension CommandContext {
    /// Moves the state to another place.
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
        return try await lock.hold { try await StateCopy.move(from: state, to: destination) }
    }
}
