internal import Crypto
internal import Foundation
internal import GRDB
package import HeraldCore

extension SQLiteStore {
    /// Creates an empty state and the folders above it, completely or not at all, even if the process or the machine
    /// stops. It never replaces an existing file.
    package static func create(at path: String, identity: RecordedState.Identity) throws -> SQLiteStore {
        do {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw StateError.inaccessible(
                path: path, detail: "the folder cannot be made",
                help: "look at who may write in the folder above it")
        }
        try make(at: path) { try write(identity, to: $0) }
        return try open(at: path)
    }

    /// Makes a new file with the tables of a state, and what `body` writes to them. Its folder must exist.
    static func make(at path: String, _ body: (Database) throws -> Void) throws {
        let draft = try DraftFile(for: path)
        do { try fill(draft.path, body) } catch { throw stateError(error, path: path) }
        try draft.publish()
    }

    /// Makes an empty file a closed and synced database without companion files.
    private static func fill(_ path: String, _ body: (Database) throws -> Void) throws {
        let database = try DatabaseQueue(path: path, configuration: configuration())
        try database.writeWithoutTransaction { db in
            // SQLite makes a system call for each page. This size writes a list of recipients with a quarter of the
            // calls.
            try db.execute(sql: "PRAGMA page_size = 16384")
            // An interrupted draft is never used, so it needs no journal on disk to roll it back.
            try db.execute(sql: "PRAGMA journal_mode = MEMORY")
        }
        try Schema.migrate(database)
        try database.write { try body($0) }
        // Done last, so that all content is in the file itself and none in a log beside it.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try database.close()
    }

    private static func write(_ identity: RecordedState.Identity, to db: Database) throws {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        var values: [String: any DatabaseValueConvertible] = [
            "lineage": identity.lineage, "project": identity.project, "endpoint": identity.endpoint.rawValue,
            "created": identity.created.timeIntervalSince1970, "serial": 0, "fingerprint_key": key,
        ]
        values["workspace"] = identity.workspace
        for (name, value) in values {
            try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, ?)", arguments: [name, value])
        }
    }
}
