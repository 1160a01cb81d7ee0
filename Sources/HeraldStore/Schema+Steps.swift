internal import GRDB

/// The steps from one format to the next.
extension Schema {
    static func addCounts(_ db: Database) throws {
        try db.execute(
            sql: """
                -- A pruned occurrence has no rows in ledger and rejection. These counts are what is left of them.
                ALTER TABLE occurrence ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
                CREATE TABLE ledger_count (
                    occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                    state INTEGER NOT NULL,
                    members INTEGER NOT NULL,
                    PRIMARY KEY (occurrence, state)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE rejection_count (
                    occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                    state INTEGER NOT NULL REFERENCES code (id),
                    members INTEGER NOT NULL,
                    PRIMARY KEY (occurrence, state)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    static func addChecksums(_ db: Database) throws {
        func add<State>(to table: ChunkTable<State>) throws {
            try db.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
            try table.seal(db)
        }
        try add(to: ChunkTable.membership)
        try add(to: ChunkTable.groupMembership)
        try add(to: ChunkTable.ledger)
        try add(to: ChunkTable.rejection)
    }
}
