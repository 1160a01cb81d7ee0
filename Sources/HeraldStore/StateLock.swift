package import HeraldCore

/// Keeps other runs away from a state: a kernel lock on a file, or a lease in PostgreSQL.
package protocol StateLock: Sendable {
    /// Runs `body` while no other run can work on the state, and lets others in when it ends.
    func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value

    /// Whether this process may still send and write; it asks nobody. `nil` if only the end of the process takes that
    /// away.
    var mayWrite: (@Sendable () -> Bool)? { get }

    /// Why it was lost, if more is known than that others may have it now.
    var loss: StateError? { get }

    /// Until then, requests of a run that lost the lock may still arrive. `nil` if there are none.
    var resendTime: ContinuousClock.Instant? { get }

    /// Lets other processes help this run to send. `nil` if none can.
    ///
    /// - Parameter rate: of the run's sends.
    func gather(rate: Rate) async throws -> (any Crew)?
}

extension StateLock {
    package var loss: StateError? { nil }

    package func gather(rate: Rate) async throws -> (any Crew)? { nil }
}
