internal import FCM
internal import Foundation
internal import HeraldCore

/// How a conductor ends a job.
extension PostgresCrew {
    /// Waits until everybody else has left or is buried, unless the task is cancelled.
    func end(_ job: JobID, _ part: CrewBoard.Part) async throws -> Settlement {
        let name = PostgresValue.int(job.rawValue)
        _ = try await database.writing(under: workLease(part)) { transaction in
            transaction.run("UPDATE @job SET is_ending = true WHERE id = $1", name)
        }
        while try await isShared(job, part), !Task.isCancelled {
            try? await Task.sleep(for: min(.milliseconds(100), times.reading))
        }
        var settlement = try await settlement(of: job, part)
        let left = try await database.writing(under: workLease(part)) { transaction in
            let left = try Self.left(in: job, transaction)
            transaction.run("DELETE FROM @job_range WHERE job = $1", name)
            transaction.run("DELETE FROM @job WHERE id = $1", name)
            return left
        }
        // If the answer to the commit was lost, they wait for the next run.
        settlement.left = left ?? Claim()
        return settlement
    }

    /// Whom nobody has claimed.
    private static func left(in job: JobID, _ transaction: PostgresTransaction) throws -> Claim {
        let name = PostgresValue.int(job.rawValue)
        let answers = try transaction.fetch([
            PostgresStatement("SELECT slice, bits FROM @job_range WHERE job = $1 AND part IS NULL", name),
            Self.deferred(in: "part IS NULL", [name]),
        ])
        var claim = Claim()
        for row in answers[0].all {
            claim.members.formUnion(try RecipientSet(slice: row.int(0), row.bits(1)))
        }
        let refused = try SliceTable.ledger.partitions(answers[1]).values.first?[.deferred] ?? []
        claim.deferred = refused.intersection(claim.members)
        return claim
    }

    private func isShared(_ job: JobID, _ part: CrewBoard.Part) async throws -> Bool {
        try await database.reading { transaction in
            let others = PostgresStatement(
                "SELECT count(*) FROM @job_part WHERE job = $1 AND id <> $2 AND NOT has_left", .int(job.rawValue),
                .int(part.id))
            return try transaction.commit([others])[0].first?.int(0) ?? 0 > 0
        }
    }

    private func settlement(of job: JobID, _ part: CrewBoard.Part) async throws -> Settlement {
        try await database.reading { transaction in
            let name = PostgresValue.int(job.rawValue)
            let answers = try transaction.commit([
                PostgresStatement(
                    "SELECT failures, \(Tally.Figure.columns) FROM @job_part WHERE job = $1 AND id <> $2", name,
                    .int(part.id)),
                PostgresStatement(
                    "SELECT body FROM @job_failure WHERE job = $1 ORDER BY id LIMIT $2", name,
                    .int(StepReport.shownFailures)),
            ])
            var settlement = Settlement()
            var count = 0
            for row in answers[0].all {
                count += try StoredValue.size(row.int(0))
                settlement.others = settlement.others + (try Tally(row, from: 1))
            }
            settlement.failures = try answers[1].all.map { try Report.Failure(written: $0.text(0)) }
            settlement.failuresOmitted = max(0, count - settlement.failures.count)
            return settlement
        }
    }
}

extension Report.Failure {
    /// Somebody whose process died before the answer was recorded.
    init(lost registration: String) {
        self.init(
            registration: registration, code: FailureCode.interrupted.rawValue, httpStatus: nil,
            message: "a process that helped ended before the answer was recorded", attempts: 1, action: .held)
    }

    /// Reads what another process of the crew wrote.
    fileprivate init(written text: String) throws {
        guard let json = try? JSONValue(strictly: Array(text.utf8), depth: 3), let code = json["code"]?.string,
            let message = json["message"]?.string, let attempts = json["attempts"]?.int,
            let action = json["action"]?.string.flatMap(Report.Failure.Action.init)
        else { throw StateDamage(detail: "a failure of a job cannot be read") }
        self.init(
            registration: json["registration"]?.string, code: code,
            httpStatus: json["http_status"]?.int.map { Int(clamping: $0) }, message: message,
            attempts: Int(clamping: attempts), action: action)
    }
}
