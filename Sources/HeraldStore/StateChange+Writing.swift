internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

extension StateChange {
    /// Does to the tables what `RecordedState.apply` does to the value.
    func write(to db: Database) throws {
        switch self {
        case .register(let registrations):
            try Self.register(registrations.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, db)
        case .supersede(let members):
            try Self.supersede(members, db)
        case .readopt(let formers):
            try Self.readopt(formers, db)
        case .spendPlan(let id):
            try db.execute(sql: "INSERT OR IGNORE INTO spent_plan (id) VALUES (?)", arguments: [id])
        case .members(let name, let members, let membership, let instant):
            try db.execute(
                sql:
                    "INSERT INTO topic (name, changed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET changed = excluded.changed",
                arguments: [name.rawValue, instant.timeIntervalSince1970])
            guard let id = try Self.id(of: name.rawValue, in: "topic", db) else { return }
            try ChunkTable.membership.move(members, of: id, to: membership, db)
        case .open(let id, let occurrence):
            guard try Self.isFree(id, for: occurrence.campaign, db) else { throw StateError.occurrenceTaken(id) }
            try db.execute(
                sql: """
                    INSERT INTO occurrence (name, campaign, revision, due, content_digest, target, begun)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, due = excluded.due,
                        content_digest = excluded.content_digest, target = excluded.target, begun = excluded.begun
                    """,
                arguments: [
                    id.rawValue, occurrence.campaign, occurrence.revision, occurrence.due?.timeIntervalSince1970,
                    occurrence.contentDigest, occurrence.target, occurrence.begun?.timeIntervalSince1970,
                ])
            try Self.assign(Partition(), in: id, db)
        case .assign(let id, let classes):
            try Self.assign(classes, in: id, db)
        case .amend(let id, let contentDigest, let target, let due):
            try db.execute(
                sql: "UPDATE occurrence SET content_digest = ?, target = ?, due = ? WHERE name = ?",
                arguments: [contentDigest, target, due?.timeIntervalSince1970, id.rawValue])
        case .outcome(let occurrence, let members, let entry):
            guard let id = try Self.idWithLedger(of: occurrence, db) else { return }
            let former = try ChunkTable.ledger.move(members, of: id, to: entry, db)
            if former.contains(.rejected) {
                try ChunkTable.rejection.move(members, of: id, to: nil, db)
            }
        case .reject(let occurrence, let members, let code):
            try StateChange.outcome(occurrence, members, .rejected).write(to: db)
            guard let id = try Self.idWithLedger(of: occurrence, db) else { return }
            try db.execute(sql: "INSERT OR IGNORE INTO code (code) VALUES (?)", arguments: [code])
            let number = try Int.fetchOne(db, sql: "SELECT id FROM code WHERE code = ?", arguments: [code])
            try ChunkTable.rejection.move(members, of: id, to: number.map(CodeNumber.init(rawValue:)), db)
        case .finish(let occurrence, let instant):
            try db.execute(
                sql: "UPDATE occurrence SET finished = ?, reopened = FALSE, halted = NULL WHERE name = ?",
                arguments: [instant.timeIntervalSince1970, occurrence.rawValue])
        case .prune(let occurrences):
            for occurrence in occurrences { try Self.prune(occurrence, db) }
        case .reopen(let occurrence):
            // Without its ledger, every recipient would get the message again.
            try db.execute(
                sql: "UPDATE occurrence SET finished = NULL, reopened = TRUE WHERE name = ? AND pruned = 0",
                arguments: [occurrence.rawValue])
        case .forget(let members, let instant):
            try Self.bury(members, at: instant, db)
            try ChunkTable.membership.forget(members, db)
            try ChunkTable.groupMembership.forget(members, db)
        case .revive(let members):
            try Self.reviveMemberships(of: members, db)
        case .died(let tombstone):
            try db.execute(
                sql: """
                    INSERT INTO tombstone (recipient, registration, died, migrated) VALUES (?, ?, ?, FALSE)
                    ON CONFLICT DO UPDATE SET died = excluded.died, migrated = FALSE
                    """,
                arguments: [
                    Int64(tombstone.recipient), tombstone.registration.rawValue, tombstone.died.timeIntervalSince1970,
                ])
        case .reviveMigrated:
            try db.execute(sql: "DELETE FROM tombstone WHERE migrated")
            try Self.renewNumbering(db)
        case .groupKey(let name, let key):
            try db.execute(
                sql: """
                    INSERT INTO device_group (name, notification_key) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET notification_key = excluded.notification_key
                    """,
                arguments: [name.rawValue, key?.rawValue])
        case .groupMembers(let name, let members, let membership):
            try db.execute(sql: "INSERT OR IGNORE INTO device_group (name) VALUES (?)", arguments: [name.rawValue])
            guard let id = try Self.id(of: name.rawValue, in: "device_group", db) else { return }
            try ChunkTable.groupMembership.move(members, of: id, to: membership, db)
        case .audienceSizes(let sizes):
            try db.execute(sql: "DELETE FROM audience_size")
            for (name, size) in sizes {
                try db.execute(
                    sql: "INSERT INTO audience_size (name, size) VALUES (?, ?)", arguments: [name, size])
            }
        case .watermark(let campaign, let mark):
            try db.execute(
                sql: "INSERT OR REPLACE INTO watermark (campaign, at, schedule, next) VALUES (?, ?, ?, ?)",
                arguments: [
                    campaign, mark.at.timeIntervalSince1970, mark.schedule, mark.next?.timeIntervalSince1970,
                ])
        case .rename(let old, let new):
            try db.execute(sql: "UPDATE occurrence SET campaign = ? WHERE campaign = ?", arguments: [new, old])
            try db.execute(
                sql: """
                    INSERT INTO watermark (campaign, at, schedule, next)
                    SELECT ?, at, schedule, next FROM watermark WHERE campaign = ?
                    ON CONFLICT (campaign) DO UPDATE
                    SET at = excluded.at, schedule = excluded.schedule, next = excluded.next WHERE excluded.at >= at OR next IS NULL
                    """,
                arguments: [new, old])
            try db.execute(sql: "DELETE FROM watermark WHERE campaign = ?", arguments: [old])
            try db.execute(sql: "UPDATE OR REPLACE pause SET campaign = ? WHERE campaign = ?", arguments: [new, old])
            try db.execute(
                sql: "UPDATE OR REPLACE former_name SET campaign = ? WHERE campaign = ?", arguments: [new, old])
            try db.execute(
                sql: "INSERT OR IGNORE INTO former_name (campaign, name) VALUES (?, ?)", arguments: [new, old])
            try db.execute(sql: "UPDATE test SET campaign = ? WHERE campaign = ?", arguments: [new, old])
        case .pause(let campaign):
            try db.execute(sql: "INSERT OR IGNORE INTO pause (campaign) VALUES (?)", arguments: [campaign ?? ""])
        case .resume(let campaign?):
            try db.execute(sql: "DELETE FROM pause WHERE campaign = ?", arguments: [campaign])
        case .resume(nil):
            try db.execute(sql: "DELETE FROM pause")
        case .topicAPI(let api, let now):
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('topic_api', ?), ('topic_api_found', ?)",
                arguments: [api.rawValue, now.timeIntervalSince1970])
        case .sendQuota(let perMinute, let now):
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('send_quota', ?), ('send_quota_found', ?)",
                arguments: [perMinute, now.timeIntervalSince1970])
        case .test(let test):
            try db.execute(
                sql: "INSERT INTO test (campaign, at, accepted, rejected, unknown) VALUES (?, ?, ?, ?, ?)",
                arguments: [test.campaign, test.at.timeIntervalSince1970, test.accepted, test.rejected, test.unknown])
        case .applied(let commit):
            try db.execute(sql: "DELETE FROM applied_commit WHERE id = ?", arguments: [commit.id])
            try db.execute(
                sql: """
                    INSERT INTO applied_commit (number, id, committed)
                    SELECT coalesce(max(number), 0) + 1, ?, ? FROM applied_commit
                    """, arguments: [commit.id, commit.committed.timeIntervalSince1970])
        case .approve(let approvals):
            try db.execute(sql: "DELETE FROM approval")
            for (resource, approval) in approvals {
                try db.execute(
                    sql: "INSERT INTO approval (resource, digest, size, approved_by, at) VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        resource, approval.digest, approval.size, approval.by, approval.at.timeIntervalSince1970,
                    ])
            }
        case .halt(let occurrence, let halt):
            try db.execute(
                sql: "UPDATE occurrence SET halted = ? WHERE name = ? AND finished IS NULL",
                arguments: [halt?.rawValue, occurrence.rawValue])
        case .erase(let members):
            guard !members.isEmpty else { return }
            // The highest number of all is remembered, since its row may go.
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('last_erased', ?)",
                arguments: [Int64(try StateReader(db: db).lastRecipient())])
            try Self.erase(members, db)
        case .drop(let resource):
            try Self.drop(resource, db)
        case .outgrow(let reported):
            try db.execute(
                sql: "UPDATE meta SET value = max(value, ?) WHERE key = 'serial'", arguments: [reported])
        case .stamp(let id, let number):
            try Self.stamp(id, outgrowing: number, db)
        }
    }

    /// `nil` if there is no such occurrence, or if it was pruned.
    static func idWithLedger(of occurrence: OccurrenceID, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM occurrence WHERE name = ? AND pruned = 0"),
            arguments: [occurrence.rawValue])
    }

    private static func prune(_ occurrence: OccurrenceID, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE occurrence SET pruned = 1 WHERE name = ? AND finished IS NOT NULL AND pruned = 0",
            arguments: [occurrence.rawValue])
        guard db.changesCount > 0, let id = try id(of: occurrence.rawValue, in: "occurrence", db) else { return }
        try ChunkTable.ledger.count(id, db)
        try ChunkTable.rejection.count(id, db)
        try ChunkTable.assignment.drop(id, db)
    }

    private static func id(of name: String, in table: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT id FROM \(table) WHERE name = ?"), arguments: [name])
    }

    private static func drop(_ resource: Resource, _ db: Database) throws {
        switch resource {
        case .topic(let name):
            guard let id = try id(of: name.rawValue, in: "topic", db) else { return }
            try ChunkTable.membership.drop(id, db)
            try db.execute(sql: "DELETE FROM topic WHERE id = ?", arguments: [id])
        case .group(let name):
            guard let id = try id(of: name.rawValue, in: "device_group", db) else { return }
            try ChunkTable.groupMembership.drop(id, db)
            try db.execute(sql: "DELETE FROM device_group WHERE id = ?", arguments: [id])
        case .campaign(let name):
            let all = try String.fetchAll(db, sql: "SELECT name FROM occurrence WHERE campaign = ?", arguments: [name])
            for occurrence in all { try drop(.occurrence(OccurrenceID(rawValue: occurrence)), db) }
            try db.execute(sql: "DELETE FROM watermark WHERE campaign = ?", arguments: [name])
            try db.execute(sql: "DELETE FROM pause WHERE campaign = ?", arguments: [name])
            try db.execute(sql: "DELETE FROM former_name WHERE campaign = ?", arguments: [name])
        case .occurrence(let occurrence):
            guard let id = try id(of: occurrence.rawValue, in: "occurrence", db) else { return }
            try ChunkTable.ledger.drop(id, db)
            try ChunkTable.rejection.drop(id, db)
            try ChunkTable.assignment.drop(id, db)
            for table in ["ledger_count", "rejection_count"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE occurrence = ?", arguments: [id])
            }
            try db.execute(sql: "DELETE FROM occurrence WHERE id = ?", arguments: [id])
        }
    }
}
