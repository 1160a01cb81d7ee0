package import FCM
internal import Foundation
internal import GRDB
package import HeraldCore

extension SQLiteStore {
    package func snapshot() async throws -> RecordedState {
        try await reading { try StateReader(db: $0).snapshot() }
    }

    package func occurrence(_ id: OccurrenceID) async throws -> RecordedOccurrence? {
        try await reading { try StateReader(db: $0).occurrence(id) }
    }

    package func trace(of recipient: RecipientID) async throws -> Trace {
        try await reading { try StateReader(db: $0).trace(of: recipient) }
    }

    package func starts() async throws -> [OccurrenceID: Partition<MessageStart>] {
        try await reading { try StateReader(db: $0).starts() }
    }

    package func pauses() async throws -> Pauses {
        try await reading { try StateReader(db: $0).pauses() }
    }

    package func history() async throws -> History {
        try await reading { db in
            let reader = StateReader(db: db)
            return History(lineage: try reader.identity().lineage, stamps: try reader.stamps())
        }
    }

    package func notes() async throws -> [StateNote: String] {
        try await reading { try StateReader(db: $0).notes() }
    }

    package func approvals() async throws -> [String: RecordedApproval] {
        try await reading { try StateReader(db: $0).approvals() }
    }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await reading { try StateReader(db: $0).recipients(after: id, limit: limit) }
    }

    package func tombstones(after last: Tombstone?, limit: Int) async throws -> [Tombstone] {
        try await reading { try StateReader(db: $0).tombstones(after: last, limit: limit) }
    }

    package func deathNotices(after last: DeathNotice?, limit: Int) async throws -> [DeathNotice] {
        try await reading { try StateReader(db: $0).deathNotices(after: last, limit: limit) }
    }

    package func tombstoneCount() async throws -> Int {
        try await reading { try Int.fetchOne($0, sql: "SELECT count(*) FROM tombstone") ?? 0 }
    }

    package func numbering() async throws -> Numbering? {
        try await reading { try StateReader(db: $0).numbering() }
    }

    package func recipient(for key: RecipientKey) async throws -> KnownRecipient? {
        try await reading { db in
            // A token starts with its installation's key, followed by a colon.
            let statement = try db.cachedStatement(
                sql: """
                    SELECT id, registration FROM recipient
                    WHERE registration = ?1 OR substr(registration, 1, length(?1) + 1) = ?1 || ':'
                    """)
            let rows = try Row.fetchCursor(statement, arguments: [key.rawValue])
            while let row = try rows.next() {
                let recipient = try StateReader.recipient(row)
                if recipient.registration.recipientKey == key { return recipient }
            }
            return nil
        }
    }

    package func registrations(of recipients: RecipientSet) async throws -> [RecipientID: Registration] {
        try await reading { db in
            var found: [RecipientID: Registration] = [:]
            found.reserveCapacity(recipients.count)
            // Consecutive numbers are read with one query, because recipients asked for are mostly neighbours.
            let statement = try db.cachedStatement(
                sql: "SELECT id, registration FROM recipient WHERE id BETWEEN ? AND ? ORDER BY id")
            let formers = try db.cachedStatement(
                sql: "SELECT id, registration FROM former WHERE id BETWEEN ? AND ? ORDER BY id")
            for run in recipients.runs {
                let isFormer = run.lowerBound >= KnownRecipient.firstFormer
                let rows = try Row.fetchCursor(
                    isFormer ? formers : statement, arguments: [Int64(run.lowerBound), Int64(run.upperBound)])
                while let row = try rows.next() {
                    let known = try StateReader.recipient(row, isFormer: isFormer)
                    found[known.id] = known.registration
                }
            }
            return found
        }
    }

    package func check() async throws { try await reading { try SQLiteStore.check($0) } }

    static func check(_ db: Database) throws {
        let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        guard found == "ok" else { throw StateDamage(detail: "SQLite says: \(found ?? "nothing")") }
        let reader = StateReader(db: db)
        for name in try reader.snapshot().occurrences.keys { _ = try reader.occurrence(name) }
        var last: RecipientID = 0
        while let next = try reader.recipients(after: last, limit: 10_000).last?.id { last = next }
    }

    /// GRDB's own `read` sets `PRAGMA query_only` before and after. After such a pragma, SQLite compiles all statements of
    /// the connection anew.
    private func reading<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value
    {
        do {
            return try await database.writeWithoutTransaction { db in
                try db.beginTransaction(.deferred)
                // There is nothing to keep.
                defer { try? db.rollback() }
                return try body(db)
            }
        } catch {
            throw Self.stateError(error, path: path)
        }
    }
}
