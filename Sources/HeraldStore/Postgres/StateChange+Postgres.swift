internal import FCM
internal import Foundation
internal import HeraldCore

extension StateChange {
    /// Does to the tables what `RecordedState.apply` does to the value.
    func write(to transaction: PostgresTransaction) throws {
        switch self {
        case .open(let id, let occurrence):
            transaction.check(
                .occurrenceTaken(id),
                PostgresStatement(
                    Self.taken(id, for: occurrence.campaign, answer: "@refuse('\(Refusal.occurrenceTaken)')")))
        // A person may pause while a run begins.
        case .stamp: transaction.run("LOCK TABLE @stamp IN SHARE ROW EXCLUSIVE MODE")
        default: break
        }
        for statement in statements { transaction.run(PostgresStatement(statement)) }
        switch self {
        case .register(let registrations):
            Self.register(registrations, transaction)
        case .supersede(let members):
            try Self.supersede(members, transaction)
        case .readopt(let formers):
            try Self.readopt(formers, transaction)
        case .members(let name, let members, let membership, _):
            SliceTable.membership.put(members, of: .named(name.rawValue, in: "topic"), membership, transaction)
        case .reclassify(let name, let members, let reclassification):
            try Self.reclassify(members, of: name, reclassification, transaction)
        case .observed(let members, let instant):
            Self.observe(members, at: ObservationTime(instant), transaction)
        case .open(let id, _):
            Self.assign(Partition(), in: id, transaction)
        case .assign(let id, let classes):
            Self.assign(classes, in: id, transaction)
        case .waves(let id, let waves):
            for instant in waves.states.sorted() {
                SliceTable.wave.put(waves[instant], of: .withLedger(id), WaveSecond(instant), transaction)
            }
        case .outcome(let id, let members, let entry):
            SliceTable.ledger.put(members, of: .withLedger(id), entry, transaction)
            if entry != .again { SliceTable.rejection.put(members, of: .withLedger(id), nil, transaction) }
        case .reject(let id, let members, let code):
            Self.settle(members, of: id, .rejected, code, transaction)
        case .skip(let id, let members, let reason):
            Self.settle(members, of: id, .skipped, reason.rawValue, transaction)
        case .started(let id, let members, let start):
            SliceTable.start.move(
                members, ofOwner: SliceOwner.named(id.rawValue, in: "counted").query, .text(id.rawValue),
                to: "(SELECT id FROM @start_class WHERE name = $4)", .text(start.storedName), in: transaction)
        case .unstarted(let id, let members):
            SliceTable.start.remove(
                members, ofOwners: SliceOwner.named(id.rawValue, in: "counted").query, .text(id.rawValue),
                in: transaction)
        case .forgetStarts(let instant):
            transaction.run(
                """
                UPDATE @progress SET counting_since = greatest(counting_since, $1) WHERE counting_since IS NOT NULL
                """, .date(instant))
        case .counting(let since):
            transaction.run("UPDATE @progress SET counting_since = $1", .date(since))
        case .restore(let id, let members):
            let ledger = try PostgresReader(transaction: transaction).occurrenceBeforeCommit(id)?.ledger ?? Ledger()
            for (entry, members) in ledger.restoring(members) {
                SliceTable.ledger.put(members, of: .withLedger(id), entry, transaction)
            }
        case .finish(let id, _):
            let occurrence = try PostgresReader(transaction: transaction).occurrenceBeforeCommit(id)
            for change in occurrence?.settling(as: id) ?? [] { try change.write(to: transaction) }
            // Rows are left empty while a run fills them again and again.
            for table in ["ledger", "rejection"] {
                transaction.run(
                    """
                    DELETE FROM @\(table) WHERE members = 0
                        AND occurrence IN (SELECT id FROM @occurrence WHERE name = $1)
                    """, .text(id.rawValue))
            }
        case .forget(let members, let instant):
            Self.bury(members, at: instant, transaction)
            SliceTable.membership.forget(members, in: transaction)
            SliceTable.groupMembership.forget(members, in: transaction)
        case .revive(let members):
            Self.reviveMemberships(of: members, transaction)
        case .reviveMigrated, .died:
            Self.renewNumbering(transaction)
        case .groupMembers(let name, let members, let membership):
            SliceTable.groupMembership.put(
                members, of: .named(name.rawValue, in: "device_group"), membership, transaction)
        case .topicAPI(let api, let now):
            transaction.run(
                "UPDATE @progress SET topic_api = $1, topic_api_found = $2", .text(api.rawValue), .date(now))
        case .sendQuota(let perMinute, let now):
            transaction.run(
                "UPDATE @progress SET send_quota = $1, send_quota_found = $2", .int(perMinute), .date(now))
        case .erase(let members):
            try Self.erase(members, transaction)
        case .outgrow(let reported):
            transaction.run("UPDATE @progress SET serial = greatest(serial, $1)", .int(reported))
        case .spendPlan, .groupKey, .amend, .prune, .reopen, .audienceSizes, .watermark, .rename, .pause, .resume,
            .test, .applied, .approve, .note, .halt, .suspend, .unseen, .done, .stages, .drop, .stamp,
            .numberDeaths,
            .toldDeaths, .awaitFile:
            break
        }
    }

    /// Moves recipients to an entry that has a code.
    private static func settle(
        _ members: RecipientSet, of id: OccurrenceID, _ entry: LedgerEntry, _ code: String,
        _ transaction: PostgresTransaction
    ) {
        SliceTable.ledger.put(members, of: .withLedger(id), entry, transaction)
        SliceTable.rejection.move(
            members, ofOwner: SliceOwner.withLedger(id).query, .text(id.rawValue),
            to: "(SELECT id FROM @code WHERE code = $4)", .text(code), in: transaction)
    }

    /// Writes who gets which text, in the place of what was said before. Without anybody, nobody is in a wave either.
    private static func assign(
        _ classes: Partition<MessageClass>, in id: OccurrenceID, _ transaction: PostgresTransaction
    ) {
        let owner = SliceOwner.withLedger(id)
        for table in ["assignment"] + (classes.isEmpty ? ["wave"] : []) {
            transaction.run("DELETE FROM @\(table) WHERE occurrence IN (\(owner.query))", .text(owner.name))
        }
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
}
