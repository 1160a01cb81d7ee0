internal import HeraldCore

/// What a run stands on: which server it is, and whether others have what it commits.
struct ServerStanding: Hashable, Sendable {
    /// Names a database cluster. A standby has the one of its primary, a restored dump has another.
    let system: String
    /// How many servers follow it.
    let standbys: Int
    /// Whether a commit waits until another server has it too.
    let isSynchronous: Bool
    /// Whether the role may see how standbys follow. Otherwise they count as asynchronous.
    let seesStandbys: Bool

    static func read(over connection: PostgresConnection, _ server: PostgresServer) throws -> ServerStanding {
        let rows = try connection.perform(
            """
            SELECT (SELECT system_identifier::text FROM pg_control_system()),
                (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'),
                EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))
                    AND current_setting('synchronous_commit') IN ('on', 'remote_apply'),
                pg_has_role('pg_monitor', 'USAGE')
            """, until: server.deadline)
        guard let row = rows.first else { throw StateDamage(detail: "the server does not say what it is") }
        return ServerStanding(
            system: try row.text(0), standbys: Int(try row.int(1)), isSynchronous: try row.bool(2),
            seesStandbys: try row.bool(3))
    }

    /// What to say about standbys. `nil` if nothing can be lost that way.
    var warning: String? {
        guard standbys > 0, !isSynchronous else { return nil }
        return
            "\(count(standbys, "server")) follow\(standbys == 1 ? "s" : "") this database without its commits waiting for them: after a failover, "
            + "the state may lack who got a message last"
            + (seesStandbys ? "" : "; or they do wait, and herald cannot see it: grant pg_monitor to its role")
    }
}
