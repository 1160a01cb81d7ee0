/// The rights that roles need, as SQL.
extension StateDatabase {
    /// What a plan, a calendar, `state show` and a snapshot read: no registration and no key.
    private static let readable: [(table: String, columns: String?)] = [
        ("identity", nil), ("server", nil), ("progress", nil), ("lease", "epoch, run, host, pid, since, ends"),
        ("recipient", "id"), ("topic", nil), ("membership", nil), ("group_listing", nil), ("group_membership", nil),
        ("occurrence", nil), ("ledger", nil), ("rejection", nil), ("code", nil), ("ledger_count", nil),
        ("rejection_count", nil), ("message_class", nil), ("assignment", nil), ("wave", nil), ("dead_recipient", nil),
        ("tombstone", "recipient, died, migrated"), ("former", "id, recipient"), ("former_name", nil),
        ("watermark", nil), ("pause", nil), ("test", nil), ("spent_plan", nil), ("audience_size", nil),
        ("applied_commit", nil), ("approval", nil), ("stamp", nil), ("note", nil), ("counted", nil),
        ("start_class", nil),
        ("start", nil), ("reading", nil), ("observation", nil),
        ("worker", nil), ("job_part", nil),
        ("job", "id, occurrence, rate, run_rate"),
    ]

    package func grants(reader role: RoleName) -> String {
        let rights = Self.readable.map { table, columns in
            "GRANT SELECT\(columns.map { " (\($0))" } ?? "") ON \(schema).\(table) TO \(role.quoted);\n"
        }
        return beginning(role) + rights.joined() + "COMMIT;\n"
    }

    package func grants(runner role: RoleName) -> String {
        let (schema, role) = (schema, role)
        return beginning(role) + """
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role.quoted);
            GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(schema) TO \(role.quoted);
            REVOKE INSERT, UPDATE, DELETE ON \(schema).identity, \(schema).secret FROM \(role.quoted);
            COMMIT;
            -- By a superuser. Without it, standby servers count as asynchronous.
            GRANT pg_monitor TO \(role.quoted);

            """
    }

    private func beginning(_ role: RoleName) -> String {
        "-- For the owner of the schema.\nBEGIN;\nGRANT USAGE ON SCHEMA \(schema) TO \(role.quoted);\n"
    }

    private var schema: String { server.quotedSchema }
}
