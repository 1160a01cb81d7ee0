internal import HeraldCore

/// Whether other servers have what a run commits.
struct ServerStanding: Hashable, Sendable {
    /// How many servers follow this one.
    let standbys: Int
    /// How many of them have each commit before it counts.
    let synchronous: Int
    /// Whether the role may see how standbys follow. Otherwise they count as asynchronous.
    let seesStandbys: Bool

    /// Subscribers of logical replication never take this server's place.
    private static let followers = """
        SELECT sync_state FROM pg_stat_replication AS follower WHERE state IS DISTINCT FROM 'backup' AND NOT EXISTS (
            SELECT FROM pg_replication_slots AS slot
            WHERE slot.active_pid = follower.pid AND slot.slot_type = 'logical')
        """

    static func read(over connection: PostgresConnection, _ server: PostgresServer) throws -> ServerStanding {
        let rows = try connection.perform(
            """
            SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync'),
                count(*) FILTER (WHERE sync_state = 'quorum'),
                coalesce(substring(current_setting('synchronous_standby_names') FROM '^\\s*[Aa][Nn][Yy]\\s+(\\d+)')::bigint, 0),
                current_setting('synchronous_commit') IN ('on', 'remote_apply'), pg_has_role('pg_monitor', 'USAGE')
            FROM (\(followers)) AS follower
            """, until: server.deadline)
        guard let row = rows.first else { throw StateDamage(detail: "the server does not say what follows it") }
        let (quorum, awaited) = (Int(try row.int(2)), Int(clamping: try row.int(3)))
        // If a commit waits for some of them, none of them is sure to have it.
        let synchronous = Int(try row.int(1)) + (awaited >= quorum ? quorum : 0)
        return ServerStanding(
            standbys: Int(try row.int(0)), synchronous: try row.bool(4) ? synchronous : 0,
            seesStandbys: try row.bool(5))
    }

    /// Whether there are standby servers, and each of them has each commit.
    var isSynchronous: Bool { standbys > 0 && synchronous >= standbys }

    /// What to say about standbys. `nil` if nothing can be lost that way.
    var warning: String? {
        let late = standbys - synchronous
        guard late > 0 else { return nil }
        return
            "\(count(late, "server")) follow\(late == 1 ? "s" : "") this database without every commit waiting for \(late == 1 ? "it" : "them"): after a failover to \(late == 1 ? "it" : "one of them"), "
            + "the state may lack who got a message last"
            + (seesStandbys ? "" : "; or they do wait, and herald cannot see it: grant pg_monitor to its role")
    }
}
