internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

extension StateChange {
    /// Does to the tables what `RecordedState.apply` does to the value.
    func write(to db: Database) throws {
        switch self {
        case .register(let registrations):
            let statement = try db.cachedStatement(
                sql: """
                    INSERT INTO recipient (id, registration) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET registration = excluded.registration
                    """)
            for (id, registration) in registrations.sorted(by: { $0.key < $1.key }) {
                try statement.execute(arguments: [Int64(id), registration.rawValue])
            }
            try db.cachedStatement(
                sql: """
                    INSERT INTO meta (key, value) VALUES ('numbering', randomblob(\(Numbering.versionSize)))
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    """
            ).execute()
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
            try db.execute(
                sql: """
                    INSERT INTO occurrence (name, campaign, revision, due, content_digest, target)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET campaign = excluded.campaign, revision = excluded.revision,
                        due = excluded.due, content_digest = excluded.content_digest, target = excluded.target
                    """,
                arguments: [
                    id.rawValue, occurrence.campaign, occurrence.revision, occurrence.due?.timeIntervalSince1970,
                    occurrence.contentDigest, occurrence.target,
                ])
        case .outcome(let occurrence, let members, let entry):
            guard let id = try Self.id(of: occurrence.rawValue, in: "occurrence", db) else { return }
            let former = try ChunkTable.ledger.move(members, of: id, to: entry, db)
            if former.contains(.rejected) {
                try ChunkTable.rejection.move(members, of: id, to: nil, db)
            }
        case .reject(let occurrence, let members, let code):
            try StateChange.outcome(occurrence, members, .rejected).write(to: db)
            guard let id = try Self.id(of: occurrence.rawValue, in: "occurrence", db) else { return }
            try db.execute(sql: "INSERT OR IGNORE INTO code (code) VALUES (?)", arguments: [code])
            let number = try Int.fetchOne(db, sql: "SELECT id FROM code WHERE code = ?", arguments: [code])
            try ChunkTable.rejection.move(members, of: id, to: number.map(CodeNumber.init(rawValue:)), db)
        case .finish(let occurrence, let instant):
            try db.execute(
                sql: "UPDATE occurrence SET finished = ? WHERE name = ?",
                arguments: [instant.timeIntervalSince1970, occurrence.rawValue])
        case .reopen(let occurrence):
            try db.execute(
                sql: "UPDATE occurrence SET finished = NULL WHERE name = ?", arguments: [occurrence.rawValue])
        case .forget(let members):
            let statement = try db.cachedStatement(sql: "INSERT OR IGNORE INTO tombstone (recipient) VALUES (?)")
            for id in members { try statement.execute(arguments: [Int64(id)]) }
            try ChunkTable.membership.remove(members, db)
            try ChunkTable.groupMembership.remove(members, db)
        case .revive(let members):
            for id in members {
                try db.execute(sql: "DELETE FROM tombstone WHERE recipient = ?", arguments: [Int64(id)])
            }
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
                    SET at = excluded.at, schedule = excluded.schedule, next = excluded.next WHERE excluded.at > at
                    """,
                arguments: [new, old])
            try db.execute(sql: "DELETE FROM watermark WHERE campaign = ?", arguments: [old])
            try db.execute(sql: "UPDATE OR REPLACE pause SET campaign = ? WHERE campaign = ?", arguments: [new, old])
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
        case .test(let test):
            try db.execute(
                sql: "INSERT INTO test (campaign, at, accepted, rejected, unknown) VALUES (?, ?, ?, ?, ?)",
                arguments: [test.campaign, test.at.timeIntervalSince1970, test.accepted, test.rejected, test.unknown])
        case .drop(let resource):
            try Self.drop(resource, db)
        }
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
        case .occurrence(let occurrence):
            guard let id = try id(of: occurrence.rawValue, in: "occurrence", db) else { return }
            try ChunkTable.ledger.drop(id, db)
            try ChunkTable.rejection.drop(id, db)
            try db.execute(sql: "DELETE FROM occurrence WHERE id = ?", arguments: [id])
        }
    }
}
