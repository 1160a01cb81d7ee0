internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

/// Writes what concerns registrations: who is dead, and which registration a membership was made with.
extension StateChange {
    /// Draws a new version of the numbering. Whatever was kept for the old one is not used any more.
    static func renewNumbering(_ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO meta (key, value) VALUES ('numbering', randomblob(\(Numbering.versionSize)))
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """
        ).execute()
    }

    /// Writes registrations, and lifts their tombstones. Of several with the same number the last one stays.
    static func register(_ registrations: some Sequence<(RecipientID, Registration)>, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO recipient (id, registration) VALUES (?, ?)
                ON CONFLICT (id) DO UPDATE SET registration = excluded.registration
                """)
        var numbers = RecipientSet()
        for (id, registration) in registrations {
            try statement.execute(arguments: [Int64(id), registration.rawValue])
            numbers.insert(id)
        }
        // New numbers are neighbours, and hardly any recipient has a tombstone.
        let lifting = try db.cachedStatement(
            sql: """
                DELETE FROM tombstone WHERE recipient BETWEEN ? AND ?
                AND registration = (SELECT registration FROM recipient WHERE id = tombstone.recipient)
                """)
        for run in numbers.runs {
            try lifting.execute(arguments: [Int64(run.lowerBound), Int64(run.upperBound)])
        }
        try renewNumbering(db)
    }

    /// Notes that the current registrations of these recipients died, or those that former numbers stand for.
    static func bury(_ members: RecipientSet, at instant: Date, _ db: Database) throws {
        let statements = try ["id AS recipient, registration FROM recipient", "recipient, registration FROM former"]
            .map { source in
                try db.cachedStatement(
                    sql: """
                        INSERT INTO tombstone (recipient, registration, died, migrated)
                        SELECT recipient, registration, ?, FALSE FROM (SELECT \(source) WHERE id BETWEEN ? AND ?)
                        WHERE TRUE ON CONFLICT DO UPDATE SET died = excluded.died, migrated = FALSE
                        """)
            }
        for run in members.runs {
            let statement = statements[run.lowerBound < KnownRecipient.firstFormer ? 0 : 1]
            try statement.execute(
                arguments: [instant.timeIntervalSince1970, Int64(run.lowerBound), Int64(run.upperBound)])
        }
        // The row of another registration may have the zone that counts now.
        if members.hasFormers { try renewNumbering(db) }
    }

    /// Does to the tables what `RecordedState.supersede` does to the value.
    static func supersede(_ members: RecipientSet, _ db: Database) throws {
        let moving = try ChunkTable.membership.ofRegistrations(among: members, db)
            .union(ChunkTable.groupMembership.ofRegistrations(among: members, db))
        try ChunkTable.observation.remove(members.subtracting(moving), db)
        guard !moving.isEmpty else { return }
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM former").map(StoredValue.formerID)
        let next = last.map { $0 + 1 } ?? KnownRecipient.firstFormer
        let numbers = Dictionary(uniqueKeysWithValues: zip(moving, next...))
        let statement = try db.cachedStatement(
            sql:
                "INSERT INTO former (id, recipient, registration) SELECT ?, id, registration FROM recipient WHERE id = ?"
        )
        for (recipient, former) in numbers { try statement.execute(arguments: [Int64(former), Int64(recipient)]) }
        try renumber(moving, by: numbers, except: Membership.personal, db)
    }

    private static func renumber(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<Membership> = [],
        _ db: Database
    ) throws {
        try ChunkTable.membership.renumber(members, by: numbers, except: fixed, db)
        try ChunkTable.groupMembership.renumber(members, by: numbers, db)
        try ChunkTable.observation.renumber(members, by: numbers, db)
    }

    /// Does to the tables what `RecordedState.readopt` does to the value.
    static func readopt(_ returning: RecipientSet, _ db: Database) throws {
        var numbers: [RecipientID: RecipientID] = [:]
        for former in returning {
            let statement = try db.cachedStatement(sql: "DELETE FROM former WHERE id = ? RETURNING recipient")
            let recipient = try Int64.fetchOne(statement, arguments: [Int64(former)])
            numbers[former] = try recipient.map(StoredValue.recipientID)
        }
        let members = RecipientSet(numbers.keys.sorted())
        try renumber(members, by: numbers, db)
        try reviveMemberships(of: RecipientSet(Set(numbers.values).sorted()), db)
    }

    /// Does to the tables what `RecordedState.reviveMemberships` does to the value.
    static func reviveMemberships(of members: RecipientSet, _ db: Database) throws {
        try ChunkTable.membership.revive(members, db)
        try ChunkTable.groupMembership.revive(members, db)
    }

    /// Deletes recipients with all their registrations and memberships.
    static func erase(_ members: RecipientSet, _ db: Database) throws {
        var leaving = members
        let ofFormers = try db.cachedStatement(sql: "DELETE FROM former WHERE recipient = ? RETURNING id")
        let ofTombstones = try db.cachedStatement(sql: "DELETE FROM tombstone WHERE recipient = ?")
        let ofRecipients = try db.cachedStatement(sql: "DELETE FROM recipient WHERE id = ?")
        for id in members {
            let formers = try Int64.fetchAll(ofFormers, arguments: [Int64(id)])
            for former in try formers.map(StoredValue.formerID) { leaving.insert(former) }
            try ofTombstones.execute(arguments: [Int64(id)])
            try ofRecipients.execute(arguments: [Int64(id)])
        }
        try ChunkTable.membership.remove(leaving, db)
        try ChunkTable.groupMembership.remove(leaving, db)
        try ChunkTable.start.remove(members, db)
        try ChunkTable.observation.remove(leaving, db)
        try renewNumbering(db)
    }
}
