internal import FCM
internal import Foundation
internal import HeraldCore

/// Reads a state from its tables in PostgreSQL, in one transaction. It trusts none of them.
struct PostgresReader {
    let transaction: PostgresTransaction
    /// Whether its role may see registrations and keys.
    var seesSecrets = true

    static let numbering = PostgresStatement(
        """
        SELECT numbering, lineage, greatest(last_erased, (SELECT max(id) FROM @recipient)) FROM @progress, @identity
        """)

    private static let open = "occurrence IN (SELECT id FROM @occurrence WHERE finished IS NULL)"

    /// The questions that `snapshot` asks, in the order of their answers.
    private var everything: [PostgresStatement] {
        let groups = seesSecrets ? "device_group" : "group_listing"
        return [
            Self.identity,
            "SELECT serial, topic_api, topic_api_found, send_quota, send_quota_found, counting_since FROM @progress",
            "SELECT id, name, changed, awaits_file FROM @topic", SliceTable.membership.sets(where: "true"),
            "SELECT id, name, notification_key FROM @\(groups)", SliceTable.groupMembership.sets(where: "true"),
            "SELECT \(Self.columns) FROM @occurrence", SliceTable.ledger.sets(where: Self.open),
            SliceTable.rejection.sets(where: Self.open), SliceTable.ledger.counts(where: "NOT (\(Self.open))"),
            SliceTable.rejection.counts(where: "NOT (\(Self.open))"), Self.codes,
            SliceTable.assignment.sets(where: Self.open), Self.messageClasses, SliceTable.wave.sets(where: Self.open),
            "SELECT id FROM @dead_recipient ORDER BY id", "SELECT id FROM @dead_recipient WHERE migrated ORDER BY id",
            "SELECT id, recipient FROM @former",
            "SELECT campaign, name FROM @former_name", "SELECT id FROM @spent_plan",
            "SELECT name, size FROM @audience_size", "SELECT campaign, at, schedule, next, first FROM @watermark",
            Self.pauses, "SELECT campaign, at, accepted, rejected, unknown FROM @test ORDER BY id",
            "SELECT id, committed FROM @applied_commit ORDER BY number",
            Self.approvals, Self.notes, Self.stamps,
            Self.numbering,
            SliceTable.start.sets(where: "true"), Self.startClasses, Self.counted,
            SliceTable.observation.sets(where: "true"),
        ]
    }

    func snapshot() throws -> RecordedState {
        // Each answer is freed once it is read, because answers with sets are large.
        var rest = Array(try transaction.commit(everything).reversed())
        func next() -> PostgresRows { rest.removeLast() }
        var state = RecordedState(identity: try Self.identity(next()))
        try Self.progress(next(), &state)
        state.topics = try Self.topics(next(), next())
        state.groups = try Self.groups(next(), next())
        let (occurrences, sets, counts) = (next(), (next(), next()), (next(), next()))
        let codes = try Self.codes(next())
        state.occurrences = try Self.occurrences(
            occurrences, try Self.ledgers(sets.0, sets.1, codes), try Self.counts(counts.0, counts.1, codes),
            try Self.classes(next(), next()), try Self.waves(next()))
        (state.dead, state.migratedDead) = (try Self.dead(next()), try Self.dead(next()))
        for row in next().all {
            state.formers[try StoredValue.formerID(row.int(0))] = try StoredValue.recipientID(row.int(1))
        }
        for row in next().all { state.formerNames[try row.text(0), default: []].insert(try row.text(1)) }
        state.spentPlans = Set(try next().all.map { try $0.text(0) })
        for row in next().all { state.audienceSizes[try row.text(0)] = try StoredValue.size(row.int(1)) }
        for row in next().all {
            state.watermarks[try row.text(0)] = Watermark(
                at: try StoredValue.date(row.double(1)), schedule: try row.text(2),
                next: try row.optionalDouble(3).map(StoredValue.date),
                first: try row.optionalDouble(4).map(StoredValue.date))
        }
        state.pauses = try Self.pauses(next())
        state.tests = try next().all.map(Self.test)
        state.commits = try next().all.map { try StoredValue.commit($0.text(0), $0.double(1)) }
        state.approvals = try Self.approvals(next())
        state.notes = try Self.notes(next())
        state.stamps = try Self.stamps(next())
        state.nextRecipient = try Self.last(next()) + 1
        let starts = next()
        state.starts = try Self.starts(next(), next()).starts(SliceTable.start.partitions(starts))
        state.observed = try SliceTable.observation.partitions(next()).values.first?.observed() ?? Partition()
        return state
    }

    /// One occurrence with its ledger and classes, whether it is finished or not.
    func occurrence(_ wanted: OccurrenceID) throws -> RecordedOccurrence? {
        try Self.occurrence(from: transaction.commit(Self.questions(about: wanted)))
    }

    /// The same, while the transaction goes on.
    func occurrenceBeforeCommit(_ wanted: OccurrenceID) throws -> RecordedOccurrence? {
        try Self.occurrence(from: transaction.fetch(Self.questions(about: wanted)))
    }

    private static func questions(about wanted: OccurrenceID) -> [PostgresStatement] {
        let name = PostgresValue.text(wanted.rawValue)
        let one = "occurrence = (SELECT id FROM @occurrence WHERE name = $1)"
        return [
            PostgresStatement("SELECT \(columns) FROM @occurrence WHERE name = $1", name),
            SliceTable.ledger.sets(where: one, name), SliceTable.rejection.sets(where: one, name),
            SliceTable.ledger.counts(where: one, name), SliceTable.rejection.counts(where: one, name), codes,
            SliceTable.assignment.sets(where: one, name), messageClasses,
            SliceTable.wave.sets(where: one, name),
        ]
    }

    private static func occurrence(from answers: [PostgresRows]) throws -> RecordedOccurrence? {
        guard let row = answers[0].first else { return nil }
        var (id, _, occurrence) = try Self.occurrence(row)
        let codes = try Self.codes(answers[5])
        if try row.bool(8) {
            occurrence.outcomes = .counts(
                try Self.counts(answers[3], answers[4], codes)[id] ?? LedgerCounts(entries: [:], codes: [:]))
        } else {
            occurrence.outcomes = .ledger(try Self.ledgers(answers[1], answers[2], codes)[id] ?? Ledger())
            occurrence.classes = try Self.classes(answers[6], answers[7])[id] ?? Partition()
            occurrence.waves = try Self.waves(answers[8])[id] ?? Partition()
        }
        return occurrence
    }

    /// - Parameter row: of `columns`.
    static func occurrence(_ row: PostgresRow) throws -> (id: Int64, name: OccurrenceID, RecordedOccurrence) {
        var occurrence = RecordedOccurrence(
            campaign: try row.text(2), revision: Int(try row.int(3)),
            due: try row.optionalDouble(4).map(StoredValue.date), contentDigest: try row.text(5),
            target: try row.text(6))
        occurrence.finished = try row.optionalDouble(7).map(StoredValue.date)
        occurrence.halt = try StoredValue.halt(row.optionalText(9))
        occurrence.begun = try row.optionalDouble(10).map(StoredValue.date)
        occurrence.isReopened = try row.bool(11)
        occurrence.suspended = try row.optionalDouble(12).map(StoredValue.date)
        occurrence.local = try StoredValue.localTime(row.optionalText(13))
        occurrence.stages = try StoredValue.stages(row.optionalText(14))
        occurrence.unseen = try row.optionalDouble(15).map(StoredValue.date)
        occurrence.isDone = try row.bool(16)
        return (try row.int(0), OccurrenceID(rawValue: try row.text(1)), occurrence)
    }

    static let columns =
        """
        id, name, campaign, revision, due, content_digest, target, finished, pruned,
        CASE WHEN finished IS NULL AND \(isInDoubt) THEN 'failed_over' ELSE halted END, begun, reopened, suspended,
        local, stages, unseen, done
        """

    /// Whether the next run will halt what is open (`note_standing`), so that plans say it before. A standby does not know.
    private static let isInDoubt =
        """
        (SELECT CASE WHEN pg_is_in_recovery() THEN false
            ELSE (place <> @current_place()) IS NOT TRUE AND @has_failed_over() END FROM @server)
        """
}

extension PostgresStatement: ExpressibleByStringInterpolation {
    init(stringLiteral text: String) { self.init(text) }
}
