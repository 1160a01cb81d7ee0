internal import Foundation
internal import HeraldCore

/// Writes what concerns occurrences.
extension StateChange {
    func writeOccurrence(to transaction: PostgresTransaction) throws {
        switch self {
        case .open(let id, let occurrence):
            Self.open(id, occurrence, transaction)
            Self.assign(Partition(), in: id, transaction)
        case .assign(let id, let classes):
            Self.assign(classes, in: id, transaction)
        case .amend(let id, let contentDigest, let target, let due):
            transaction.run(
                "UPDATE @occurrence SET content_digest = $2, target = $3, due = $4 WHERE name = $1",
                .text(id.rawValue), .text(contentDigest), .text(target), .date(due))
        case .outcome(let id, let members, let entry):
            SliceTable.ledger.put(members, of: .withLedger(id), entry, transaction)
            SliceTable.rejection.put(members, of: .withLedger(id), nil, transaction)
        case .reject(let id, let members, let code):
            SliceTable.ledger.put(members, of: .withLedger(id), .rejected, transaction)
            transaction.run("INSERT INTO @code (code) VALUES ($1) ON CONFLICT DO NOTHING", .text(code))
            SliceTable.rejection.move(
                members, ofOwner: SliceOwner.withLedger(id).query, .text(id.rawValue),
                to: "(SELECT id FROM @code WHERE code = $4)", .text(code), in: transaction)
        case .finish(let id, let instant):
            transaction.run(
                "UPDATE @occurrence SET finished = $2, reopened = false, halted = NULL WHERE name = $1",
                .text(id.rawValue),
                .date(instant))
            // Rows are left empty while a run fills them again and again.
            for table in ["ledger", "rejection"] {
                transaction.run(
                    """
                    DELETE FROM @\(table) WHERE members = 0
                        AND occurrence IN (SELECT id FROM @occurrence WHERE name = $1)
                    """, .text(id.rawValue))
            }
        case .prune(let ids): Self.prune(ids, transaction)
        case .reopen(let id):
            // Without its ledger, every recipient would get the message again.
            transaction.run(
                "UPDATE @occurrence SET finished = NULL, reopened = true WHERE name = $1 AND NOT pruned",
                .text(id.rawValue))
        default: preconditionFailure("a change of something else")
        }
    }

    private static func open(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ transaction: PostgresTransaction
    ) {
        // As `RecordedState.isFree` says.
        transaction.check(
            .occurrenceTaken(id),
            """
            SELECT @refuse('\(Refusal.occurrenceTaken)') FROM @occurrence AS known
            WHERE name = $1 AND (campaign <> $2 OR finished IS NOT NULL OR halted IS NOT NULL OR reopened OR EXISTS (
                SELECT FROM @ledger WHERE occurrence = known.id AND members > 0 AND state = ANY ($3)))
            """, .text(id.rawValue), .text(occurrence.campaign),
            .ints(LedgerEntry.allCases.filter(\.isTried).map { Int64($0.rawValue) }))
        transaction.run(
            """
            INSERT INTO @occurrence (name, campaign, revision, due, content_digest, target, begun)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, due = excluded.due,
                content_digest = excluded.content_digest, target = excluded.target, begun = excluded.begun
            """, .text(id.rawValue), .text(occurrence.campaign), .int(occurrence.revision), .date(occurrence.due),
            .text(occurrence.contentDigest), .text(occurrence.target), .date(occurrence.begun))
    }

    /// Writes who gets which text, in the place of what was said before.
    private static func assign(
        _ classes: Partition<MessageClass>, in id: OccurrenceID, _ transaction: PostgresTransaction
    ) {
        let owner = SliceOwner.withLedger(id)
        transaction.run("DELETE FROM @assignment WHERE occurrence IN (\(owner.query))", .text(owner.name))
        for messageClass in classes.states.sorted() {
            let (locale, variant) = (PostgresValue.text(messageClass.locale), PostgresValue.text(messageClass.variant))
            let holdout = PostgresValue.bool(messageClass.isHoldout)
            transaction.run(
                """
                INSERT INTO @message_class (locale, variant, holdout) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
                """, locale, variant, holdout)
            let slices = classes[messageClass].slices
            transaction.run(
                """
                INSERT INTO @assignment (occurrence, slice, state, bits)
                SELECT owner.id, part.slice, class.id, part.mask
                FROM (\(owner.query)) AS owner, @message_class AS class,
                    unnest($2::bigint[], $3::bit varying[]) AS part (slice, mask)
                WHERE class.locale IS NOT DISTINCT FROM $4 AND class.variant IS NOT DISTINCT FROM $5
                    AND class.holdout = $6
                """, .text(owner.name), .ints(slices.map(\.number)), .bits(slices.map(\.bits)), locale, variant,
                holdout)
        }
    }

    private static func prune(_ ids: Set<OccurrenceID>, _ transaction: PostgresTransaction) {
        let names = PostgresValue.texts(ids.map(\.rawValue))
        let prunable = "name = ANY ($1) AND finished IS NOT NULL AND NOT pruned"
        for table in ["ledger", "rejection"] {
            transaction.run(
                """
                WITH gone AS (
                    DELETE FROM @\(table) WHERE occurrence IN (SELECT id FROM @occurrence WHERE \(prunable))
                    RETURNING occurrence, state, members)
                INSERT INTO @\(table)_count (occurrence, state, members)
                SELECT occurrence, state, sum(members) FROM gone WHERE members > 0 GROUP BY occurrence, state
                """, names)
        }
        transaction.run(
            "DELETE FROM @assignment WHERE occurrence IN (SELECT id FROM @occurrence WHERE \(prunable))", names)
        transaction.run("UPDATE @occurrence SET pruned = true WHERE \(prunable)", names)
    }
}

/// Whose sets change: a query that finds its id by the name.
struct SliceOwner {
    let query: String
    let name: String

    static func named(_ name: String, in table: String) -> Self {
        .init(query: "SELECT id FROM @\(table) WHERE name = $1", name: name)
    }

    /// An occurrence that was not pruned.
    static func withLedger(_ id: OccurrenceID) -> Self {
        .init(query: "SELECT id FROM @occurrence WHERE name = $1 AND NOT pruned", name: id.rawValue)
    }
}

extension SliceTable {
    /// Puts members into one state of an owner and out of all others. `nil` puts them into none.
    func put(
        _ members: RecipientSet, of owner: SliceOwner, _ state: State?, _ transaction: PostgresTransaction
    ) {
        guard let state else {
            return remove(members, ofOwners: owner.query, .text(owner.name), in: transaction)
        }
        move(
            members, ofOwner: owner.query, .text(owner.name), to: "$4::bigint", .int(state.rawValue), in: transaction)
    }
}
