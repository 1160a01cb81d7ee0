internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

extension StateChange {
    /// Does to the tables what `RecordedState.apply` does to the value.
    func write(to db: Database) throws {
        if case .open(let id, let occurrence) = self,
            try Self.taken(id, for: occurrence.campaign, answer: "1").finds(in: db)
        {
            throw StateError.occurrenceTaken(id)
        }
        for statement in statements { try statement.run(in: db) }
        switch self {
        case .register(let registrations):
            try Self.register(registrations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, db)
        case .supersede(let members):
            try Self.supersede(members, db)
        case .readopt(let formers):
            try Self.readopt(formers, db)
        case .members(let name, let members, let membership, _):
            guard let id = try Self.id(of: name.rawValue, in: "topic", db) else { return }
            try ChunkTable.membership.move(members, of: id, to: membership, db)
        case .reclassify(let name, let members, let reclassification):
            try Self.reclassify(members, of: name, reclassification, db)
        case .observed(let members, let instant):
            try Self.observe(members, at: ObservationTime(instant), db)
        case .open(let id, _):
            try Self.assign(Partition(), in: id, db)
        case .assign(let id, let classes):
            try Self.assign(classes, in: id, db)
        case .waves(let id, let waves):
            try Self.place(waves, in: id, db)
        case .outcome(let occurrence, let members, let entry):
            guard let id = try Self.idWithLedger(of: occurrence, db) else { return }
            let former = try ChunkTable.ledger.move(members, of: id, to: entry, db)
            if entry != .again, !former.isDisjoint(with: [.rejected, .skipped, .again]) {
                try ChunkTable.rejection.move(members, of: id, to: nil, db)
            }
        case .reject(let occurrence, let members, let code):
            try Self.settle(members, of: occurrence, .rejected, code, db)
        case .skip(let occurrence, let members, let reason):
            try Self.settle(members, of: occurrence, .skipped, reason.rawValue, db)
        case .restore(let occurrence, let members):
            guard let id = try Self.idWithLedger(of: occurrence, db) else { return }
            let ledger = try StateReader(db: db).occurrence(occurrence)?.ledger ?? Ledger()
            for (entry, members) in ledger.restoring(members) {
                try ChunkTable.ledger.move(members, of: id, to: entry, db)
            }
        case .finish(let id, _):
            for change in try StateReader(db: db).occurrence(id)?.settling(as: id) ?? [] { try change.write(to: db) }
        case .started(let occurrence, let members, let start):
            guard !members.isEmpty, let id = try Self.id(of: occurrence.rawValue, in: "counted", db) else { return }
            let number = try Self.id(of: start.storedName, in: "start_class", db)
            try ChunkTable.start.move(members, of: id, to: number.map { StartNumber(rawValue: Int($0)) }, db)
        case .unstarted(let occurrence, let members):
            guard let id = try Self.id(of: occurrence.rawValue, in: "counted", db) else { return }
            try ChunkTable.start.move(members, of: id, to: nil, db)
        case .forgetStarts(let instant):
            try db.execute(
                sql: "UPDATE meta SET value = max(value, ?) WHERE key = 'counting_since'",
                arguments: [instant.timeIntervalSince1970])
        case .counting(let since):
            try db.execute(sql: "DELETE FROM meta WHERE key = 'counting_since'")
            guard let since else { return }
            try db.execute(
                sql: "INSERT INTO meta (key, value) VALUES ('counting_since', ?)",
                arguments: [since.timeIntervalSince1970])
        case .forget(let members, let instant):
            try Self.bury(members, at: instant, db)
            try ChunkTable.membership.forget(members, db)
            try ChunkTable.groupMembership.forget(members, db)
        case .revive(let members):
            try Self.reviveMemberships(of: members, db)
        case .reviveMigrated, .died:
            try Self.renewNumbering(db)
        case .groupMembers(let name, let members, let membership):
            guard let id = try Self.id(of: name.rawValue, in: "device_group", db) else { return }
            try ChunkTable.groupMembership.move(members, of: id, to: membership, db)
        case .topicAPI(let api, let now):
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('topic_api', ?), ('topic_api_found', ?)",
                arguments: [api.rawValue, now.timeIntervalSince1970])
        case .sendQuota(let perMinute, let now):
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('send_quota', ?), ('send_quota_found', ?)",
                arguments: [perMinute, now.timeIntervalSince1970])
        case .erase(let members):
            guard !members.isEmpty else { return }
            // The highest number of all is remembered, since its row may go.
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('last_erased', ?)",
                arguments: [Int64(try StateReader(db: db).lastRecipient())])
            try Self.erase(members, db)
        case .outgrow(let reported):
            try db.execute(
                sql: "UPDATE meta SET value = max(value, ?) WHERE key = 'serial'", arguments: [reported])
        case .spendPlan, .groupKey, .amend, .prune, .reopen, .audienceSizes, .watermark, .rename, .pause,
            .resume, .test, .applied, .approve, .note, .halt, .suspend, .unseen, .done, .stages, .drop, .stamp,
            .numberDeaths,
            .toldDeaths, .awaitFile:
            break
        }
    }

    /// Moves recipients to an entry that has a code.
    private static func settle(
        _ members: RecipientSet, of occurrence: OccurrenceID, _ entry: LedgerEntry, _ code: String, _ db: Database
    ) throws {
        guard let id = try idWithLedger(of: occurrence, db) else { return }
        try ChunkTable.ledger.move(members, of: id, to: entry, db)
        let statement = try db.cachedStatement(sql: "SELECT id FROM code WHERE code = ?")
        let number = try Int.fetchOne(statement, arguments: [code])
        try ChunkTable.rejection.move(members, of: id, to: number.map(CodeNumber.init(rawValue:)), db)
    }

    /// `nil` if there is no such occurrence, or if it was pruned.
    static func idWithLedger(of occurrence: OccurrenceID, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM occurrence WHERE name = ? AND pruned = 0"),
            arguments: [occurrence.rawValue])
    }

    static func id(of name: String, in table: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT id FROM \(table) WHERE name = ?"), arguments: [name])
    }
}
