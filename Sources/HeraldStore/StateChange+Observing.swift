internal import FCM
internal import GRDB
internal import HeraldCore

/// Writes what FCM said of memberships.
extension StateChange {
    static func reclassify(
        _ members: RecipientSet, of topic: TopicName, _ reclassification: Reclassification, _ db: Database
    ) throws {
        guard let id = try id(of: topic.rawValue, in: "topic", db) else { return }
        let recipients = try ChunkTable.membership.partitions(of: .one(id), db)[id] ?? Partition()
        let concerned = reclassification.concerned(members, in: recipients)
        try ChunkTable.membership.move(concerned, of: id, to: reclassification.result, db)
    }

    /// Does to the tables what `RecordedState.observe` does to the value.
    static func observe(_ members: RecipientSet, at time: ObservationTime, _ db: Database) throws {
        guard let id = try id(of: ObservationTime.reading, in: "reading", db) else { return }
        let table = ChunkTable.observation
        try table.move(members, of: id, to: time, db)
        let times = try Int.fetchAll(
            db, sql: "SELECT DISTINCT state FROM observation WHERE reading = ? ORDER BY state", arguments: [id])
        guard times.count > RecordedState.keptObservations else { return }
        let partition = try table.partitions(of: .one(id), db)[id] ?? Partition()
        let (first, second) = (ObservationTime(rawValue: times[0]), ObservationTime(rawValue: times[1]))
        try table.move(partition[second], of: id, to: first, db)
    }
}
