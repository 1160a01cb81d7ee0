internal import Foundation
internal import HeraldCore

/// What a conductor does for all: it divides the rates, and gives back what dead processes had claimed.
struct CrewKeeping {
    private let board: CrewBoard
    private let server: PostgresServer
    private let connection: PostgresConnection
    private let epoch: Int64
    private let fingerprints: Fingerprinter

    init(
        _ board: CrewBoard, _ server: PostgresServer, _ connection: PostgresConnection, epoch: Int64,
        _ fingerprints: Fingerprinter
    ) {
        (self.board, self.server, self.connection) = (board, server, connection)
        (self.epoch, self.fingerprints) = (epoch, fingerprints)
    }

    /// - Parameter rate: of the run's sends.
    func keep(_ rate: Rate) throws {
        guard let reading = board.withState(\.reading) else { return }
        let changes = changes(reading, rate)
        let gone = reading.workers.filter(\.isGone)
        let duties = CrewDuties(board, server, connection)
        let isTold = duties.isNew || hasNewTallies(reading)
        guard !changes.isEmpty || !gone.isEmpty || isTold else { return }
        let transaction = PostgresTransaction.writing(on: connection, until: .now + board.times.renewal)
        try transaction.checkEpoch(epoch)
        try duties.tell { news in
            for statement in news + tallies() { transaction.run(statement) }
            for (worker, holding) in changes {
                let grows = holding.share > worker.holding.share
                transaction.run(holding.statement(worker.id, worker.revision, grows: grows))
            }
            for worker in gone { try bury(worker, transaction) }
            try transaction.commit()
        }
    }

    private func changes(_ reading: CrewReading, _ rate: Rate) -> [(CrewReading.Worker, ShareHolding)] {
        // One that has given up something in this transaction gets a new revision, and nothing else until the next.
        let holdings = reading.workers.map { worker in
            var holding = worker.holding
            if worker.isGone { holding.wants = false }
            return holding
        }
        let changed = ShareBook.changes(holdings, rate: reading.rate(of: rate))
        return changed.compactMap { holding in
            reading.workers.first { $0.id.uuidString == holding.holder }.map { ($0, holding) }
        }
    }

    /// The guards of other processes judge what this one counted, too.
    private func tallies() -> [PostgresStatement] { board.withState { $0.parts.values.map(\.statement) } }

    private func hasNewTallies(_ reading: CrewReading) -> Bool {
        board.withState { state in
            state.parts.contains { job, part in
                reading.job(job)?.parts.first { $0.id == part.id }.map { $0.tally != part.tally } ?? false
            }
        }
    }

    /// Ends a process whose lease has ended, or whose row cannot be. That waits for its commits that have begun, and no
    /// other follows. A process that lives joins anew.
    private func bury(_ worker: CrewReading.Worker, _ transaction: PostgresTransaction) throws {
        let gone = try transaction.fetch(
            "DELETE FROM @worker WHERE id = $1 AND NOT conducts AND ($2 OR ends <= clock_timestamp()) RETURNING id",
            .uuid(worker.id), .bool(worker.isImpossible))
        guard gone.count > 0 else { return }
        let parts = try transaction.fetch(
            "SELECT id FROM @job_part WHERE worker = $1 AND NOT has_left", .uuid(worker.id))
        for row in parts.all { try JobPart(id: row.int(0)).giveBack(fingerprints, in: transaction) }
    }
}

extension PostgresTransaction {
    /// Throws if another run has the state, or the server failed over. Until the end of the transaction no run can take
    /// it.
    func checkEpoch(_ epoch: Int64) throws {
        let rows = try fetch(
            "SELECT 1::bigint FROM @lease WHERE epoch = $1 AND NOT @has_failed_over() FOR KEY SHARE", .int(epoch))
        guard rows.count > 0 else { throw StateError.leaseLost(holder: "") }
    }
}
