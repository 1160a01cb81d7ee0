internal import HeraldCore

extension PostgresStore {
    /// Brings a state of an older herald to this herald's format, in one transaction. Only the owner of the schema can.
    ///
    /// - Returns: Whether there was anything to do.
    static func migrate(_ server: PostgresServer) async throws -> Bool {
        let session = PostgresSession(server.parameters, schema: server.schema)
        do {
            return try await session.perform(for: server.patience) { connection, _ in
                guard let format = try server.format(connection) else {
                    throw StateError.uninitialized(path: server.name)
                }
                if format > PostgresSchema.format { throw StateError.newer(path: server.name) }
                guard format < PostgresSchema.format else { return false }
                try takeSteps(over: connection, server)
                return true
            }
        } catch let error as PostgresError where error.code == Refusal.noRight {
            throw StateError.inaccessible(
                path: server.name, detail: "only the owner of its schema may migrate it",
                help: "run 'herald state migrate' as that owner")
        } catch {
            throw server.stateError(error)
        }
    }

    private static func takeSteps(over connection: PostgresConnection, _ server: PostgresServer) throws {
        // Until it gets its locks, every run waits for it.
        let transaction = PostgresTransaction.writing(
            on: connection, until: server.readingDeadline, .init(wait: .seconds(2)))
        let wasHeld = try transaction.fetch("SELECT run IS NOT NULL FROM @lease FOR UPDATE").first?.bool(0) ?? false
        // No run goes on meanwhile. A run of an older herald cannot go on afterwards: its commits have an earlier epoch.
        let lease = try transaction.fetch(
            """
            UPDATE @lease SET epoch = \(RunLease.nextEpoch), run = NULL, token = NULL, ends = clock_timestamp()
            WHERE run IS NULL OR ends <= clock_timestamp() RETURNING epoch
            """)
        // Another migration may have come first.
        let rows = try transaction.fetch("SELECT format FROM @identity FOR UPDATE")
        guard let format = try rows.first?.int(0) else { throw StateDamage(detail: "it does not say its format") }
        guard lease.count > 0 else {
            let holder = try transaction.fetch("SELECT coalesce(run, '') FROM @lease").first?.text(0) ?? ""
            try connection.rollBack(until: server.deadline)
            throw StateError.locked(path: server.name, holder: "run \(holder.filter { $0.isASCII && $0 >= " " })")
        }
        for step in PostgresSchema.steps.dropFirst(Int(max(format, 1)) - 1) {
            for statement in step { transaction.run(statement) }
        }
        transaction.run("UPDATE @identity SET format = $1", .int(PostgresSchema.format))
        if wasHeld {
            // As for whoever takes the lease of a run that died. In format 1 it does not say how long that is.
            transaction.run(
                """
                UPDATE @lease SET resend_from =
                    greatest(resend_from, clock_timestamp() + greatest(timeout, $1) * interval '1 second')
                """, .double(LeaseTimes().timeout.seconds))
        }
        try transaction.commit()
    }
}
