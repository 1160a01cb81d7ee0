internal import FCM
internal import Foundation
internal import HeraldCore

/// What one process has claimed in a job.
struct JobPart {
    let id: Int64

    private struct Range {
        var job: Int64
        var number: Int64
        var members: RecipientSet
        var slice: Int64
    }

    /// Lets others have the recipients that were not tried. Those whose request may have left are unknown: nobody can
    /// commit their outcome any more.
    func giveBack(_ fingerprints: Fingerprinter, in transaction: PostgresTransaction) throws {
        let (occurrence, ranges) = try claimed(in: transaction)
        var lost = RecipientSet()
        if let occurrence, !ranges.isEmpty {
            let ledger = try ledger(of: occurrence, ranges.map(\.slice), in: transaction)
            let members = ranges.reduce(into: RecipientSet()) { $0.formUnion($1.members) }
            lost = ledger[.intended].intersection(members)
            SliceTable.ledger.put(lost, of: .withLedger(occurrence), .unknown, transaction)
            let settled = ledger.union(of: LedgerEntry.allCases.filter(\.isSettled))
            free(ranges.map { ($0, $0.members.subtracting(settled)) }, transaction)
            try report(lost, in: ranges[0].job, fingerprints, transaction)
        }
        transaction.run(
            """
            UPDATE @job_part SET has_left = true, failures = failures + $2, unknown_count = unknown_count + $2
            WHERE id = $1
            """, .int(id), .int(lost.count))
    }

    private func claimed(in transaction: PostgresTransaction) throws -> (OccurrenceID?, [Range]) {
        let rows = try transaction.fetch(
            """
            SELECT known.id, known.occurrence, claimed.number, claimed.slice, claimed.bits
            FROM @job_range AS claimed JOIN @job AS known ON known.id = claimed.job
            WHERE claimed.part = $1 ORDER BY claimed.number
            """, .int(id))
        let ranges = try rows.all.map { row in
            try Range(
                job: row.int(0), number: row.int(2), members: RecipientSet(slice: row.int(3), row.bits(4)),
                slice: row.int(3))
        }
        return (try rows.first.map { OccurrenceID(rawValue: try $0.text(1)) }, ranges)
    }

    private func ledger(
        of occurrence: OccurrenceID, _ slices: [Int64], in transaction: PostgresTransaction
    ) throws -> Partition<LedgerEntry> {
        let rows = try transaction.fetch([
            SliceTable.ledger.sets(
                where: "occurrence = (SELECT id FROM @occurrence WHERE name = $1) AND slice = ANY ($2)",
                .text(occurrence.rawValue), .ints(slices))
        ])[0]
        return try SliceTable.ledger.partitions(rows).values.first ?? Partition()
    }

    private func free(_ ranges: [(Range, left: RecipientSet)], _ transaction: PostgresTransaction) {
        for (range, left) in ranges {
            let place = [PostgresValue.int(range.job), .int(range.number)]
            guard let slice = left.slices.first else {
                transaction.run("DELETE FROM @job_range WHERE job = $1 AND number = $2", place[0], place[1])
                continue
            }
            transaction.run(
                """
                UPDATE @job_range SET part = NULL, claim = NULL, bits = ($3::bit varying[])[1]
                WHERE job = $1 AND number = $2
                """, place[0], place[1], .bits([slice.bits]))
        }
    }

    /// Lists those of whom nobody knows whether they got the message.
    private func report(
        _ lost: RecipientSet, in job: Int64, _ fingerprints: Fingerprinter, _ transaction: PostgresTransaction
    ) throws {
        guard !lost.isEmpty else { return }
        let shown = RecipientSet(lost.prefix(StepReport.shownFailures))
        let rows = try transaction.fetch(
            "SELECT id, registration FROM @recipient WHERE id = ANY ($1)", .ints(shown.map { Int64($0) }))
        let texts = try PostgresReader.recipients(rows).map { known in
            Report.Failure(lost: fingerprints.name(known.registration)).json.compactText
        }
        transaction.run(
            "INSERT INTO @job_failure (job, body) SELECT id, text FROM @job, unnest($2::text[]) AS text WHERE id = $1",
            .int(job), .texts(texts))
    }
}

extension RecipientSet {
    init(slice: Int64, _ bits: UnsafeRawBufferPointer) throws {
        var joined = Joined()
        _ = try joined.append(slice, bits)
        self = joined.set
    }
}
