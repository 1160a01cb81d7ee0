package import FCM
internal import Foundation
internal import GRDB
package import HeraldCore

/// The state in a SQLite file: write-ahead log, every commit synced, readable by its owner only.
package final class SQLiteStore: StateStore {
    package let fingerprintKey: [UInt8]
    let path: String
    let database: DatabaseQueue

    /// Opens the state at `path`, which must be bound to that project and endpoint.
    package static func open(at path: String, project: String, endpoint: EndpointKind) throws -> SQLiteStore {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
        let store = try SQLiteStore(path: path)
        let identity = try store.identity()
        guard identity.project == project, identity.endpoint == endpoint else {
            throw StateError.bound(
                path: path, to: "project '\(identity.project)' at \(identity.endpoint.rawValue)",
                wanted: "project '\(project)' at \(endpoint.rawValue)")
        }
        return store
    }

    /// Opens the state at `path` whatever it is bound to.
    package static func open(at path: String) throws -> SQLiteStore {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
        return try SQLiteStore(path: path)
    }

    /// Opens the state at `path` with commits that are synced less than promised, so that tests can show what that
    /// loses.
    static func open(at path: String, synchronous: Synchronous) throws -> SQLiteStore {
        try SQLiteStore(path: path, synchronous: synchronous)
    }

    /// What SQLite waits for when it commits to its write-ahead log; only `full` keeps every commit through a power cut.
    enum Synchronous: String, CaseIterable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
    }

    private init(path: String, synchronous: Synchronous = .full) throws {
        self.path = path
        do {
            let database = try DatabaseQueue(path: path, configuration: Self.configuration(synchronous))
            self.database = database
            try database.read { db in
                guard try !Schema.migrator.hasBeenSuperseded(db) else { throw StateError.newer(path: path) }
                guard try Schema.migrator.hasCompletedMigrations(db) else {
                    throw StateError.damaged(path: path, detail: "it holds no tables of herald's")
                }
            }
            fingerprintKey = try database.read { db in
                Array(try Data.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'fingerprint_key'") ?? Data())
            }
        } catch {
            throw Self.stateError(error, path: path)
        }
        guard fingerprintKey.count == 32 else {
            throw StateError.damaged(path: path, detail: "its fingerprint key is missing")
        }
    }

    static func configuration(_ synchronous: Synchronous = .full) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
            try db.execute(sql: "PRAGMA foreign_keys = ON")
            // A crafted schema must not run functions of its choosing.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    func identity() throws -> HeraldCore.RecordedState.Identity {
        do {
            return try database.read { try StateReader(db: $0).identity() }
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    /// GRDB's errors name SQL and values; people need to know what is wrong with the file.
    static func stateError(_ error: any Error, path: String) -> StateError {
        switch error {
        case let error as StateError: return error
        case let error as ChunkTable.Damage: return .damaged(path: path, detail: error.detail)
        case is RecipientSet.DamagedChunk: return .damaged(path: path, detail: "a set of recipients cannot be read")
        case let error as StateReader.Damage: return .damaged(path: path, detail: error.detail)
        case let error as DatabaseError:
            let code = error.resultCode
            // SQLITE_ERROR: a table or column that every state has is not there.
            if [.SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_MISMATCH, .SQLITE_ERROR].contains(code) {
                return .damaged(path: path, detail: "SQLite says: \(error.message ?? code.description)")
            }
            return .inaccessible(path: path, detail: "SQLite says: \(error.message ?? code.description)")
        default:
            return .damaged(path: path, detail: "it cannot be read as a state")
        }
    }
}

extension SQLiteStore {
    package func state() async throws -> HeraldCore.RecordedState {
        try await reading { try StateReader(db: $0).state() }
    }

    package func pauses() async throws -> Pauses {
        try await reading { try StateReader(db: $0).pauses() }
    }

    package func recipients(after id: RecipientID, limit: Int) async throws -> [KnownRecipient] {
        try await reading { db in
            let statement = try db.cachedStatement(
                sql: "SELECT id, registration FROM recipient WHERE id > ? ORDER BY id LIMIT ?")
            let rows = try Row.fetchCursor(statement, arguments: [Int64(id), limit])
            var found: [KnownRecipient] = []
            while let row = try rows.next() { found.append(try StateReader.recipient(row)) }
            return found
        }
    }

    package func numbering() async throws -> Numbering? {
        try await reading { try StateReader(db: $0).numbering() }
    }

    package func recipient(for key: RecipientKey) async throws -> KnownRecipient? {
        try await reading { db in
            // A token of the installation goes on behind its key.
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
            // Neighbours are read in one go: those that are asked for are mostly next to each other.
            let statement = try db.cachedStatement(
                sql: "SELECT id, registration FROM recipient WHERE id BETWEEN ? AND ? ORDER BY id")
            for run in recipients.runs {
                let rows = try Row.fetchCursor(
                    statement, arguments: [Int64(run.lowerBound), Int64(run.upperBound)])
                while let row = try rows.next() {
                    let known = try StateReader.recipient(row)
                    found[known.id] = known.registration
                }
            }
            return found
        }
    }

    package func commit(_ changes: [StateChange]) async throws {
        do {
            try await database.write { db in
                for change in changes { try change.write(to: db) }
                if changes.contains(where: \.isEffect) {
                    try db.cachedStatement(sql: "UPDATE meta SET value = value + 1 WHERE key = 'serial'").execute()
                }
            }
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    private func reading<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value
    {
        do {
            return try await database.read(body)
        } catch {
            throw Self.stateError(error, path: path)
        }
    }
}
