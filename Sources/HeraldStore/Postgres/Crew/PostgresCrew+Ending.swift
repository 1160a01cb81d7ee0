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
        var isShared = try await isShared(job, part)
        while isShared, !Task.isCancelled {
            try? await Task.sleep(for: min(.milliseconds(100), times.reading))
            isShared = try await self.isShared(job, part)
        }
        // Before the job is deleted: if the answer to that commit is lost, nobody can be asked any more.
        var settlement = try await settlement(of: job, part)
        // Others may still claim them.
        if isShared { settlement.left = Claim() }
        _ = try await database.writing(under: workLease(part)) { transaction in
            transaction.run("DELETE FROM @job_range WHERE job = $1", name)
            transaction.run("DELETE FROM @job WHERE id = $1", name)
        }
        return settlement
    }

    /// Whether others may still work on it. Once the lease is lost nobody can leave or be buried, and the next commit is
    /// refused.
    private func isShared(_ job: JobID, _ part: CrewBoard.Part) async throws -> Bool {
        try await database.reading { transaction in
            let others = PostgresStatement(
                """
                SELECT count(*) FROM @job_part WHERE job = $1 AND id <> $2 AND NOT has_left
                AND EXISTS (SELECT FROM @lease WHERE epoch = $3 AND NOT @has_failed_over())
                """, .int(job.rawValue), .int(part.id), .int(part.epoch))
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
                PostgresStatement("SELECT slice, bits FROM @job_range WHERE job = $1 AND part IS NULL", name),
                Self.deferred(in: "part IS NULL", [name]),
            ])
            var settlement = Settlement()
            var count = 0
            for row in answers[0].all {
                count += try StoredValue.size(row.int(0))
                settlement.others = settlement.others + (try Tally(row, from: 1))
            }
            settlement.failures = try answers[1].all.map { try Report.Failure(written: $0.text(0)) }
            settlement.failuresOmitted = max(0, count - settlement.failures.count)
            for row in answers[2].all {
                settlement.left.members.formUnion(try RecipientSet(slice: row.int(0), row.bits(1)))
            }
            let deferred = try SliceTable.ledger.partitions(answers[3]).values.first?[.deferred] ?? []
            settlement.left.deferred = deferred.intersection(settlement.left.members)
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
