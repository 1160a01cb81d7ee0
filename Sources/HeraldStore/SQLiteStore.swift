internal import Foundation
internal import GRDB
internal import HeraldCore

/// The state in a SQLite file: with a write-ahead log, every commit synced, and readable by its owner only.
package final class SQLiteStore: StateStore {
    package let fingerprintKey: [UInt8]
    let path: String
    let database: DatabaseQueue

    /// Whether it is a temporary copy. What was written to it would be lost.
    let isCopy: Bool
    /// Whether its tables have this herald's format.
    let isUpgraded: Bool
    /// What it is bound to, as it was opened. A copy may be made also of a state that does not say that.
    private let identity: Result<RecordedState.Identity, any Error>

    /// Opens the state at `path`, whatever it is bound to.
    package static func open(at path: String) throws -> SQLiteStore { try SQLiteStore(path: path).upgraded() }

    /// Opens the state at `path` with commits that are synced less than promised. Tests use it to show what that loses.
    static func open(at path: String, synchronous: Synchronous) throws -> SQLiteStore {
        try SQLiteStore(path: path, synchronous: synchronous).upgraded()
    }

    /// What SQLite waits for when it commits to its write-ahead log. Only `full` keeps every commit after a power cut.
    enum Synchronous: String, CaseIterable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
    }

    /// - Parameter path: may be a state of an older format.
    convenience init(path: String, synchronous: Synchronous = .full) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
        do {
            try self.init(DatabaseQueue(path: path, configuration: Self.configuration(synchronous)), path: path)
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    /// - Parameter path: for messages.
    init(_ database: DatabaseQueue, path: String, isCopy: Bool = false) throws {
        self.path = path
        self.isCopy = isCopy
        self.database = database
        // One transaction for all of it: each takes more statements than what is asked.
        (isUpgraded, fingerprintKey, identity) = try database.read {
            db -> (Bool, [UInt8], Result<RecordedState.Identity, any Error>) in
            let found = try Schema.found(in: db)
            if found == .newer { throw StateError.newer(path: path) }
            guard case .format(let format) = found else {
                throw StateError.damaged(path: path, detail: "it holds no tables of herald's")
            }
            if let error = try Self.closure(of: path, db) { throw error }
            let reader = StateReader(db: db)
            return (format == Schema.newest, try reader.fingerprintKey(), Result { try reader.identity() })
        }
        guard fingerprintKey.count == 32 else {
            throw StateError.damaged(path: path, detail: "its fingerprint key is missing")
        }
    }

    /// Why the state at `path` must not be used. `nil` if it may be.
    static func closure(of path: String, _ db: Database) throws -> StateError? {
        let statement = try db.cachedStatement(
            sql: "SELECT value FROM meta WHERE key IN ('moved_to', 'closed') ORDER BY key")
        guard let value = try DatabaseValue.fetchOne(statement) else { return nil }
        return String.fromDatabaseValue(value).map { .moved(path: path, to: $0) } ?? .incomplete(path: path)
    }

    /// The state itself if it has the newest format.
    private func upgraded() throws -> SQLiteStore {
        guard isUpgraded else { throw StateError.older(path: path) }
        return self
    }

    /// Throws if it is bound to another project or endpoint, or to another workspace if both name one.
    func check(_ wanted: StateBinding) throws {
        let bound: StateBinding
        do { bound = StateBinding(try identity.get()) } catch { throw Self.stateError(error, path: path) }
        guard bound.fits(wanted) else {
            throw StateError.bound(path: path, to: bound.phrase, wanted: wanted.phrase)
        }
    }

    static func configuration(_ synchronous: Synchronous = .full) -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
            // On macOS, a sync alone does not reach the disk. Elsewhere this changes nothing.
            try db.execute(sql: "PRAGMA fullfsync = ON")
            // A crafted schema must not be able to run functions of its choice.
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    /// Replaces GRDB's errors, which show SQL and values, with what is wrong with the file.
    static func stateError(_ error: any Error, path: String) -> StateError {
        switch error {
        case let error as StateError: return error
        case is RecipientSet.DamagedChunk: return .damaged(path: path, detail: "a set of recipients cannot be read")
        case let error as StateDamage: return .damaged(path: path, detail: error.detail)
        case let error as DatabaseError:
            let code = error.resultCode
            // SQLITE_ERROR means that a table or column that every state has is missing.
            if [.SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_MISMATCH, .SQLITE_ERROR].contains(code) {
                return .damaged(path: path, detail: "SQLite says: \(error.message ?? code.description)")
            }
            return .inaccessible(
                path: path, detail: "SQLite says: \(error.message ?? code.description)",
                help: code == .SQLITE_FULL ? "make room on its disk, then run the command again" : nil)
        default:
            return .damaged(path: path, detail: "it cannot be read as a state")
        }
    }
}
