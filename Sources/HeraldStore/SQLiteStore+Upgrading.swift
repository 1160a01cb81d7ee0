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
            try Self.copy(database, to: copy)
            try Schema.migrate(copy)
            return try SQLiteStore(copy, path: path, isCopy: true)
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    /// Writes a copy of the state as it is at this moment, whatever its format, if all of the copy can be read. Others
    /// may write meanwhile.
    func backUp(to file: String) throws {
        do {
            try Self.backUp(database, to: file) { copy in
                do {
                    let copied = try SQLiteStore(copy, path: path)
                    try (copied.isUpgraded ? copied : copied.upgradedCopy()).database.read { try Self.check($0) }
                } catch {
                    // What is wrong with the copy is wrong with the state.
                    throw Self.stateError(error, path: path)
                }
            }
        } catch {
            throw Self.stateError(error, path: file)
        }
    }

    private static func backUp(
        _ database: DatabaseQueue, to path: String, check: (DatabaseQueue) throws -> Void = { _ in }
    ) throws {
        let draft = try DraftFile(for: path)
        let copy = try DatabaseQueue(path: draft.path, configuration: configuration())
        try Self.copy(database, to: copy)
        try check(copy)
        try copy.close()
        try draft.publish()
    }

    private static func copy(_ database: DatabaseQueue, to copy: DatabaseQueue) throws {
        do { try database.backup(to: copy) } catch let error as DatabaseError {
            // Its message is that of an earlier call, which succeeded. Without one, it gets that of its code.
            throw DatabaseError(resultCode: error.extendedResultCode)
        }
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
