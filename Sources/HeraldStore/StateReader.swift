internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

/// Reads a state out of its tables, trusting none of them.
struct StateReader {
    let db: Database

    struct Damage: Error {
        var detail: String
    }

    func identity() throws -> HeraldCore.RecordedState.Identity {
        guard let lineage = try meta("lineage", String.self), let project = try meta("project", String.self),
            let endpoint = try meta("endpoint", String.self).flatMap(EndpointKind.init(rawValue:)),
            let created = try meta("created", Double.self)
        else { throw Damage(detail: "it does not say what it is bound to") }
        return HeraldCore.RecordedState.Identity(
            lineage: lineage, project: project, endpoint: endpoint, created: try Self.date(created))
    }

    func state() throws -> HeraldCore.RecordedState {
        var state = HeraldCore.RecordedState(identity: try identity())
        guard let serial = try meta("serial", Int64.self), (0..<1 << 62).contains(serial) else {
            throw Damage(detail: "its serial is missing or out of range")
        }
        state.serial = serial
        state.topics = try topics()
        state.groups = try groups()
        state.occurrences = try occurrences()
        let dead = try Int64.fetchAll(db, sql: "SELECT recipient FROM tombstone ORDER BY recipient")
        state.dead = RecipientSet(try dead.map(Self.recipientID))
        state.spentPlans = try Set(String.fetchAll(db, sql: "SELECT id FROM spent_plan"))
        for row in try Row.fetchAll(db, sql: "SELECT name, size FROM audience_size") {
            let size = try row.decode(Int.self, atIndex: 1)
            guard (0...Int(RecipientID.max)).contains(size) else {
                throw Damage(detail: "an audience's size is out of range")
            }
            state.audienceSizes[try row.decode(atIndex: 0)] = size
        }
        for row in try Row.fetchAll(db, sql: "SELECT campaign, at, schedule, next FROM watermark") {
            state.watermarks[try row.decode(atIndex: 0)] = Watermark(
                at: try Self.date(row.decode(atIndex: 1)), schedule: try row.decode(atIndex: 2),
                next: try row.decode(Double?.self, atIndex: 3).map(Self.date))
        }
        state.pauses = try pauses()
        state.tests = try tests()
        state.topicAPI = try meta("topic_api", String.self).map { text in
            guard let api = TopicAPI(rawValue: text) else { throw Damage(detail: "it names no topic API") }
            return api
        }
        state.nextRecipient = try nextRecipient()
        return state
    }

    /// `nil` in a state that has given no number since heralds draw versions.
    func numbering() throws -> Numbering? {
        guard let version = try meta("numbering", Data.self), version.count == Numbering.versionSize else { return nil }
        return Numbering(lineage: try identity().lineage, version: Array(version), next: try nextRecipient())
    }

    private func nextRecipient() throws -> RecipientID {
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM recipient") ?? 0
        // Half of the numbers are left for those that lists bring.
        guard (0..<Int64(RecipientID.max / 2)).contains(last) else {
            throw Damage(detail: "a recipient's number is out of range")
        }
        return RecipientID(last) + 1
    }

    private func topics() throws -> [TopicName: RecordedTopic] {
        var sets = try ChunkTable.membership.all(db)
        var topics: [TopicName: RecordedTopic] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT id, name, changed FROM topic") {
            guard let name = TopicName(rawValue: try row.decode(atIndex: 1)) else {
                throw Damage(detail: "it names no topic")
            }
            var topic = RecordedTopic()
            topic.changed = try row.decode(Double?.self, atIndex: 2).map(Self.date)
            for (state, set) in sets.removeValue(forKey: try row.decode(atIndex: 0)) ?? [:] {
                if let membership = Membership(rawValue: state) { topic[membership] = set }
            }
            topics[name] = topic
        }
        guard sets.isEmpty else { throw Damage(detail: "it has members of no topic") }
        return topics
    }

    private func groups() throws -> [GroupName: RecordedGroup] {
        var sets = try ChunkTable.groupMembership.all(db)
        var groups: [GroupName: RecordedGroup] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT id, name, notification_key FROM device_group") {
            guard let name = GroupName(rawValue: try row.decode(atIndex: 1)) else {
                throw Damage(detail: "it names no group")
            }
            var group = RecordedGroup()
            group.key = try row.decode(String?.self, atIndex: 2).map { text in
                guard let key = NotificationKey(rawValue: text) else {
                    throw Damage(detail: "a group's key has not the form of one")
                }
                return key
            }
            for (state, set) in sets.removeValue(forKey: try row.decode(atIndex: 0)) ?? [:] {
                if let membership = GroupMembership(rawValue: state) { group[membership] = set }
            }
            groups[name] = group
        }
        guard sets.isEmpty else { throw Damage(detail: "it has members of no group") }
        return groups
    }

    func pauses() throws -> Pauses {
        var pauses = Pauses()
        for name in try String.fetchAll(db, sql: "SELECT campaign FROM pause") {
            if name.isEmpty { pauses.everything = true } else { pauses.campaigns.insert(name) }
        }
        return pauses
    }

    private func tests() throws -> [RecordedTest] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT campaign, at, accepted, rejected, unknown FROM test ORDER BY id")
        return try rows.map { row in
            RecordedTest(
                campaign: try row.decode(atIndex: 0), at: try Self.date(row.decode(atIndex: 1)),
                accepted: try row.decode(atIndex: 2), rejected: try row.decode(atIndex: 3),
                unknown: try row.decode(atIndex: 4))
        }
    }

    /// The rejected by code, for each occurrence.
    private func codes() throws -> [Int64: [String: RecipientSet]] {
        var names: [Int: String] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT id, code FROM code") {
            names[try row.decode(atIndex: 0)] = try row.decode(String.self, atIndex: 1)
        }
        return try ChunkTable.rejection.all(db).mapValues { states in
            var codes: [String: RecipientSet] = [:]
            for (state, set) in states {
                guard let name = names[state] else { throw Damage(detail: "it has rejections of no known code") }
                codes[name] = set
            }
            return codes
        }
    }

    private func occurrences() throws -> [OccurrenceID: RecordedOccurrence] {
        var sets = try ChunkTable.ledger.all(db)
        var codes = try codes()
        var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, name, campaign, revision, due, content_digest, target, finished FROM occurrence")
        for row in rows {
            var occurrence = RecordedOccurrence(
                campaign: try row.decode(atIndex: 2), revision: try row.decode(atIndex: 3),
                due: try row.decode(Double?.self, atIndex: 4).map(Self.date),
                contentDigest: try row.decode(atIndex: 5), target: try row.decode(atIndex: 6))
            occurrence.finished = try row.decode(Double?.self, atIndex: 7).map(Self.date)
            let id = try row.decode(Int64.self, atIndex: 0)
            for (state, set) in sets.removeValue(forKey: id) ?? [:] {
                if let entry = LedgerEntry(rawValue: state) { occurrence[entry] = set }
            }
            occurrence.codes = codes.removeValue(forKey: id) ?? [:]
            occurrences[OccurrenceID(rawValue: try row.decode(atIndex: 1))] = occurrence
        }
        guard sets.isEmpty, codes.isEmpty else { throw Damage(detail: "it has outcomes of no occurrence") }
        return occurrences
    }

    private func meta<Value: DatabaseValueConvertible>(_ key: String, _: Value.Type) throws -> Value? {
        try DatabaseValue.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
            .flatMap { Value.fromDatabaseValue($0) }
    }

    static func recipientID(_ value: Int64) throws -> RecipientID {
        guard let id = RecipientID(exactly: value), id >= HeraldCore.RecordedState.firstRecipient else {
            throw Damage(detail: "a recipient's number is out of range")
        }
        return id
    }

    /// Years 1 to 9999: what lies beyond was never a time of ours, and no arithmetic is safe with it.
    static func date(_ seconds: Double) throws -> Date {
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else {
            throw Damage(detail: "a time is out of range")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// - Parameter row: its number and its registration.
    static func recipient(_ row: Row) throws -> KnownRecipient {
        let id = try recipientID(row.decode(atIndex: 0))
        guard let registration = Registration(try row.decode(atIndex: 1)) else {
            throw Damage(detail: "a registration has not the form of one")
        }
        return KnownRecipient(id: id, registration: registration)
    }
}
