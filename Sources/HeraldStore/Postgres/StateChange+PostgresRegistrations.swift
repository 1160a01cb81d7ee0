internal import FCM
internal import Foundation
internal import HeraldCore

/// Writes what concerns registrations: who is dead, and which registration a membership was made with.
extension StateChange {
    static func register(_ registrations: [RecipientID: Registration], _ transaction: PostgresTransaction) {
        let sorted = registrations.sorted { $0.key < $1.key }
        let ids = PostgresValue.ints(sorted.map { Int64($0.key) })
        let texts = PostgresValue.texts(sorted.map(\.value.rawValue))
        transaction.run(
            """
            INSERT INTO @recipient (id, registration) SELECT * FROM unnest($1::bigint[], $2::text[])
            ON CONFLICT (id) DO UPDATE SET registration = excluded.registration
            """, ids, texts)
        lift(ids, texts, transaction)
        renewNumbering(transaction)
    }

    /// Registrations that are used again are not dead.
    static func lift(_ ids: PostgresValue, _ texts: PostgresValue, _ transaction: PostgresTransaction) {
        transaction.run(
            """
            DELETE FROM @tombstone AS dead USING unnest($1::bigint[], $2::text[]) AS alive (recipient, registration)
            WHERE dead.recipient = alive.recipient AND dead.registration = alive.registration
            """, ids, texts)
    }

    /// Draws a new version of the numbering. Whatever was kept for the old one is not used any more.
    static func renewNumbering(_ transaction: PostgresTransaction) {
        let version = (0..<Numbering.versionSize).map { _ in UInt8.random(in: 0...255) }
        transaction.run("UPDATE @progress SET numbering = $1", .bytes(version))
    }

    /// Notes that the current registrations of these recipients died, or those that former numbers stand for.
    static func bury(_ members: RecipientSet, at instant: Date, _ transaction: PostgresTransaction) {
        let ids = PostgresValue.ints(members.map { Int64($0) })
        for source in ["id AS recipient, registration FROM @recipient", "recipient, registration FROM @former"] {
            transaction.run(
                """
                INSERT INTO @tombstone (recipient, registration, died, migrated)
                SELECT DISTINCT recipient, registration, $2::float8, false
                FROM (SELECT \(source) WHERE id = ANY ($1)) AS dead
                ON CONFLICT (recipient, registration) DO UPDATE SET died = excluded.died, migrated = false
                """, ids, .date(instant))
        }
        // The row of another registration may have the zone that counts now.
        if members.hasFormers { renewNumbering(transaction) }
    }

    /// Does to the tables what `RecordedState.supersede` does to the value.
    static func supersede(_ members: RecipientSet, _ transaction: PostgresTransaction) throws {
        guard !members.isEmpty else { return }
        let moving = try SliceTable.membership.ofRegistrations(among: members, in: transaction)
            .union(SliceTable.groupMembership.ofRegistrations(among: members, in: transaction))
        SliceTable.observation.remove(members.subtracting(moving), in: transaction)
        guard !moving.isEmpty else { return }
        // Whoever else gives numbers waits for this row.
        renewNumbering(transaction)
        let last = try transaction.fetch("SELECT coalesce(max(id), $1) FROM @former", .int(firstFormer - 1))
        guard let row = last.first, let next = RecipientID(exactly: try row.int(0) + 1) else {
            throw StateDamage(detail: "a former number is out of range")
        }
        let numbers = Dictionary(uniqueKeysWithValues: zip(moving, next...))
        transaction.run(
            """
            INSERT INTO @former (id, recipient, registration)
            SELECT given.former, id, registration
            FROM unnest($1::bigint[], $2::bigint[]) AS given (former, recipient) JOIN @recipient ON id = given.recipient
            """, .ints(numbers.map { Int64($0.value) }), .ints(numbers.map { Int64($0.key) }))
        try renumber(moving, by: numbers, except: Membership.personal, transaction)
    }

    private static func renumber(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<Membership> = [],
        _ transaction: PostgresTransaction
    ) throws {
        try SliceTable.membership.renumber(members, by: numbers, except: fixed, in: transaction)
        try SliceTable.groupMembership.renumber(members, by: numbers, in: transaction)
        try SliceTable.observation.renumber(members, by: numbers, in: transaction)
    }

    private static var firstFormer: Int64 { Int64(KnownRecipient.firstFormer) }

    /// Does to the tables what `RecordedState.readopt` does to the value.
    static func readopt(_ returning: RecipientSet, _ transaction: PostgresTransaction) throws {
        var numbers: [RecipientID: RecipientID] = [:]
        let found = try transaction.fetch(
            "DELETE FROM @former WHERE id = ANY ($1) RETURNING id, recipient", .ints(returning.map { Int64($0) }))
        for row in found.all {
            numbers[try StoredValue.formerID(row.int(0))] = try StoredValue.recipientID(row.int(1))
        }
        let members = RecipientSet(numbers.keys.sorted())
        guard !members.isEmpty else { return }
        try renumber(members, by: numbers, transaction)
        reviveMemberships(of: RecipientSet(Set(numbers.values).sorted()), transaction)
    }

    /// Does to the tables what `RecordedState.reviveMemberships` does to the value.
    static func reviveMemberships(of members: RecipientSet, _ transaction: PostgresTransaction) {
        SliceTable.membership.revive(members, in: transaction)
        SliceTable.groupMembership.revive(members, in: transaction)
    }

    /// Deletes recipients with all their registrations and memberships.
    static func erase(_ members: RecipientSet, _ transaction: PostgresTransaction) throws {
        guard !members.isEmpty else { return }
        // The highest number of all is remembered, since its row may go.
        transaction.run(
            "UPDATE @progress SET last_erased = greatest(last_erased, (SELECT max(id) FROM @recipient))")
        let ids = PostgresValue.ints(members.map { Int64($0) })
        let formers = try transaction.fetch("DELETE FROM @former WHERE recipient = ANY ($1) RETURNING id", ids)
        var leaving = members
        for row in formers.all { leaving.insert(try StoredValue.formerID(row.int(0))) }
        transaction.run("DELETE FROM @tombstone WHERE recipient = ANY ($1)", ids)
        transaction.run("DELETE FROM @recipient WHERE id = ANY ($1)", ids)
        // What a crashed run left.
        transaction.run("DELETE FROM @job_row")
        SliceTable.membership.remove(leaving, in: transaction)
        SliceTable.groupMembership.remove(leaving, in: transaction)
        SliceTable.start.remove(members, in: transaction)
        SliceTable.observation.remove(leaving, in: transaction)
        renewNumbering(transaction)
    }
}
