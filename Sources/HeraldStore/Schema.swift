internal import GRDB

/// The state's tables, with one migration for each released version. See `docs/Decisions/`.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    -- What the state is bound to, and what changes as a whole: lineage, project, endpoint, created,
                    -- serial, fingerprint_key, and once there were any topic_api, topic_api_found (when it was found out) and epoch (of the newest lease);
                    -- numbering, a random value drawn anew whenever recipient changes.
                    CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

                    -- Without an index: it would cost as much as the registrations. Lists are joined by sorting.
                    CREATE TABLE recipient (id INTEGER PRIMARY KEY, registration TEXT NOT NULL) STRICT;

                    -- Sets of recipients, 65,536 a chunk, in the form that RecipientSet+Coding.swift describes.
                    CREATE TABLE topic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, changed REAL) STRICT;
                    CREATE TABLE membership (
                        topic INTEGER NOT NULL REFERENCES topic (id),
                        state INTEGER NOT NULL,
                        chunk INTEGER NOT NULL,
                        members INTEGER NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (topic, state, chunk)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE device_group (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        notification_key TEXT
                    ) STRICT;
                    CREATE TABLE group_membership (
                        device_group INTEGER NOT NULL REFERENCES device_group (id),
                        state INTEGER NOT NULL,
                        chunk INTEGER NOT NULL,
                        members INTEGER NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (device_group, state, chunk)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE occurrence (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        campaign TEXT NOT NULL,
                        revision INTEGER NOT NULL,
                        due REAL,
                        content_digest TEXT NOT NULL,
                        target TEXT NOT NULL,
                        finished REAL
                    ) STRICT;
                    CREATE TABLE ledger (
                        occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                        state INTEGER NOT NULL,
                        chunk INTEGER NOT NULL,
                        members INTEGER NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (occurrence, state, chunk)
                    ) STRICT, WITHOUT ROWID;

                    -- Of the rejected, by code: the state is the code's number.
                    CREATE TABLE code (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE) STRICT;
                    CREATE TABLE rejection (
                        occurrence INTEGER NOT NULL REFERENCES occurrence (id),
                        state INTEGER NOT NULL REFERENCES code (id),
                        chunk INTEGER NOT NULL,
                        members INTEGER NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (occurrence, state, chunk)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE tombstone (recipient INTEGER PRIMARY KEY REFERENCES recipient (id)) STRICT;
                    CREATE TABLE watermark (
                        campaign TEXT PRIMARY KEY,
                        at REAL NOT NULL,
                        schedule TEXT NOT NULL,
                        next REAL
                    ) STRICT, WITHOUT ROWID;
                    -- The empty name stands for every campaign.
                    CREATE TABLE pause (campaign TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
                    CREATE TABLE test (
                        id INTEGER PRIMARY KEY,
                        campaign TEXT NOT NULL,
                        at REAL NOT NULL,
                        accepted INTEGER NOT NULL,
                        rejected INTEGER NOT NULL,
                        unknown INTEGER NOT NULL
                    ) STRICT;
                    CREATE TABLE spent_plan (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
                    CREATE TABLE audience_size (name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}
