internal import GRDB

/// The formats of the state's tables. A newer herald brings a state from one format to the next (`migrate`).
enum Schema {
    typealias Step = @Sendable (Database) throws -> Void

    /// The steps to each format from the one before it; the first makes a new state. What was released never changes.
    static let formats: [[Step]] = [
        [makeTables],
        [addCounts, addChecksums, addRegistrations, addCommits, addAssignments],
        [addBeginnings, addStamps],
        [addHalts],
        [addSuspensions, addStarts],
        [addLocalTimes, addNotices, addNotes, addObservations],
        [addUnseen],
    ]

    /// The format of the states that this herald writes.
    static var newest: Int { formats.count }

    /// What a file says about its format.
    enum Found: Hashable {
        /// It is no state.
        case none
        case format(Int)
        /// Written by a herald that knows more formats than this one.
        case newer
    }

    static func found(in db: Database) throws -> Found {
        let table = try Row.fetchOne(
            db, sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", arguments: [record])
        guard table != nil else { return .none }
        let identifiers = try String.fetchAll(db, sql: "SELECT identifier FROM \(record)").map { Int($0) ?? 0 }
        let format = identifiers.count
        guard format > 0, identifiers.sorted() == Array(1...format) else { return .none }
        return format > newest ? .newer : .format(format)
    }

    /// Takes all steps that are missing, in one transaction: whatever happens, the state has its old format or the
    /// newest.
    static func migrate(_ database: DatabaseQueue) throws {
        try database.writeWithoutTransaction { db in
            // A step may replace a table that others refer to. All references are checked at the end instead.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.inTransaction(.immediate) {
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(record) (identifier TEXT NOT NULL PRIMARY KEY)")
                let format = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(record)") ?? 0
                for number in format..<newest {
                    for step in formats[number] { try step(db) }
                    try db.execute(
                        sql: "INSERT INTO \(record) (identifier) VALUES (?)", arguments: ["\(number + 1)"])
                }
                guard try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
                    throw StateDamage(detail: "it has rows that belong to nothing")
                }
                return .commit
            }
            try db.execute(sql: "PRAGMA foreign_keys = ON")
        }
    }

    /// One row for each format up to the file's own. The name is the one that format 1 came with.
    private static let record = "grdb_migrations"
}
