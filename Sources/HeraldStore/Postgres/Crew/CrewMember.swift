internal import Foundation
package import HeraldCore

extension StateDatabase {
    /// The processes that send for one run now, the conductor first. Empty without a run and without help.
    package func crew() async throws -> [CrewMember] {
        let store = try await PostgresStore.open(server)
        let question = PostgresStatement(
            """
            SELECT worker.conducts, worker.host, worker.pid, extract(epoch FROM worker.since)::float8, worker.share,
                known.occurrence, known.rate, known.run_rate, part.claimed, \(Tally.Figure.columns)
            FROM @worker AS worker
            LEFT JOIN @job_part AS part ON part.worker = worker.id AND NOT part.has_left
            LEFT JOIN @job AS known ON known.id = part.job
            WHERE CASE
                WHEN worker.conducts THEN worker.ends IS NULL
                    AND EXISTS (SELECT FROM @lease WHERE run IS NOT NULL AND ends > clock_timestamp())
                ELSE worker.ends > clock_timestamp() END
            ORDER BY worker.conducts DESC, worker.since, worker.id, known.occurrence
            """)
        return try await store.reading { transaction in
            do { return try transaction.commit([question])[0].all.map(Self.member) } catch let damage as StateDamage {
                throw CrewDamage(detail: damage.detail)
            }
        }
    }

    private static func member(_ row: PostgresRow) throws -> CrewMember {
        let share = try StoredValue.share(row.int(4))
        let rates = try [row.optionalInt(6), row.optionalInt(7)].map {
            try $0.map { Rate.limited(try StoredValue.size($0)) }
        }
        let claimed = try row.optionalInt(8)
        return CrewMember(
            isConductor: try row.bool(0), host: try row.text(1), pid: try row.int(2),
            since: try StoredValue.date(row.double(3)), occurrence: try row.optionalText(5),
            rate: share.of((rates[1] ?? .unlimited).combined(with: rates[0])) ?? .limited(0),
            claimed: try StoredValue.size(claimed ?? 0),
            settled: claimed == nil ? 0 : try Tally(row, from: 9).settled)
    }
}
