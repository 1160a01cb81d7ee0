internal import FCM
internal import Foundation
package import HeraldCore

/// Sends that several processes share.
extension PostgresCrew {
    /// Some so many recipients are in one piece. A slice has four such pieces.
    private static let pieceSize = 1024
    /// The most pieces of one claim.
    private static let claimSize = 4

    package func share(_ send: SharedSend, to members: RecipientSet) async throws -> JobID {
        let pieces = members.pieces(of: min(Self.pieceSize, max(16, members.count / 64)))
        let (me, lease) = (board.id, database.workLease)
        _ = try await database.writing(under: lease) { transaction in
            let job = try transaction.fetch(
                """
                INSERT INTO @job (epoch, occurrence, body, rate, run_rate, begun)
                VALUES ($1, $2, $3, $4, $5, clock_timestamp() - $6 * interval '1 second') RETURNING id
                """, .int(lease?.epoch), .text(send.occurrence.rawValue), .text(send.json.compactText),
                .int(send.rate?.perSecond), .int(send.runRate.perSecond), .double(send.ramped.seconds))
            guard let id = try job.first?.int(0) else { throw StateDamage(detail: "a job got no number") }
            for first in stride(from: 0, to: pieces.count, by: 2000) {
                let some = pieces[first..<min(first + 2000, pieces.count)]
                transaction.run(
                    """
                    INSERT INTO @job_range (job, number, slice, bits)
                    SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bit varying[])
                    """, .int(id), .ints(some.indices.map { Int64($0) }), .ints(some.map(\.number)),
                    .bits(some.map(\.bits)))
            }
            transaction.run("INSERT INTO @job_part (job, worker) VALUES ($1, $2)", .int(id), .uuid(me))
        }
        return try await ownPart(in: send.occurrence, lease)
    }

    /// The job that this process has just shared.
    private func ownPart(in occurrence: OccurrenceID, _ lease: WorkLease?) async throws -> JobID {
        let me = board.id
        let (job, part) = try await database.reading { transaction in
            let rows = try transaction.fetch(
                """
                SELECT part.job, part.id FROM @job_part AS part JOIN @job AS known ON known.id = part.job
                WHERE known.occurrence = $1 AND known.epoch = $2 AND part.worker = $3 ORDER BY part.id DESC LIMIT 1
                """, .text(occurrence.rawValue), .int(lease?.epoch), .uuid(me))
            try transaction.commit()
            guard let row = rows.first else { throw StateError.leaseLost(holder: lease?.holder ?? "") }
            return (JobID(rawValue: try row.int(0)), try row.int(1))
        }
        board.withState { $0.parts[job] = .init(id: part, epoch: lease?.epoch ?? 0) }
        return job
    }

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
        try await database.reading { transaction in
            let (name, mark) = (PostgresValue.int(job.rawValue), PostgresValue.uuid(claim))
            let answers = try transaction.commit([
                PostgresStatement(
                    "SELECT slice, bits FROM @job_range WHERE job = $1 AND claim = $2 ORDER BY slice", name, mark),
                SliceTable.ledger.sets(
                    where: """
                        state = \(LedgerEntry.deferred.rawValue) AND occurrence = (
                            SELECT known.id FROM @occurrence AS known JOIN @job AS job ON job.occurrence = known.name
                            WHERE job.id = $1)
                        AND slice IN (SELECT slice FROM @job_range WHERE job = $1 AND claim = $2)
                        """, name, mark),
            ])
            let members = try answers[0].all.reduce(into: RecipientSet()) {
                $0.formUnion(try RecipientSet(slice: $1.int(0), $1.bits(1)))
            }
            let deferred = try SliceTable.ledger.partitions(answers[1]).values.first?[.deferred] ?? []
            return Claim(members: members, deferred: deferred.intersection(members))
        }
    }

    package func leave(_ job: JobID) async throws -> Settlement {
        guard let part = board.withState({ $0.parts[job] }) else { return Settlement() }
        defer { board.withState { $0.parts[job] = nil } }
        if conducting != nil { return try await end(job, part) }
        let fingerprints = Fingerprinter(key: database.fingerprintKey)
        _ = try await database.writing(under: workLease(part), as: helper) { transaction in
            try JobPart(id: part.id).giveBack(fingerprints, in: transaction)
        }
        return Settlement()
    }

    /// The process, if it helps.
    var helper: UUID? { conducting == nil ? board.id : nil }

    func workLease(_ part: CrewBoard.Part) -> WorkLease {
        WorkLease(holder: conducting?.lease.run ?? "", epoch: part.epoch)
    }
}

extension Rate {
    fileprivate var perSecond: Int64? { if case .limited(let limit) = self { Int64(limit) } else { nil } }
}

extension RecipientSet {
    /// Its slices, cut so that none has many more members than that.
    func pieces(of size: Int) -> [Slice] {
        slices.flatMap { slice -> [Slice] in
            var rest = slice.bits
            var pieces: [Slice] = []
            while true {
                var (piece, count) = ([UInt8](repeating: 0, count: Self.sliceBytes), 0)
                for place in rest.indices where rest[place] != 0 && count < size {
                    piece[place] = rest[place]
                    rest[place] = 0
                    count += piece[place].nonzeroBitCount
                }
                if count == 0 { return pieces }
                pieces.append(Slice(number: slice.number, bits: piece))
            }
        }
    }
}
