internal import FCM
internal import Foundation
package import HeraldCore

/// How a conductor lets others send with it.
extension PostgresCrew {
    /// About how many recipients are in one piece. A slice has four such pieces.
    private static let pieceSize = 1024

    package func share(_ send: SharedSend, to members: RecipientSet, rows: RowReader?) async throws -> JobID {
        let job = try await prepare(send)
        do {
            let pieces = members.pieces(of: min(Self.pieceSize, max(16, members.count / 64)))
            var block = PieceBlock()
            for (number, piece) in pieces.enumerated() {
                try block.add(piece, number: number, rows)
                guard block.isFull || number == pieces.count - 1 else { continue }
                try await write(block, of: job)
                block = PieceBlock()
            }
            try await open(job)
        } catch {
            // Nobody works on it.
            _ = try? await database.writing(under: database.workLease) { transaction in
                transaction.run("DELETE FROM @job WHERE id = $1", .int(job.rawValue))
            }
            throw error
        }
        return job
    }

    /// Makes a job that nobody sees before it is open.
    private func prepare(_ send: SharedSend) async throws -> JobID {
        let lease = database.workLease
        let number = try await database.writing(under: lease) { transaction in
            let rows = try transaction.fetch(
                """
                INSERT INTO @job (epoch, occurrence, body, rate, run_rate, begun)
                VALUES ($1, $2, $3, $4, $5, clock_timestamp() - $6 * interval '1 second') RETURNING id
                """, .int(lease?.epoch), .text(send.occurrence.rawValue), .text(send.json.asciiText),
                .int(send.delivery.rate?.perSecond), .int(send.runRate.perSecond), .double(send.ramped.seconds))
            return try Self.number(rows)
        }
        if let number { return JobID(rawValue: number) }
        // Nobody else makes any under the same lease.
        let question = "SELECT id FROM @job WHERE epoch = $1 ORDER BY id DESC LIMIT 1"
        return JobID(rawValue: try await known(PostgresStatement(question, .int(lease?.epoch))))
    }

    /// Each block is a commit of its own, so that no commit takes long and few rows are in memory.
    private func write(_ block: PieceBlock, of job: JobID) async throws {
        _ = try await database.writing(under: database.workLease) { transaction in
            for statement in block.statements(of: job) { transaction.run(statement) }
        }
    }

    private func open(_ job: JobID) async throws {
        let (me, lease, name) = (board.id, database.workLease, PostgresValue.int(job.rawValue))
        let part = try await database.writing(under: lease) { transaction in
            transaction.run("UPDATE @job SET is_open = true WHERE id = $1", name)
            return try Self.number(
                transaction.fetch("INSERT INTO @job_part (job, worker) VALUES ($1, $2) RETURNING id", name, .uuid(me)))
        }
        let number: Int64
        if let part {
            number = part
        } else {
            let question = "SELECT id FROM @job_part WHERE job = $1 AND worker = $2"
            number = try await known(PostgresStatement(question, name, .uuid(me)))
        }
        board.withState { $0.parts[job] = .init(id: number, epoch: lease?.epoch ?? 0) }
    }

    /// The number of what a commit made whose answer was lost.
    private func known(_ question: PostgresStatement) async throws -> Int64 {
        try await database.reading { try Self.number($0.commit([question])[0]) }
    }

    private static func number(_ rows: PostgresRows) throws -> Int64 {
        guard let row = rows.first else { throw StateDamage(detail: "a job got no number") }
        return try row.int(0)
    }
}

/// Pieces of a job that are written together.
private struct PieceBlock {
    private var pieces: [(number: Int64, slice: RecipientSet.Slice)] = []
    private var bodies: [(number: Int64, bytes: [UInt8])] = []
    private var size = 0

    /// Rows need more memory than sets.
    var isFull: Bool { pieces.count >= (bodies.isEmpty ? 2000 : 64) || size >= 4 << 20 }

    /// - Parameter rows: reads the rows of recipients; `nil` if everybody gets the same message.
    mutating func add(_ piece: RecipientSet.Slice, number: Int, _ rows: RowReader?) throws {
        guard let rows else { return pieces.append((Int64(number), piece)) }
        let members = try piece.bits.withUnsafeBytes { try RecipientSet(slice: piece.number, $0) }
        let found = try rows(members)
        // A recipient without a row is sent nothing.
        guard let slice = RecipientSet(members.filter { found[$0] != nil }).slices.first else { return }
        let body = PieceRows.bytes(found, ofSlice: piece.number)
        size += body.count
        pieces.append((Int64(number), slice))
        bodies.append((Int64(number), body))
    }

    func statements(of job: JobID) -> [PostgresStatement] {
        let name = PostgresValue.int(job.rawValue)
        let ranges = PostgresStatement(
            """
            INSERT INTO @job_range (job, number, slice, bits)
            SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bit varying[])
            """, name, .ints(pieces.map(\.number)), .ints(pieces.map(\.slice.number)), .bits(pieces.map(\.slice.bits)))
        if bodies.isEmpty { return [ranges] }
        let rows = PostgresStatement(
            "INSERT INTO @job_row (job, number, body) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])", name,
            .ints(bodies.map(\.number)), .byteArrays(bodies.map(\.bytes)))
        return [ranges, rows]
    }
}

extension Rate {
    fileprivate var perSecond: Int64? { if case .limited(let limit) = self { Int64(limit) } else { nil } }
}

extension RecipientSet {
    /// Its slices, cut so that none has many more members than that.
    fileprivate func pieces(of size: Int) -> [Slice] {
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
