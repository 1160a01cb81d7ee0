internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

/// Reads a record out of its tables, trusting none of them.
struct RecordReader {
    let db: Database

    struct Damage: Error {
        var detail: String
    }

    func identity() throws -> HeraldCore.Record.Identity {
        guard let lineage = try meta("lineage", String.self), let project = try meta("project", String.self),
            let endpoint = try meta("endpoint", String.self).flatMap(EndpointKind.init(rawValue:)),
            let created = try meta("created", Double.self)
        else { throw Damage(detail: "it does not say what it is bound to") }
        return HeraldCore.Record.Identity(
            lineage: lineage, project: project, endpoint: endpoint, created: Date(timeIntervalSince1970: created))
    }

    func record() throws -> HeraldCore.Record {
        var record = HeraldCore.Record(identity: try identity())
        guard let serial = try meta("serial", Int64.self) else { throw Damage(detail: "its serial is missing") }
        record.serial = serial
        record.topics = try topics()
        record.occurrences = try occurrences()
        let dead = try Int64.fetchAll(db, sql: "SELECT recipient FROM tombstone ORDER BY recipient")
        record.dead = RecipientSet(try dead.map(Self.recipientID))
        record.spentPlans = try Set(String.fetchAll(db, sql: "SELECT id FROM spent_plan"))
        for row in try Row.fetchAll(db, sql: "SELECT name, size FROM audience_size") {
            record.audienceSizes[row[0]] = row[1]
        }
        for row in try Row.fetchAll(db, sql: "SELECT campaign, at FROM watermark") {
            record.watermarks[row[0]] = Date(timeIntervalSince1970: row[1])
        }
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM recipient") ?? 0
        record.nextRecipient = try Self.recipientID(last + 1)
        return record
    }

    private func topics() throws -> [TopicName: RecordedTopic] {
        let sets = try ChunkTable.membership.all(db)
        var topics: [TopicName: RecordedTopic] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT id, name, changed FROM topic") {
            guard let name = TopicName(rawValue: row[1]) else { throw Damage(detail: "it names no topic") }
            var topic = RecordedTopic()
            topic.changed = (row[2] as Double?).map { Date(timeIntervalSince1970: $0) }
            for (state, set) in sets[row[0]] ?? [:] {
                if let membership = Membership(rawValue: state) { topic[membership] = set }
            }
            topics[name] = topic
        }
        return topics
    }

    private func occurrences() throws -> [OccurrenceID: RecordedOccurrence] {
        let sets = try ChunkTable.ledger.all(db)
        var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, name, campaign, revision, due, content_digest, target, finished FROM occurrence")
        for row in rows {
            var occurrence = RecordedOccurrence(
                campaign: row[2], revision: row[3],
                due: (row[4] as Double?).map { Date(timeIntervalSince1970: $0) }, contentDigest: row[5],
                target: row[6])
            occurrence.finished = (row[7] as Double?).map { Date(timeIntervalSince1970: $0) }
            for (state, set) in sets[row[0]] ?? [:] {
                if let entry = LedgerEntry(rawValue: state) { occurrence[entry] = set }
            }
            occurrences[OccurrenceID(rawValue: row[1])] = occurrence
        }
        return occurrences
    }

    private func meta<Value: DatabaseValueConvertible>(_ key: String, _: Value.Type) throws -> Value? {
        try DatabaseValue.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
            .flatMap { Value.fromDatabaseValue($0) }
    }

    static func recipientID(_ value: Int64) throws -> RecipientID {
        guard let id = RecipientID(exactly: value) else { throw Damage(detail: "a recipient's number is out of range") }
        return id
    }

    static func registration(key: String, rest: String) throws -> Registration {
        guard let registration = Registration(key + rest), registration.recipientKey.rawValue == key else {
            throw Damage(detail: "a registration has not the form of one")
        }
        return registration
    }
}
