internal import Foundation
internal import GRDB
package import HeraldCore

extension SQLiteStore {
    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) async throws -> [RecipientID] {
        try await writing { db in
            let reader = StateReader(db: db)
            let others = try reader.recipients(after: last, limit: .max)
            let numbers = arrivals.numbers(besides: others, after: try reader.lastRecipient())
            try StateChange.register(zip(numbers, arrivals.lazy.map(\.registration)), db)
            return numbers
        }
    }

    /// The run lock already keeps runs apart. If someone deletes the lock file, the epoch still does.
    package func lease(to holder: String) async throws -> WorkLease {
        try await writing { db in
            let epoch = try StateReader(db: db).epoch() &+ 1
            try db.execute(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES ('epoch', ?)", arguments: [epoch])
            return WorkLease(holder: holder, epoch: epoch)
        }
    }

    package func commit(_ changes: [StateChange], under lease: WorkLease) async throws {
        try await writing { db in
            guard try StateReader(db: db).epoch() == lease.epoch else {
                throw StateError.leaseLost(holder: lease.holder)
            }
            try Self.write(changes, to: db)
        }
    }

    package func commit(_ changes: [StateChange]) async throws {
        try await writing { try Self.write(changes, to: $0) }
    }

    package func compact() async throws -> Compaction {
        do {
            if isCopy { throw StateError.older(path: path) }
            try await database.writeWithoutTransaction { db in
                // Before it, the log would keep what was removed; after it, the file's end.
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
            return .done
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return .postponed("another process reads the state")
        } catch {
            throw Self.stateError(error, path: path)
        }
    }

    private static func write(_ changes: [StateChange], to db: Database) throws {
        for change in changes { try change.write(to: db) }
        if changes.contains(where: \.isEffect) {
            try db.cachedStatement(sql: "UPDATE meta SET value = value + 1 WHERE key = 'serial'").execute()
        }
    }

    private func writing<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value
    {
        do {
            if isCopy { throw StateError.older(path: path) }
            return try await database.write { [path] db in
                // It may have been moved since it was opened.
                if let error = try Self.closure(of: path, db) { throw error }
                return try body(db)
            }
        } catch {
            throw Self.stateError(error, path: path)
        }
    }
}
