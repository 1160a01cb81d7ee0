/// Which server and which place the state is in, so that copies and failovers are known.
extension PostgresSchema {
    static let place = [
        // A copy of a database, or a restored dump, has another number. `ALTER … RENAME` and a failover change none.
        """
        CREATE FUNCTION @current_place() RETURNS text LANGUAGE sql AS $$
        SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
            (SELECT oid FROM pg_database WHERE datname = current_database()),
            (SELECT relnamespace FROM pg_class WHERE oid = '@server'::regclass)) $$
        """,
        "ALTER TABLE @server ADD COLUMN place text",
        // What had moved before the upgrade is still not known here.
        """
        UPDATE @server SET place = CASE WHEN system = (SELECT system_identifier::text FROM pg_control_system())
            THEN @current_place() ELSE system END
        """,
        "DROP FUNCTION @note_standing(text, boolean)",
        "ALTER TABLE @server DROP COLUMN system, DROP COLUMN synchronous",
        // The number grows with each failover that a server has behind it. So if the row has the current one, there was no
        // failover since it was written, whatever happened to other servers.
        """
        CREATE FUNCTION @has_failed_over() RETURNS boolean LANGUAGE sql AS $$
        SELECT coalesce((SELECT timeline <> @current_timeline() FROM @server), false) $$
        """,
        """
        CREATE OR REPLACE FUNCTION @check_standing(under bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (SELECT FROM @identity WHERE closed OR moved_to IS NOT NULL) THEN
                RAISE EXCEPTION 'moved' USING ERRCODE = '\(Refusal.moved)';
            END IF;
            -- The server may lack what others committed, also if it has all that this process did.
            IF under IS NOT NULL AND @has_failed_over() THEN
                RAISE EXCEPTION 'failed over' USING ERRCODE = '\(Refusal.failedOver)';
            END IF;
        END $$
        """,
        noteStanding(halting: "doubted = true"),
    ]

    /// Every run begins with it. After a failover it says how many occurrences it halted, otherwise NULL.
    static func noteStanding(halting: String) -> String {
        """
        CREATE OR REPLACE FUNCTION @note_standing() RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE known @server; doubts bigint;
        BEGIN
            SELECT * INTO known FROM @server FOR UPDATE;
            IF known.place <> @current_place() THEN
                -- A person must say whether this is the right one.
                UPDATE @server SET timeline = @current_timeline();
                RETURN NULL;
            END IF;
            IF @has_failed_over() THEN
                UPDATE @occurrence SET \(halting) WHERE finished IS NULL;
                GET DIAGNOSTICS doubts = ROW_COUNT;
                UPDATE @progress SET serial = serial + 1;
            END IF;
            UPDATE @server SET place = @current_place(), timeline = @current_timeline();
            RETURN doubts;
        END $$
        """
    }
}
