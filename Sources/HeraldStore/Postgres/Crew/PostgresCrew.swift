internal import Foundation
package import HeraldCore

/// The crew of one process on a state in PostgreSQL. A thread of its own reads at short intervals what the others do,
/// and writes what this process does.
package final class PostgresCrew: Crew {
    let server: PostgresServer
    let board: CrewBoard
    /// The state as this process commits to it.
    package let store: any StateStore
    let database: PostgresStore
    /// The run that this process conducts, and the rate of its sends. `nil` if it helps.
    let conducting: (lease: RunLease, rate: Rate)?
    private let thread: CrewThread

    init(_ database: PostgresStore, _ board: CrewBoard, conducting: (lease: RunLease, rate: Rate)?) {
        (self.server, self.database, self.store) = (database.server, database, database)
        (self.board, self.conducting) = (board, conducting)
        thread = CrewThread(
            database.server, board, conducting, Fingerprinter(key: database.fingerprintKey))
    }

    /// Starts the thread.
    func begin() async throws {
        do { try await thread.begin() } catch {
            await disband()
            throw server.stateError(error)
        }
    }

    var times: LeaseTimes { board.times }

    package func view() -> CrewView { board.view() }

    package func adopt(_ share: Share, wants: Bool?) {
        board.withState { state in
            state.inUse = share
            if let wants { state.wants = wants }
        }
    }

    package func pause(_ job: JobID?, for length: Duration) {
        let end = times.now() + length
        board.withState { $0.pauses.append(.init(job: job, end: end)) }
        thread.wake()
    }

    package func dismiss(_ job: JobID?) { if conducting != nil, board.dismiss(job) { thread.wake() } }

    package func note(_ tally: Tally, in job: JobID) { board.withState { $0.parts[job]?.tally = tally } }

    /// Keeps a failure for the conductor's report. It is written together with the next commit.
    package func note(_ failure: Report.Failure) { board.note(failure) }

    /// Whether bytes may leave. It asks nobody.
    package var mayWrite: @Sendable () -> Bool { { [board] in board.mayWrite } }

    /// Whether the others take this process for dead.
    package var isLost: Bool { board.withState(\.isLost) }

    /// Why they do, if the state said so.
    package var loss: StateError? { board.withState(\.loss) }

    /// Why there will be nothing to help with in this state. `nil` while there may be.
    package var ending: StateError? { board.withState(\.ending) }

    /// Ends the thread. Nothing may start any more.
    package func disband() async { await thread.end() }
}
