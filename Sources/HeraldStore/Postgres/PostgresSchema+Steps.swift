extension PostgresSchema {
    /// The steps to each format from the one before it, from format 2 on. What was released never changes.
    static let steps: [[String]] = [
        standing + work + checksums + assignments, beginnings + place + stamps, halts,
        suspensions + starts, localTimes + notices + notes + observations, unseen,
    ]

    /// Where the state stands: what was applied, whether it is open, and which server holds it.
    private static let standing = [
        """
        ALTER TABLE @identity ADD COLUMN closed boolean NOT NULL DEFAULT false, ADD COLUMN moved_to text
        """,
        // Requests of a holder that lost the lease may arrive until `resend_from`: so long after its end as they may take.
        """
        ALTER TABLE @lease ADD COLUMN timeout float8 NOT NULL DEFAULT 0, ADD COLUMN resend_from timestamptz
        """,
        // The messages that the project may send in a minute, as FCM told.
        "ALTER TABLE @progress ADD COLUMN send_quota bigint, ADD COLUMN send_quota_found float8",
        "ALTER TABLE @occurrence ADD COLUMN doubted boolean NOT NULL DEFAULT false",
        // In the order in which they were applied last.
        """
        CREATE TABLE @applied_commit (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, committed float8 NOT NULL)
        """,
        // What was approved last, by kind:name.
        """
        CREATE TABLE @approval (
            resource text PRIMARY KEY, digest text NOT NULL, size bigint, approved_by text NOT NULL,
            at float8 NOT NULL)
        """,
        // One row. The server as the last run found it.
        """
        CREATE TABLE @server (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            system text, timeline text, synchronous boolean NOT NULL DEFAULT false)
        """,
        "INSERT INTO @server DEFAULT VALUES",
        // For roles that must not see registrations and keys.
        """
        CREATE VIEW @dead_recipient AS SELECT known.id, dead.migrated FROM @tombstone AS dead JOIN @recipient AS known
        ON known.id = dead.recipient AND known.registration = dead.registration
        """,
        """
        CREATE VIEW @group_listing AS
        SELECT id, name, CASE WHEN notification_key IS NOT NULL THEN 'hidden' END AS notification_key FROM @device_group
        """,
        // The first 8 digits of a WAL file's name are the timeline, which a failover changes.
        """
        CREATE FUNCTION @current_timeline() RETURNS text LANGUAGE sql AS $$
        SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) $$
        """,
        // After a failover the server may lack commits, unless replication was synchronous.
        """
        CREATE FUNCTION @check_standing(under bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE known @server;
        BEGIN
            IF EXISTS (SELECT FROM @identity WHERE closed OR moved_to IS NOT NULL) THEN
                RAISE EXCEPTION 'moved' USING ERRCODE = '\(Refusal.moved)';
            END IF;
            IF under IS NULL THEN RETURN; END IF;
            SELECT * INTO known FROM @server;
            IF known.timeline <> @current_timeline() THEN
                IF NOT known.synchronous THEN
                    RAISE EXCEPTION 'failed over' USING ERRCODE = '\(Refusal.failedOver)';
                END IF;
                UPDATE @server SET timeline = @current_timeline();
            END IF;
        END $$
        """,
        // Whoever waits for a row must not hold others up in turn.
        PostgresSchema.beginCommit(
            replacing: true,
            ("PERFORM set_config('lock_timeout', '10s', true);", "PERFORM @check_standing(under);")),
        // Every run begins with it. Says how many occurrences are in doubt because of a failover since the last one.
        """
        CREATE FUNCTION @note_standing(now_system text, now_synchronous boolean) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE known @server; doubts bigint := 0;
        BEGIN
            SELECT * INTO known FROM @server FOR UPDATE;
            IF known.system <> now_system THEN
                -- A person must say whether this is the right one.
                UPDATE @server SET timeline = @current_timeline();
                RETURN 0;
            END IF;
            IF known.timeline <> @current_timeline() AND NOT known.synchronous THEN
                UPDATE @occurrence SET doubted = true WHERE finished IS NULL;
                GET DIAGNOSTICS doubts = ROW_COUNT;
                UPDATE @progress SET serial = serial + 1;
            END IF;
            UPDATE @server SET system = now_system, timeline = @current_timeline(), synchronous = now_synchronous;
            RETURN doubts;
        END $$
        """,
    ]

    /// Checksums of bits. Those of format 1 are of their digits, eight times as much. A set that was damaged before
    /// must not get a valid one.
    private static let checksums = [
        ("membership", "topic"), ("group_membership", "device_group"), ("ledger", "occurrence"),
        ("rejection", "occurrence"),
    ].flatMap { name, owner in
        [
            """
            DO $$ BEGIN
                IF EXISTS (SELECT FROM @\(name) WHERE checksum <> \(checksumOfDigits(owner))) THEN
                    RAISE EXCEPTION '\(name) has a set that is not as it was written (wrong checksum)'
                    USING ERRCODE = '\(Refusal.damaged)';
                END IF;
            END $$
            """,
            """
            ALTER TABLE @\(name) DROP COLUMN checksum, ADD COLUMN checksum bytea NOT NULL GENERATED ALWAYS AS
            (\(checksumOfBits(owner))) STORED
            """,
        ]
    }

    private static func checksumOfBits(_ owner: String) -> String {
        "substr(sha256(int8send(\(owner)) || int8send(slice) || int8send(state) || bit_send(bits)), 1, 8)"
    }

    /// When an occurrence began, and whether a person took its end back.
    private static let beginnings = [
        """
        ALTER TABLE @occurrence ADD COLUMN begun float8, ADD COLUMN reopened boolean NOT NULL DEFAULT false
        """
    ]

    /// What runs and commands left, in their order and without a gap. The newest are kept. A membership may be forgotten
    /// too (`Membership.forgotten`, `GroupMembership.forgotten`).
    private static let stamps = ["CREATE TABLE @stamp (number bigint PRIMARY KEY, id text NOT NULL)"]

    /// Why an open occurrence waits for a person (`RecordedOccurrence.Halt`).
    private static let halts = [
        "ALTER TABLE @occurrence ADD COLUMN halted text",
        "UPDATE @occurrence SET halted = 'failed_over' WHERE doubted AND finished IS NULL",
        "ALTER TABLE @occurrence DROP COLUMN doubted",
        noteStanding(halting: "halted = 'failed_over'"),
    ]

    /// When the window of an occurrence closed while a run was sending it.
    private static let suspensions = ["ALTER TABLE @occurrence ADD COLUMN suspended float8"]

    /// When messages that count for frequency caps started. It outlives the occurrences, so it has their names itself.
    private static let starts = [
        "CREATE TABLE @counted (\(id), name text NOT NULL UNIQUE)",
        // Until when messages count as started, and the tags that they had.
        "CREATE TABLE @start_class (\(id), name text NOT NULL UNIQUE, until float8 NOT NULL)",
        sets(named: "start", of: "counted", checksum: checksumOfBits),
        "ALTER TABLE @progress ADD COLUMN counting_since float8",
    ]

    /// Occurrences in local time, and the stages that have opened. A wave is the second in which clocks reached it, counted from 1970.
    private static let localTimes = [
        // Stages are text as `RecordedStage` writes them.
        "ALTER TABLE @occurrence ADD COLUMN local text, ADD COLUMN stages text",
        // When the campaign was first seen in local time.
        "ALTER TABLE @watermark ADD COLUMN first float8",
        sets(named: "wave", of: "occurrence", checksum: checksumOfBits),
    ]

    /// Since when runs do not look at an occurrence in local time, and whether everybody on the list has it.
    private static let unseen = [
        "ALTER TABLE @occurrence ADD COLUMN unseen float8, ADD COLUMN done boolean NOT NULL DEFAULT false"
    ]

    /// Which deaths others are told of, under which number, and whether they were.
    private static let notices = [
        """
        ALTER TABLE @tombstone ADD COLUMN noted_run text, ADD COLUMN noted_number bigint,
            ADD COLUMN told boolean NOT NULL DEFAULT false
        """
    ]

    /// What was noted last under each name of `StateNote`.
    private static let notes = ["CREATE TABLE @note (name text PRIMARY KEY, value text NOT NULL)"]

    /// What FCM said of memberships. They may have left by themselves or be adopted, too (`Membership`).
    private static let observations = [
        // Whether plans leave an imported topic alone until a file declares it.
        "ALTER TABLE @topic ADD COLUMN awaits_file boolean NOT NULL DEFAULT false",
        // What FCM is asked about registrations: which topics they follow.
        "CREATE TABLE @reading (\(id), name text NOT NULL UNIQUE)",
        // When they were asked for last: the state is that time, in milliseconds since 1970.
        sets(named: "observation", of: "reading", checksum: checksumOfBits),
    ]

    /// Who gets which text of a personal campaign.
    private static let assignments = [
        // A key among `locales` (NULL for the message) and a variant (NULL without variants). A holdout is sent nothing.
        "CREATE TABLE @message_class (\(id), locale text, variant text, holdout boolean NOT NULL)",
        """
        CREATE UNIQUE INDEX ON @message_class (
            (locale IS NULL), coalesce(locale, ''), (variant IS NULL), coalesce(variant, ''), holdout)
        """,
        // The state is the class's number.
        sets(named: "assignment", of: "occurrence", checksum: checksumOfBits),
    ]
}
