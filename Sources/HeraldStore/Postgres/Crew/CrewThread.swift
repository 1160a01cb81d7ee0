internal import Foundation
internal import HeraldCore
internal import Synchronization

/// The thread of a crew: it reads, and writes what is to be told.
final class CrewThread: Sendable {
    private let server: PostgresServer
    private let board: CrewBoard
    private let conducting: (lease: RunLease, rate: Rate)?
    private let fingerprints: Fingerprinter
    /// Ends a wait.
    private let bell = DispatchSemaphore(value: 0)
    private let isEnding = Atomic(false)
    private let thread = EndingThread()

    init(
        _ server: PostgresServer, _ board: CrewBoard, _ conducting: (lease: RunLease, rate: Rate)?,
        _ fingerprints: Fingerprinter
    ) {
        (self.server, self.board, self.conducting, self.fingerprints) = (server, board, conducting, fingerprints)
    }

    /// Throws if it cannot have its connection: nothing could start without it, and nobody would know why.
    func begin() async throws { try await thread.begin { self.keep($0) } }

    func wake() { bell.signal() }

    /// Returns once the thread is gone.
    func end() async {
        isEnding.store(true, ordering: .relaxed)
        wake()
        await thread.join()
    }

    private func keep(_ tell: (Result<Void, any Error>) -> Void) {
        let link = PostgresLink(server.parameters, schema: server.schema)
        let first = Result { try link.perform(until: server.patience()) { _, _ in } }
        tell(first)
        guard case .success = first else { return }
        var renewed = board.times.now()
        while !isEnding.load(ordering: .relaxed), !board.withState(\.isLost) {
            let begin = board.times.now()
            let isDue = begin - renewed >= board.times.renewal
            do {
                try link.perform(until: .now) { connection, _ in
                    connection.isStopped = { [lease = conducting?.lease] in lease?.standstill != nil }
                    if conducting == nil, isDue || CrewDuties(board, self.server, connection).isNew {
                        if isDue { try server.checkPlace(connection) }
                        try CrewDuties(board, server, connection).renew()
                        renewed = begin
                    }
                    board.take(try CrewReading(over: connection, server, board.times))
                    if let conducting { try conduct(conducting, over: connection) }
                }
            } catch {
                // A server that is away is asked again with the next reading.
                if conducting == nil { board.giveUp(after: server.stateError(error)) }
            }
            let rest = board.times.reading - begin.duration(to: board.times.now())
            _ = bell.wait(timeout: .now() + max(0.001, rest.seconds))
        }
        // The run's lease is over.
        if conducting?.lease.standstill != nil { return }
        try? link.perform(until: .now) { connection, _ in
            try CrewDuties(board, server, connection).goAway(isConductor: conducting != nil)
        }
    }

    private func conduct(_ run: (lease: RunLease, rate: Rate), over connection: PostgresConnection) throws {
        try CrewKeeping(board, server, connection, epoch: run.lease.epoch, fingerprints).keep(run.rate)
    }
}
