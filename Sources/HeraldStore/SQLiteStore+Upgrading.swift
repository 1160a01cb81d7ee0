internal import Foundation
internal import GRDB
internal import HeraldCore

/// States that an older herald wrote.
extension SQLiteStore {
    /// Brings the state at `path`, if there is one, to this herald's format, after a copy of it beside it. Whatever
    /// happens meanwhile, the state has its old format or the new one. The caller holds the run lock.
    ///
    /// - Returns: The copy; `nil` if there was nothing to do.
    static func upgrade(at path: String, _ binding: StateBinding) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let old = try SQLiteStore(path: path)
        guard !old.isUpgraded else { return nil }
        try old.check(binding)
        let copy = freeName("\(URL(filePath: path).resolvingSymlinksInPath().path).before-v\(Schema.newest)")
        do {
            try backUp(old.database, to: copy)
            do { try Schema.migrate(old.database) } catch {
                // The state is as it was, and every further try would leave another copy.
                unlink(copy)
                throw error
            }
        } catch {
            throw stateError(error, path: path)
        }
        return copy
    }

    /// A copy of a state in this herald's format, to be read only. It is in a temporary file that has no name and ends
    /// with the store.
    func upgradedCopy() throws -> SQLiteStore {
        do {
            // An empty path makes a temporary file.
            let copy = try DatabaseQueue(path: "", configuration: Self.configuration())
            try database.backup(to: copy)
            try Schema.migrate(copy)
            return try SQLiteStore(copy, path: path, isCopy: true)
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    /// Writes a copy of the database as it is at this moment. Others may write meanwhile.
    static func backUp(_ database: DatabaseQueue, to path: String) throws {
        let draft = try DraftFile(for: path)
        let copy = try DatabaseQueue(path: draft.path, configuration: configuration())
        try database.backup(to: copy)
        try copy.close()
        try draft.publish()
    }

    private static func freeName(_ name: String) -> String {
        var (free, number) = (name, 1)
        while FileManager.default.fileExists(atPath: free) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}
