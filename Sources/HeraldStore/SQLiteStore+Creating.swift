internal import Crypto
internal import Foundation
internal import GRDB
package import HeraldCore

extension SQLiteStore {
    /// Creates an empty state and the folders above it, completely or not at all, even if the process or the machine
    /// stops. It never replaces an existing file.
    package static func create(at path: String, identity: RecordedState.Identity) throws -> SQLiteStore {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw StateError.inaccessible(path: path, detail: "the folder cannot be made")
        }
        // The name is unique, so what a crash leaves of it is never in the way.
        let draft = "\(path).\(UUID().uuidString.lowercased().prefix(8)).new"
        defer { for companion in ["", "-journal", "-wal", "-shm"] { unlink(draft + companion) } }
        do { try makeDraft(draft, identity) } catch { throw stateError(error, path: path) }
        // Unlike `rename`, `link` never replaces an existing file.
        guard link(draft, path) == 0 else { throw inaccessible(path) }
        try syncFolder(folder, of: path)
        return try open(at: path)
    }

    /// Creates a closed and synced database without companion files.
    private static func makeDraft(_ path: String, _ identity: RecordedState.Identity) throws {
        // The file's mode is set before anything is written. SQLite gives its companion files the same mode.
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw inaccessible(path) }
        close(descriptor)
        let database = try DatabaseQueue(path: path, configuration: configuration())
        try database.writeWithoutTransaction { db in
            // SQLite makes a system call for each page. This size writes a list of recipients with a quarter of the
            // calls.
            try db.execute(sql: "PRAGMA page_size = 16384")
            // An interrupted draft is never used, so it needs no journal on disk to roll it back.
            try db.execute(sql: "PRAGMA journal_mode = MEMORY")
        }
        try Schema.migrator.migrate(database)
        try database.write { try write(identity, to: $0) }
        // Done last, so that all content is in the file itself and none in a log beside it.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try database.close()
    }

    private static func write(_ identity: RecordedState.Identity, to db: Database) throws {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        let values: [String: any DatabaseValueConvertible] = [
            "lineage": identity.lineage, "project": identity.project, "endpoint": identity.endpoint.rawValue,
            "created": identity.created.timeIntervalSince1970, "serial": 0, "fingerprint_key": key,
        ]
        for (name, value) in values {
            try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, ?)", arguments: [name, value])
        }
    }

    /// Makes new names in a folder survive a power cut.
    private static func syncFolder(_ folder: String, of path: String) throws {
        let descriptor = Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw inaccessible(path) }
        defer { close(descriptor) }
        // Some file systems cannot do this and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw inaccessible(path) }
    }

    private static func inaccessible(_ path: String) -> StateError {
        .inaccessible(path: path, detail: String(cString: strerror(errno)))
    }
}
