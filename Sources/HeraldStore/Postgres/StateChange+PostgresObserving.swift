internal import FCM
internal import HeraldCore

/// Writes what FCM said of memberships.
extension StateChange {
    static func reclassify(
        _ members: RecipientSet, of topic: TopicName, _ reclassification: Reclassification,
        _ transaction: PostgresTransaction
    ) throws {
        let (owner, table) = (SliceOwner.named(topic.rawValue, in: "topic"), SliceTable.membership)
        let rows = try transaction.fetch([table.sets(where: "topic = (\(owner.query))", .text(owner.name))])[0]
        let recipients = try table.partitions(rows).values.first ?? Partition()
        let concerned = reclassification.concerned(members, in: recipients)
        table.put(concerned, of: owner, reclassification.result, transaction)
    }

    /// Does to the tables what `RecordedState.observe` does to the value.
    static func observe(_ members: RecipientSet, at time: ObservationTime, _ transaction: PostgresTransaction) {
        SliceTable.observation.put(
            members, of: .named(ObservationTime.reading, in: "reading"), time, transaction)
        // Each time has rows of its own, so those that are empty would only gather.
        transaction.run("DELETE FROM @observation WHERE members = 0")
        transaction.run(
            """
            WITH known AS (SELECT DISTINCT state FROM @observation),
            oldest AS (SELECT state FROM known ORDER BY state LIMIT 1),
            next AS (
                SELECT state FROM known WHERE (SELECT count(*) FROM known) > $1 ORDER BY state LIMIT 1 OFFSET 1),
            moving AS (
                DELETE FROM @observation WHERE state = (SELECT state FROM next) RETURNING reading, slice, bits)
            INSERT INTO @observation AS stored (reading, slice, state, bits)
            SELECT reading, slice, (SELECT state FROM oldest), bits FROM moving
            ON CONFLICT (reading, slice, state) DO UPDATE SET bits = stored.bits | excluded.bits
            """, .int(RecordedState.keptObservations))
    }
}
