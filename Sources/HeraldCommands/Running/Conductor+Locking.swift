import HeraldCore
import HeraldStore

extension Conductor {
    /// The lock, and whether another run kept this one waiting for it. `nil` when another run works on the state and this
    /// one is to be skipped.
    func lock(_ ifLocked: LockedState) async throws -> (lock: any StateLock, hasWaited: Bool)? {
        let begin = ContinuousClock.now
        var isWaiting = false
        while true {
            do { return (try await context.state.lock(for: request.id), isWaiting) } catch let error as StateError {
                guard case .locked = error else { throw error }
                switch ifLocked {
                case .wait(let wait) where ContinuousClock.now < begin + wait:
                    if !isWaiting { console.info("herald: another run works on the state; waiting\n") }
                    isWaiting = true
                    if let signal = request.signals?.first, signal != 0 {
                        throw CommandFailure(.interrupted(signal: signal))
                    }
                    try await Task.sleep(for: .milliseconds(200))
                case .skip:
                    console.info("herald: another run works on the state; skipped\n")
                    return nil
                case .fail, .wait: throw error
                }
            }
        }
    }
}
