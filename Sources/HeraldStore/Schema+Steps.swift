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

    /// `meta` may hold `workspace`, `closed` (1 while a copy is not complete), `moved_to`, `send_quota` and
    /// `send_quota_found`, too.
    static func addCommits(_ db: Database) throws {
        try db.execute(
            sql: """
                -- Git commits that were applied, in the order in which they last were.
                CREATE TABLE applied_commit (
                    number INTEGER PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    committed REAL NOT NULL
                ) STRICT;
                -- What was approved last, by kind:name.
                CREATE TABLE approval (
                    resource TEXT PRIMARY KEY,
                    digest TEXT NOT NULL,
                    size INTEGER,
                    approved_by TEXT NOT NULL,
                    at REAL NOT NULL
                ) STRICT, WITHOUT ROWID;
                -- Whether a person must say how it goes on, since its database failed over.
                ALTER TABLE occurrence ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
                """)
    }

    static func addAssignments(_ db: Database) throws {
        try db.execute(
            sql: """
                -- Texts that recipients of personal campaigns get: a key among `locales` (NULL for the message) and a
                -- variant (NULL without variants). A holdout is sent nothing.
                CREATE TABLE message_class (
                    id INTEGER PRIMARY KEY, locale TEXT, variant TEXT, holdout INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX message_class_once ON message_class (
                    locale IS NULL, coalesce(locale, ''), variant IS NULL, coalesce(variant, ''), holdout
                );
                -- Who gets which of them: the state is the class's number.
                CREATE TABLE assignment (
                    occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                    state INTEGER NOT NULL REFERENCES message_class (id),
                    chunk INTEGER NOT NULL,
                    members INTEGER NOT NULL,
                    bytes BLOB NOT NULL,
                    checksum INTEGER NOT NULL,
                    PRIMARY KEY (occurrence, state, chunk)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    static func addBeginnings(_ db: Database) throws {
        try db.execute(
            sql: """
                -- When an occurrence began, and whether a person took its end back.
                ALTER TABLE occurrence ADD COLUMN begun REAL;
                ALTER TABLE occurrence ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0;
                """)
    }

    /// Deaths and memberships belong to registrations, and a history notes the names it had.
    static func addRegistrations(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE tombstone RENAME TO dead_recipient;
                CREATE TABLE tombstone (
                    recipient INTEGER NOT NULL REFERENCES recipient (id),
                    registration TEXT NOT NULL,
                    died REAL NOT NULL,
                    -- Whether it is from format 1, which noted only whose installation was dead.
                    migrated INTEGER NOT NULL,
                    PRIMARY KEY (recipient, registration)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO tombstone
                SELECT id, registration, CAST(strftime('%s', 'now') AS REAL), TRUE
                FROM dead_recipient JOIN recipient ON id = recipient;
                DROP TABLE dead_recipient;

                -- Numbers for memberships that were made with an earlier registration of a recipient.
                CREATE TABLE former (
                    id INTEGER PRIMARY KEY,
                    recipient INTEGER NOT NULL REFERENCES recipient (id),
                    registration TEXT NOT NULL
                ) STRICT;

                -- The names that a campaign had before it was renamed. In format 1 only the ids of occurrences tell.
                CREATE TABLE former_name (
                    campaign TEXT NOT NULL,
                    name TEXT NOT NULL,
                    PRIMARY KEY (campaign, name)
                ) STRICT, WITHOUT ROWID;
                INSERT OR IGNORE INTO former_name
                SELECT campaign, substr(name, 1, instr(name, '@') - 1) FROM occurrence
                WHERE substr(name, 1, length(campaign) + 1) != campaign || '@';
                """)
    }

    /// A membership may be forgotten too (`Membership.forgotten`, `GroupMembership.forgotten`).
    static func addStamps(_ db: Database) throws {
        try db.execute(
            sql: """
                -- What runs and commands left, in their order and without a gap. The newest are kept.
                CREATE TABLE stamp (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;
                """)
    }

    /// When the window of an occurrence closed while a run was sending it.
    static func addSuspensions(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE occurrence ADD COLUMN suspended REAL")
    }

    /// When messages that count for frequency caps started. It outlives the occurrences, so it has their names itself.
    /// `meta` may hold `counting_since`, too.
    static func addStarts(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE counted (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
                -- Until when messages count as started, and the tags that they had.
                CREATE TABLE start_class (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, until REAL NOT NULL
                ) STRICT;
                CREATE TABLE start (
                    counted INTEGER NOT NULL REFERENCES counted (id),
                    state INTEGER NOT NULL REFERENCES start_class (id),
                    chunk INTEGER NOT NULL,
                    members INTEGER NOT NULL,
                    bytes BLOB NOT NULL,
                    checksum INTEGER NOT NULL,
                    PRIMARY KEY (counted, state, chunk)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// Occurrences in local time, and the stages that have opened. A wave is the second in which clocks reached it, counted from 1970.
    static func addLocalTimes(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE occurrence ADD COLUMN local TEXT;
                -- As `RecordedStage` writes them.
                ALTER TABLE occurrence ADD COLUMN stages TEXT;
                -- When the campaign was first seen in local time.
                ALTER TABLE watermark ADD COLUMN first REAL;
                CREATE TABLE wave (
                    occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                    state INTEGER NOT NULL,
                    chunk INTEGER NOT NULL,
                    members INTEGER NOT NULL,
                    bytes BLOB NOT NULL,
                    checksum INTEGER NOT NULL,
                    PRIMARY KEY (occurrence, state, chunk)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// Since when runs do not look at an occurrence in local time, and whether everybody on the list has it.
    static func addUnseen(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE occurrence ADD COLUMN unseen REAL;
                ALTER TABLE occurrence ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
                """)
    }

    /// Which deaths others are told of, under which number, and whether they were.
    static func addNotices(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE tombstone ADD COLUMN noted_run TEXT;
                ALTER TABLE tombstone ADD COLUMN noted_number INTEGER;
                ALTER TABLE tombstone ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
                """)
    }

    /// What was noted last under each name of `StateNote`.
    static func addNotes(_ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID")
    }

    /// What FCM said of memberships. They may have left by themselves or be adopted, too (`Membership`).
    static func addObservations(_ db: Database) throws {
        try db.execute(
            sql: """
                -- Whether plans leave an imported topic alone until a file declares it.
                ALTER TABLE topic ADD COLUMN awaits_file INTEGER NOT NULL DEFAULT 0;
                -- What FCM is asked about registrations: which topics they follow.
                CREATE TABLE reading (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
                -- When they were asked for last: the state is that time, in milliseconds since 1970.
                CREATE TABLE observation (
                    reading INTEGER NOT NULL REFERENCES reading (id),
                    state INTEGER NOT NULL,
                    chunk INTEGER NOT NULL,
                    members INTEGER NOT NULL,
                    bytes BLOB NOT NULL,
                    checksum INTEGER NOT NULL,
                    PRIMARY KEY (reading, state, chunk)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    static func addHalts(_ db: Database) throws {
        try db.execute(
            sql: """
                -- Why an open occurrence waits for a person (`RecordedOccurrence.Halt`).
                ALTER TABLE occurrence ADD COLUMN halted TEXT;
                UPDATE occurrence SET halted = 'failed_over' WHERE doubted AND finished IS NULL;
                ALTER TABLE occurrence DROP COLUMN doubted;
                """)
    }
}
