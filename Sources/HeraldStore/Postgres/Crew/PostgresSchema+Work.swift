internal import HeraldCore

/// The tables of processes that send together. All of it belongs to one run and goes with it.
extension PostgresSchema {
    static let work = [
        // A row for each process that may send, with its share of the rates (`ShareHolding`). Each change of a share
        // raises the revision, so that none is written over another. The conductor's row has no end while it runs.
        """
        CREATE TABLE @worker (
            id uuid PRIMARY KEY, conducts boolean NOT NULL, host text NOT NULL, pid bigint NOT NULL,
            since timestamptz NOT NULL, ends timestamptz, revision bigint NOT NULL DEFAULT 0,
            share bigint NOT NULL DEFAULT 0, share_before bigint NOT NULL DEFAULT 0, target bigint NOT NULL DEFAULT 0,
            usable timestamptz NOT NULL, wants boolean NOT NULL DEFAULT false,
            quiet_until timestamptz) WITH (fillfactor = 10)
        """,
        // A send that several processes share, and what they must know of it. It is open once it is whole.
        """
        CREATE TABLE @job (
            \(id), epoch bigint NOT NULL, occurrence text NOT NULL, body text NOT NULL, rate bigint,
            run_rate bigint, begun timestamptz NOT NULL, is_open boolean NOT NULL DEFAULT false,
            is_ending boolean NOT NULL DEFAULT false, quiet_until timestamptz)
        WITH (fillfactor = 50)
        """,
        // What one process did in a job. A process that comes back gets another row.
        """
        CREATE TABLE @job_part (
            \(id), job bigint NOT NULL REFERENCES @job (id) ON DELETE CASCADE, worker uuid NOT NULL,
            has_left boolean NOT NULL DEFAULT false, claimed bigint NOT NULL DEFAULT 0,
            failures bigint NOT NULL DEFAULT 0,
            \(Tally.Figure.allCases.map { "\($0.column) bigint NOT NULL DEFAULT 0" }.joined(separator: ", ")))
        WITH (fillfactor = 10)
        """,
        // A job's recipients, in pieces of slices. A process sends only to recipients of pieces that it has claimed.
        """
        CREATE TABLE @job_range (
            job bigint NOT NULL REFERENCES @job (id) ON DELETE CASCADE, number bigint NOT NULL, slice bigint NOT NULL,
            bits bit(4096) NOT NULL, part bigint, claim uuid, PRIMARY KEY (job, number)) WITH (fillfactor = 50)
        """,
        "CREATE INDEX ON @job_range (job, number) WHERE part IS NULL",
        // The rows of a piece's recipients, for personal messages (`PieceRows`). They are in no log, on no standby and in
        // no pg_basebackup, and a crash of the server empties the table. What was deleted is cleared from the disk soon.
        """
        CREATE UNLOGGED TABLE @job_row (
            job bigint NOT NULL REFERENCES @job (id) ON DELETE CASCADE, number bigint NOT NULL, body bytea NOT NULL,
            PRIMARY KEY (job, number))
        WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)
        """,
        "CREATE TABLE @job_failure (\(id), job bigint NOT NULL REFERENCES @job (id) ON DELETE CASCADE, body text NOT NULL)",
        // Every commit of a process that helps begins with it: it writes nothing once its row is gone.
        """
        CREATE FUNCTION @begin_work(who uuid, what bigint, under bigint, helper uuid) RETURNS void
        LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM @begin_commit(who, what, under);
            PERFORM 1 FROM @worker WHERE id = helper FOR KEY SHARE;
            IF NOT FOUND THEN RAISE EXCEPTION 'lease lost' USING ERRCODE = '\(Refusal.leaseLost)'; END IF;
        END $$
        """,
    ]
}

extension Tally.Figure {
    /// Its column in `job_part`.
    var column: String { "\(rawValue)_count" }

    static var columns: String { allCases.map(\.column).joined(separator: ", ") }
}
