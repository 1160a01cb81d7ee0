internal import FCM
internal import Foundation
package import HeraldCore

/// How a process takes its part in a send that several share.
extension PostgresCrew {
    /// The most pieces of one claim.
    private static let claimSize = 4

    package func claim(in job: JobID) async throws -> Claim {
        guard let part = board.withState({ $0.parts[job] }) else { return Claim() }
        let (claim, name) = (UUID(), PostgresValue.int(job.rawValue))
        let helpers = board.withState { $0.reading?.workers.count ?? 1 }
        let taken = """
            WITH size AS (SELECT count(*) AS free FROM @job_range WHERE job = $1 AND part IS NULL),
            taken AS (
                SELECT number FROM @job_range WHERE job = $1 AND part IS NULL ORDER BY number
                LIMIT (SELECT greatest(1, least(\(Self.claimSize), free / $4)) FROM size) FOR UPDATE SKIP LOCKED)
            UPDATE @job_range AS range SET part = $2, claim = $3 FROM taken
            WHERE range.job = $1 AND range.number = taken.number
            """
        _ = try await database.writing(under: workLease(part), as: helper) { transaction in
            transaction.run(taken, name, .int(part.id), .uuid(claim), .int(2 * max(1, helpers)))
            transaction.run(
                """
                UPDATE @job_part SET claimed = claimed + (
                    SELECT coalesce(sum(@weight(bits)), 0) FROM @job_range WHERE job = $1 AND claim = $3)
                WHERE id = $2
                """, name, .int(part.id), .uuid(claim))
        }
        return try await read(claim, in: job)
    }

    private func read(_ claim: UUID, in job: JobID) async throws -> Claim {
        try await database.reading { [isHelper = helper != nil] transaction in
            let (name, mark) = (PostgresValue.int(job.rawValue), PostgresValue.uuid(claim))
            let answers = try transaction.commit([
                // A conductor has the lists.
                PostgresStatement(
                    """
                    SELECT range.slice, range.bits, piece.body FROM @job_range AS range
                    LEFT JOIN @job_row AS piece ON piece.job = range.job AND piece.number = range.number AND $3
                    WHERE range.job = $1 AND range.claim = $2 ORDER BY range.slice
                    """, name, mark, .bool(isHelper)),
                Self.deferred(in: "claim = $2", [name, mark]),
            ])
            var claim = Claim()
            for row in answers[0].all {
                let slice = try row.int(0)
                let members = try RecipientSet(slice: slice, row.bits(1))
                claim.members.formUnion(members)
                let rows = try row.optionalBytes(2).flatMap { PieceRows.read($0, ofSlice: slice) } ?? [:]
                for (id, values) in rows where members.contains(id) { claim.rows[id] = values }
            }
            let deferred = try SliceTable.ledger.partitions(answers[1]).values.first?[.deferred] ?? []
            claim.deferred = deferred.intersection(claim.members)
            return claim
        }
    }

    /// Whom FCM refused for now of a job's occurrence, in the slices of some of the job's ranges.
    ///
    /// - Parameters:
    ///   - ranges: which ones, in SQL.
    ///   - values: the job's number first.
    static func deferred(in ranges: String, _ values: [PostgresValue]) -> PostgresStatement {
        var statement = SliceTable.ledger.sets(
            where: """
                state = \(LedgerEntry.deferred.rawValue) AND occurrence = (
                    SELECT known.id FROM @occurrence AS known JOIN @job AS job ON job.occurrence = known.name
                    WHERE job.id = $1)
                AND slice IN (SELECT slice FROM @job_range WHERE job = $1 AND \(ranges))
                """)
        statement.values = values
        return statement
    }

    package func leave(_ job: JobID) async throws -> Settlement {
        guard let part = board.withState({ $0.parts[job] }) else { return Settlement() }
        defer { board.withState { $0.parts[job] = nil } }
        if conducting != nil { return try await end(job, part) }
        let fingerprints = Fingerprinter(key: database.fingerprintKey)
        do {
            _ = try await database.writing(under: workLease(part), as: helper) { transaction in
                try JobPart(id: part.id).giveBack(fingerprints, in: transaction)
            }
        } catch {
            // Otherwise the conductor would wait for recipients that nobody sends to. Once this process is gone, it takes
            // them back.
            board.lose(after: server.stateError(error))
            throw error
        }
        return Settlement()
    }

    /// The process, if it helps.
    var helper: UUID? { conducting == nil ? board.id : nil }

    func workLease(_ part: CrewBoard.Part) -> WorkLease {
        WorkLease(holder: conducting?.lease.run ?? "", epoch: part.epoch)
    }
}
