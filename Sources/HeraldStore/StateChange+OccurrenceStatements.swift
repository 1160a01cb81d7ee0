internal import Foundation
internal import HeraldCore

extension StateChange {
    /// The statements of changes of occurrences.
    var occurrenceStatements: [StateStatement] {
        switch self {
        case .open(let id, let occurrence):
            [
                .init(
                    """
                    INSERT INTO @occurrence (name, campaign, revision, due, content_digest, target, begun, local)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                    ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, due = excluded.due,
                        content_digest = excluded.content_digest, target = excluded.target, begun = excluded.begun,
                        local = excluded.local, suspended = NULL, stages = NULL, unseen = NULL,
                        done = FALSE
                    """, .text(id.rawValue), .text(occurrence.campaign), .int(occurrence.revision),
                    .date(occurrence.due), .text(occurrence.contentDigest), .text(occurrence.target),
                    .date(occurrence.begun), .text(occurrence.local?.description))
            ]
        case .amend(let id, let contentDigest, let target, let due, let local):
            [
                .init(
                    "UPDATE @occurrence SET content_digest = $2, target = $3, due = $4, local = $5 WHERE name = $1",
                    .text(id.rawValue), .text(contentDigest), .text(target), .date(due), .text(local?.description))
            ]
        case .stages(let id, let stages):
            [
                .init(
                    "UPDATE @occurrence SET stages = $2 WHERE name = $1", .text(id.rawValue),
                    .text(RecordedStage.text(of: stages)))
            ]
        case .reject(_, _, let code): [Self.naming(code)]
        case .skip(_, _, let reason): [Self.naming(reason.rawValue)]
        case .finish(let id, let instant):
            [
                .init(
                    "UPDATE @occurrence SET finished = $2, reopened = FALSE, halted = NULL WHERE name = $1",
                    .text(id.rawValue), .date(instant))
            ]
        case .reopen(let id):
            // Without its ledger, every recipient would get the message again.
            [
                .init(
                    "UPDATE @occurrence SET finished = NULL, reopened = TRUE, done = FALSE WHERE name = $1 AND NOT pruned",
                    .text(id.rawValue))
            ]
        case .halt(let id, let halt):
            [
                .init(
                    "UPDATE @occurrence SET halted = $2 WHERE name = $1 AND finished IS NULL", .text(id.rawValue),
                    .text(halt?.rawValue))
            ]
        case .suspend(let id, let instant):
            [
                .init(
                    "UPDATE @occurrence SET suspended = $2 WHERE name = $1", .text(id.rawValue), .date(instant))
            ]
        case .unseen(let id, let since):
            [.init("UPDATE @occurrence SET unseen = $2 WHERE name = $1", .text(id.rawValue), .date(since))]
        case .done(let id, let isDone):
            [.init("UPDATE @occurrence SET done = \(isDone ? "TRUE" : "FALSE") WHERE name = $1", .text(id.rawValue))]
        case .prune(let ids): Self.pruning(ids.map(\.rawValue))
        default: []
        }
    }

    private static func naming(_ code: String) -> StateStatement {
        .init("INSERT INTO @code (code) VALUES ($1) ON CONFLICT DO NOTHING", .text(code))
    }

    /// Finds the occurrence if no other may be opened under its id, as `RecordedState.isFree` says.
    ///
    /// - Parameter answer: what is selected then.
    static func taken(_ id: OccurrenceID, for campaign: String, answer: String) -> StateStatement {
        let settled = LedgerEntry.allCases.filter(\.isSettled).map { String($0.rawValue) }.joined(separator: ", ")
        return StateStatement(
            """
            SELECT \(answer) FROM @occurrence AS known
            WHERE name = $1 AND (campaign <> $2 OR finished IS NOT NULL OR halted IS NOT NULL OR reopened OR EXISTS (
                SELECT 1 FROM @ledger WHERE occurrence = known.id AND members > 0 AND state IN (\(settled))))
            """, .text(id.rawValue), .text(campaign))
    }

    /// How many occurrences one statement prunes at most.
    private static let pruned = 1000

    private static func pruning(_ names: [String]) -> [StateStatement] {
        stride(from: 0, to: names.count, by: pruned).flatMap { first in
            let part = names[first..<min(names.count, first + pruned)]
            let places = (1...part.count).map { "$\($0)" }.joined(separator: ", ")
            let prunable = "name IN (\(places)) AND finished IS NOT NULL AND NOT pruned"
            let ids = "SELECT id FROM @occurrence WHERE \(prunable)"
            let counting = ["ledger", "rejection"].flatMap { table in
                [
                    """
                    INSERT INTO @\(table)_count (occurrence, state, members)
                    SELECT occurrence, state, sum(members) FROM @\(table)
                    WHERE occurrence IN (\(ids)) AND members > 0 GROUP BY occurrence, state
                    """,
                    "DELETE FROM @\(table) WHERE occurrence IN (\(ids))",
                ]
            }
            let rest = [
                "DELETE FROM @assignment WHERE occurrence IN (\(ids))",
                "DELETE FROM @wave WHERE occurrence IN (\(ids))",
                "UPDATE @occurrence SET pruned = TRUE WHERE \(prunable)",
            ]
            return (counting + rest).map { StateStatement($0, part.map { .text($0) }) }
        }
    }
}
