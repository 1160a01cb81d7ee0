internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

extension RecordChange {
    /// Does to the tables what `Record.apply` does to the value.
    func write(to db: Database) throws {
        switch self {
        case .intern(let registrations):
            let statement = try db.cachedStatement(
                sql:
                    "INSERT INTO recipient (id, key, rest) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET rest = excluded.rest"
            )
            for (id, registration) in registrations.sorted(by: { $0.key < $1.key }) {
                let key = registration.recipientKey.rawValue
                try statement.execute(
                    arguments: [Int64(id), key, String(registration.rawValue.dropFirst(key.count))])
            }
        case .spendPlan(let id):
            try db.execute(sql: "INSERT OR IGNORE INTO spent_plan (id) VALUES (?)", arguments: [id])
        case .members(let name, let members, let membership, let instant):
            try db.execute(
                sql:
                    "INSERT INTO topic (name, changed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET changed = excluded.changed",
                arguments: [name.rawValue, instant.timeIntervalSince1970])
            guard
                let id = try Int64.fetchOne(
                    db, sql: "SELECT id FROM topic WHERE name = ?", arguments: [name.rawValue])
            else { return }
            try ChunkTable.membership.move(members, of: id, to: membership?.rawValue, db)
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
            guard
                let id = try Int64.fetchOne(
                    db, sql: "SELECT id FROM occurrence WHERE name = ?", arguments: [occurrence.rawValue])
            else { return }
            try ChunkTable.ledger.move(members, of: id, to: entry?.rawValue, db)
        case .finish(let occurrence, let instant):
            try db.execute(
                sql: "UPDATE occurrence SET finished = ? WHERE name = ?",
                arguments: [instant.timeIntervalSince1970, occurrence.rawValue])
        case .forget(let members):
            for id in members {
                try db.execute(sql: "INSERT OR IGNORE INTO tombstone (recipient) VALUES (?)", arguments: [Int64(id)])
            }
            try ChunkTable.membership.remove(members, db)
        case .audienceSizes(let sizes):
            try db.execute(sql: "DELETE FROM audience_size")
            for (name, size) in sizes {
                try db.execute(
                    sql: "INSERT INTO audience_size (name, size) VALUES (?, ?)", arguments: [name, size])
            }
        case .watermark(let campaign, let instant):
            try db.execute(
                sql:
                    "INSERT INTO watermark (campaign, at) VALUES (?, ?) ON CONFLICT (campaign) DO UPDATE SET at = excluded.at",
                arguments: [campaign, instant.timeIntervalSince1970])
        }
    }
}
