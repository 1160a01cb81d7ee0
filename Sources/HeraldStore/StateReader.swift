internal import FCM
internal import Foundation
internal import GRDB
internal import HeraldCore

/// Reads a state from its tables. It trusts none of them.
struct StateReader {
    let db: Database

    func identity() throws -> RecordedState.Identity {
        guard let lineage = try meta("lineage", String.self), let project = try meta("project", String.self),
            let endpoint = try meta("endpoint", String.self).flatMap(EndpointKind.init(rawValue:)),
            let created = try meta("created", Double.self)
        else { throw StateDamage(detail: "it does not say what it is bound to") }
        return RecordedState.Identity(
            lineage: lineage, project: project, endpoint: endpoint, created: try StoredValue.date(created),
            workspace: try meta("workspace", String.self))
    }

    /// Empty if it is missing.
    func fingerprintKey() throws -> [UInt8] { Array(try meta("fingerprint_key", Data.self) ?? Data()) }

    func snapshot() throws -> RecordedState {
        var state = RecordedState(identity: try identity())
        guard let serial = try meta("serial", Int64.self), (0..<1 << 62).contains(serial) else {
            throw StateDamage(detail: "its serial is missing or out of range")
        }
        state.serial = serial
        state.topics = try topics()
        state.groups = try groups()
        state.occurrences = try occurrences()
        (state.dead, state.migratedDead) = (try dead(), try dead(where: "migrated"))
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, recipient FROM former")) {
            state.formers[try StoredValue.formerID(row.decode(atIndex: 0))] = try StoredValue.recipientID(
                row.decode(atIndex: 1))
        }
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT campaign, name FROM former_name")) {
            state.formerNames[try row.decode(String.self, atIndex: 0), default: []].insert(try row.decode(atIndex: 1))
        }
        state.spentPlans = try Set(String.fetchAll(db.cachedStatement(sql: "SELECT id FROM spent_plan")))
        state.audienceSizes = try audienceSizes()
        state.watermarks = try watermarks()
        state.pauses = try pauses()
        state.tests = try tests()
        state.commits = try commits()
        state.approvals = try approvals()
        state.stamps = try stamps()
        state.notes = try notes()
        state.topicAPI = try meta("topic_api", String.self).map { text in
            guard let api = TopicAPI(rawValue: text) else { throw StateDamage(detail: "it names no topic API") }
            let found = try meta("topic_api_found", Double.self).map(StoredValue.date)
            return .init(api, at: found ?? .distantPast)
        }
        state.sendQuota = try StoredValue.sendQuota(
            try meta("send_quota", Int64.self), try meta("send_quota_found", Double.self))
        state.starts = try starts()
        state.observed = try observed()
        state.countingSince = try meta("counting_since", Double.self).map(StoredValue.date)
        state.nextRecipient = try lastRecipient() + 1
        return state
    }

    private func observed() throws -> Partition<Date> {
        var partitions = try ChunkTable.observation.partitions(of: .all, db)
        let statement = try db.cachedStatement(sql: "SELECT id FROM reading WHERE name = ?")
        let id = try Int64.fetchOne(statement, arguments: [ObservationTime.reading])
        let times = id.flatMap { partitions.removeValue(forKey: $0) } ?? Partition()
        guard partitions.isEmpty else { throw StateDamage(detail: "it has observations of nothing") }
        return try times.observed()
    }

    func starts() throws -> [OccurrenceID: Partition<MessageStart>] {
        try storedStarts().starts(ChunkTable.start.partitions(of: .all, db))
    }

    /// What the numbers in the table `start` mean.
    func storedStarts() throws -> StoredStarts {
        let rows = { (table: String) in
            try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM \(table)")).map { row in
                (try row.decode(Int64.self, atIndex: 0), try row.decode(String.self, atIndex: 1))
            }
        }
        return try StoredStarts(classes: rows("start_class"), names: rows("counted"))
    }

    /// `nil` if the state has given out no number since herald began to store this version.
    func numbering() throws -> Numbering? {
        guard let version = try meta("numbering", Data.self), version.count == Numbering.versionSize else { return nil }
        return Numbering(lineage: try identity().lineage, version: Array(version), next: try lastRecipient() + 1)
    }

    /// The recipients after `id`, sorted by number.
    func recipients(after id: RecipientID, limit: Int) throws -> [KnownRecipient] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, registration FROM recipient WHERE id > ? ORDER BY id LIMIT ?")
        let rows = try Row.fetchCursor(statement, arguments: [Int64(id), limit])
        var found: [KnownRecipient] = []
        while let row = try rows.next() { found.append(try Self.recipient(row)) }
        return found
    }

    /// Recipients whose current registration is dead.
    ///
    /// - Parameter condition: an SQL condition on `tombstone` and `recipient`.
    func dead(
        where condition: String = "TRUE", _ arguments: StatementArguments = StatementArguments()
    ) throws -> RecipientSet {
        // CROSS keeps this order of the tables: few are dead, and SQLite would otherwise go through all recipients.
        let statement = try db.cachedStatement(
            sql: """
                SELECT recipient.id FROM tombstone CROSS JOIN recipient
                ON recipient.id = tombstone.recipient AND recipient.registration = tombstone.registration
                WHERE \(condition) ORDER BY tombstone.recipient
                """)
        return RecipientSet(try Int64.fetchAll(statement, arguments: arguments).map(StoredValue.recipientID))
    }

    func tombstones(after last: Tombstone?, limit: Int) throws -> [Tombstone] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: Self.numberless(StoredValue.tombstones)),
            arguments: [Int64(last?.recipient ?? 0), last?.registration.rawValue ?? "", limit])
        var found: [Tombstone] = []
        while let row = try rows.next() {
            found.append(
                try StoredValue.tombstone(
                    row.decode(atIndex: 0), row.decode(atIndex: 1), died: row.decode(atIndex: 2),
                    row.decode(String?.self, atIndex: 3), row.decode(Int64?.self, atIndex: 4)))
        }
        return found
    }

    func deathNotices(after last: DeathNotice?, limit: Int) throws -> [DeathNotice] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: Self.numberless(StoredValue.untold)),
            arguments: [last?.run ?? "", last?.number ?? 0, limit])
        return try rows.map { row in
            try StoredValue.deathNotice(
                row.decode(atIndex: 0), row.decode(atIndex: 1), row.decode(atIndex: 2), row.decode(atIndex: 3),
                died: row.decode(atIndex: 4))
        }
    }

    /// A statement of both kinds of states, as SQLite takes it.
    private static func numberless(_ sql: String) -> String {
        sql.replacing("@", with: "").replacing(#/\$\d/#, with: "?")
    }

    /// - Parameter row: a row with the number and the registration.
    static func recipient(_ row: Row, isFormer: Bool = false) throws -> KnownRecipient {
        try StoredValue.recipient(row.decode(atIndex: 0), row.decode(atIndex: 1), isFormer: isFormer)
    }

    /// The highest number given out, also to a recipient that was erased.
    func lastRecipient() throws -> RecipientID {
        let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM recipient"))
        guard let last = try [last, meta("last_erased", Int64.self)].compactMap(\.self).max() else {
            return KnownRecipient.firstID - 1
        }
        return try StoredValue.recipientID(last)
    }

    /// The epoch of the newest lease. 0 if there was none.
    func epoch() throws -> Int64 { try meta("epoch", Int64.self) ?? 0 }

    private func topics() throws -> [TopicName: RecordedTopic] {
        var partitions = try ChunkTable.membership.partitions(of: .all, db)
        var topics: [TopicName: RecordedTopic] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name, changed, awaits_file FROM topic")) {
            var topic = RecordedTopic()
            topic.awaitsFile = try row.decode(atIndex: 3)
            topic.changed = try row.decode(Double?.self, atIndex: 2).map(StoredValue.date)
            topic.recipients = partitions.removeValue(forKey: try row.decode(atIndex: 0)) ?? Partition()
            topics[try StoredValue.topicName(row.decode(atIndex: 1))] = topic
        }
        guard partitions.isEmpty else { throw StateDamage(detail: "it has members of no topic") }
        return topics
    }

    private func groups() throws -> [GroupName: RecordedGroup] {
        var partitions = try ChunkTable.groupMembership.partitions(of: .all, db)
        var groups: [GroupName: RecordedGroup] = [:]
        let statement = try db.cachedStatement(sql: "SELECT id, name, notification_key FROM device_group")
        for row in try Row.fetchAll(statement) {
            var group = RecordedGroup()
            group.key = try row.decode(String?.self, atIndex: 2).map { text in
                guard let key = NotificationKey(rawValue: text) else {
                    throw StateDamage(detail: "a group's key has not the form of one")
                }
                return key
            }
            group.recipients = partitions.removeValue(forKey: try row.decode(atIndex: 0)) ?? Partition()
            groups[try StoredValue.groupName(row.decode(atIndex: 1))] = group
        }
        guard partitions.isEmpty else { throw StateDamage(detail: "it has members of no group") }
        return groups
    }

    private func audienceSizes() throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT name, size FROM audience_size")) {
            sizes[try row.decode(atIndex: 0)] = try StoredValue.size(row.decode(atIndex: 1))
        }
        return sizes
    }

    private func watermarks() throws -> [String: Watermark] {
        var watermarks: [String: Watermark] = [:]
        let statement = try db.cachedStatement(sql: "SELECT campaign, at, schedule, next, first FROM watermark")
        for row in try Row.fetchAll(statement) {
            watermarks[try row.decode(atIndex: 0)] = Watermark(
                at: try StoredValue.date(row.decode(atIndex: 1)), schedule: try row.decode(atIndex: 2),
                next: try row.decode(Double?.self, atIndex: 3).map(StoredValue.date),
                first: try row.decode(Double?.self, atIndex: 4).map(StoredValue.date))
        }
        return watermarks
    }

    func pauses() throws -> Pauses {
        var pauses = Pauses()
        for name in try String.fetchAll(db.cachedStatement(sql: "SELECT campaign FROM pause")) {
            if name.isEmpty { pauses.everything = true } else { pauses.campaigns.insert(name) }
        }
        return pauses
    }

    func notes() throws -> [StateNote: String] {
        var notes: [StateNote: String] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT name, value FROM note")) {
            // A newer herald may note more.
            guard let note = StateNote(rawValue: try row.decode(atIndex: 0)) else { continue }
            notes[note] = try row.decode(atIndex: 1)
        }
        return notes
    }

    private func commits() throws -> [AppliedCommit] {
        let statement = try db.cachedStatement(sql: "SELECT id, committed FROM applied_commit ORDER BY number")
        return try Row.fetchAll(statement).map {
            try StoredValue.commit($0.decode(atIndex: 0), $0.decode(atIndex: 1))
        }
    }

    func approvals() throws -> [String: RecordedApproval] {
        var approvals: [String: RecordedApproval] = [:]
        let statement = try db.cachedStatement(sql: "SELECT resource, digest, size, approved_by, at FROM approval")
        for row in try Row.fetchAll(statement) {
            approvals[try row.decode(atIndex: 0)] = RecordedApproval(
                digest: try row.decode(atIndex: 1), size: try row.decode(Int64?.self, atIndex: 2).map(StoredValue.size),
                by: try row.decode(atIndex: 3), at: try StoredValue.date(row.decode(atIndex: 4)))
        }
        return approvals
    }

    private func tests() throws -> [RecordedTest] {
        let statement = try db.cachedStatement(
            sql: "SELECT campaign, at, accepted, rejected, unknown FROM test ORDER BY id")
        return try Row.fetchAll(statement).map { row in
            RecordedTest(
                campaign: try row.decode(atIndex: 0), at: try StoredValue.date(row.decode(atIndex: 1)),
                accepted: try row.decode(atIndex: 2), rejected: try row.decode(atIndex: 3),
                unknown: try row.decode(atIndex: 4))
        }
    }

    func stamps() throws -> Stamps {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT number, id FROM stamp ORDER BY number"))
        return try StoredValue.stamps(rows.map { (try $0.decode(atIndex: 0), try $0.decode(atIndex: 1)) })
    }

    private func meta<Value: DatabaseValueConvertible>(_ key: String, _: Value.Type) throws -> Value? {
        let statement = try db.cachedStatement(sql: "SELECT value FROM meta WHERE key = ?")
        return try DatabaseValue.fetchOne(statement, arguments: [key])
            .flatMap { Value.fromDatabaseValue($0) }
    }
}
