/// The tables of a state in PostgreSQL. One schema holds one state.
enum PostgresSchema {
    /// The format of the states that this herald makes and uses.
    static let format = Int64(steps.count + 1)

    /// What makes an empty schema a state without contents.
    ///
    /// - Parameter version: of the server, as libpq counts it.
    static func creation(onVersion version: Int32) -> [String] {
        tables(weight: version >= 140_000 ? "bit_count($1)" : "length(replace($1::text, '0', ''))") + functions
            + steps.joined()
    }

    /// Format 1. Later formats change it by steps of their own.
    private static func tables(weight: String) -> [String] {
        [
            // One row. What the state is bound to; it never changes. Every format has it.
            """
            CREATE TABLE @identity (
                single boolean PRIMARY KEY DEFAULT true CHECK (single),
                format bigint NOT NULL, lineage text NOT NULL, project text NOT NULL, endpoint text NOT NULL,
                workspace text NOT NULL, created float8 NOT NULL)
            """,
            // One row, of its own so that it can be kept from roles that only read.
            "CREATE TABLE @secret (single boolean PRIMARY KEY DEFAULT true CHECK (single), fingerprint_key bytea NOT NULL)",
            // One row. What almost every commit changes.
            """
            CREATE TABLE @progress (
                single boolean PRIMARY KEY DEFAULT true CHECK (single),
                serial bigint NOT NULL DEFAULT 0, numbering bytea, last_erased bigint NOT NULL DEFAULT 0,
                topic_api text, topic_api_found float8) WITH (fillfactor = 10)
            """,
            // One row. A take-over changes the key, so it waits for commits, which hold the row FOR KEY SHARE.
            // A renewal changes no key and does not wait.
            """
            CREATE TABLE @lease (
                epoch bigint PRIMARY KEY, run text, token uuid, host text, pid bigint,
                since timestamptz, ends timestamptz NOT NULL) WITH (fillfactor = 10)
            """,
            // The last commit of each process. A commit whose answer was lost is sent again, and is refused if it is here.
            """
            CREATE TABLE @commit_mark (writer uuid PRIMARY KEY, number bigint NOT NULL, at timestamptz NOT NULL)
            WITH (fillfactor = 50)
            """,
            "CREATE TABLE @recipient (id bigint PRIMARY KEY, registration text COLLATE \"C\" NOT NULL)",
            "CREATE FUNCTION @weight(bit) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT \(weight)::bigint $$",
            "CREATE TABLE @topic (\(id), name text NOT NULL UNIQUE, changed float8)",
            sets(named: "membership", of: "topic"),
            "CREATE TABLE @device_group (\(id), name text NOT NULL UNIQUE, notification_key text)",
            sets(named: "group_membership", of: "device_group"),
            """
            CREATE TABLE @occurrence (
                \(id), name text NOT NULL UNIQUE, campaign text NOT NULL, revision bigint NOT NULL, due float8,
                content_digest text NOT NULL, target text NOT NULL, finished float8,
                pruned boolean NOT NULL DEFAULT false)
            """,
            sets(named: "ledger", of: "occurrence"),
            "CREATE TABLE @code (\(id), code text NOT NULL UNIQUE)",
            // The rejected ones by code: the state is the code's number.
            sets(named: "rejection", of: "occurrence"),
            counts(named: "ledger_count"), counts(named: "rejection_count"),
            """
            CREATE TABLE @tombstone (
                recipient bigint NOT NULL, registration text COLLATE "C" NOT NULL, died float8 NOT NULL,
                migrated boolean NOT NULL, PRIMARY KEY (recipient, registration))
            """,
            // Numbers for memberships that were made with an earlier registration of a recipient.
            """
            CREATE TABLE @former (id bigint PRIMARY KEY, recipient bigint NOT NULL, registration text COLLATE "C" NOT NULL)
            """,
            "CREATE TABLE @former_name (campaign text NOT NULL, name text NOT NULL, PRIMARY KEY (campaign, name))",
            "CREATE TABLE @watermark (campaign text PRIMARY KEY, at float8 NOT NULL, schedule text NOT NULL, next float8)",
            // The empty name stands for every campaign.
            "CREATE TABLE @pause (campaign text PRIMARY KEY)",
            """
            CREATE TABLE @test (
                \(id), campaign text NOT NULL, at float8 NOT NULL, accepted bigint NOT NULL, rejected bigint NOT NULL,
                unknown bigint NOT NULL)
            """,
            "CREATE TABLE @spent_plan (id text PRIMARY KEY)",
            "CREATE TABLE @audience_size (name text PRIMARY KEY, size bigint NOT NULL)",
        ]
    }

    static let id = "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"

    /// Sets of recipients in slices (`RecipientSet+Slices.swift`). A commit rewrites the same few rows again and again,
    /// so half of each page is left free for it. The server counts the members and writes the checksum.
    static func sets(
        named name: String, of owner: String, checksum: (_ owner: String) -> String = checksumOfDigits
    ) -> String {
        """
        CREATE TABLE @\(name) (
            \(owner) bigint NOT NULL REFERENCES @\(owner) (id), slice bigint NOT NULL, state bigint NOT NULL,
            bits bit(4096) NOT NULL,
            members bigint NOT NULL GENERATED ALWAYS AS (@weight(bits)) STORED,
            checksum bytea NOT NULL GENERATED ALWAYS AS (\(checksum(owner))) STORED,
            PRIMARY KEY (\(owner), slice, state)) WITH (fillfactor = 50)
        """
    }

    /// The checksum of format 1.
    static func checksumOfDigits(_ owner: String) -> String {
        """
        substr(sha256(
            (\(owner)::text || '.' || slice::text || '.' || state::text || '.' || bits::text)::bytea), 1, 8)
        """
    }

    /// What is left of the sets of a pruned occurrence.
    private static func counts(named name: String) -> String {
        """
        CREATE TABLE @\(name) (
            occurrence bigint NOT NULL REFERENCES @occurrence (id), state bigint NOT NULL, members bigint NOT NULL,
            PRIMARY KEY (occurrence, state))
        """
    }

    /// Every commit begins with it. It does nothing twice, and nothing under a lease that is not the newest.
    ///
    /// - Parameter checks: what later formats do besides, first and last.
    static func beginCommit(replacing: Bool = false, _ checks: (first: String, last: String) = ("", "")) -> String {
        """
        CREATE \(replacing ? "OR REPLACE " : "")FUNCTION @begin_commit(who uuid, what bigint, under bigint) RETURNS void
        LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM set_config('idle_in_transaction_session_timeout', '5s', true);
            \(checks.first)
            INSERT INTO @commit_mark AS mark (writer, number, at) VALUES (who, what, now())
            ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at
            WHERE mark.number < excluded.number;
            IF NOT FOUND THEN RAISE EXCEPTION 'committed before' USING ERRCODE = '\(Refusal.committedBefore)'; END IF;
            IF under IS NOT NULL THEN
                PERFORM 1 FROM @lease WHERE epoch = under FOR KEY SHARE;
                IF NOT FOUND THEN RAISE EXCEPTION 'lease lost' USING ERRCODE = '\(Refusal.leaseLost)'; END IF;
            END IF;
            \(checks.last)
        END $$
        """
    }

    private static let functions = [
        beginCommit(),
        """
        CREATE FUNCTION @refuse(reason text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'refused' USING ERRCODE = reason;
        END $$
        """,
    ]
}
