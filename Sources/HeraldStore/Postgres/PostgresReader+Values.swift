internal import FCM
internal import Foundation
internal import HeraldCore

/// What the answers to single queries mean.
extension PostgresReader {
    static let identity: PostgresStatement = "SELECT lineage, project, endpoint, created, workspace FROM @identity"
    static let codes: PostgresStatement = "SELECT id, code FROM @code"
    static let startClasses: PostgresStatement = "SELECT id, name FROM @start_class"
    static let counted: PostgresStatement = "SELECT id, name FROM @counted"

    static func starts(_ classes: PostgresRows, _ names: PostgresRows) throws -> StoredStarts {
        try StoredStarts(
            classes: classes.all.map { (try $0.int(0), try $0.text(1)) },
            names: names.all.map { (try $0.int(0), try $0.text(1)) })
    }

    static let messageClasses: PostgresStatement = "SELECT id, locale, variant, holdout FROM @message_class"
    static let pauses: PostgresStatement = "SELECT campaign FROM @pause"
    static let notes: PostgresStatement = "SELECT name, value FROM @note"
    static let approvals: PostgresStatement = "SELECT resource, digest, size, approved_by, at FROM @approval"

    static func identity(_ rows: PostgresRows) throws -> RecordedState.Identity {
        guard let row = rows.first, let endpoint = EndpointKind(rawValue: try row.text(2)) else {
            throw StateDamage(detail: "it does not say what it is bound to")
        }
        return RecordedState.Identity(
            lineage: try row.text(0), project: try row.text(1), endpoint: endpoint,
            created: try StoredValue.date(row.double(3)), workspace: try row.text(4))
    }

    static func progress(_ rows: PostgresRows, _ state: inout RecordedState) throws {
        guard let row = rows.first, (0..<1 << 62).contains(try row.int(0)) else {
            throw StateDamage(detail: "its serial is missing or out of range")
        }
        state.serial = try row.int(0)
        state.topicAPI = try row.optionalText(1).map { text in
            guard let api = TopicAPI(rawValue: text) else { throw StateDamage(detail: "it names no topic API") }
            return .init(api, at: try row.optionalDouble(2).map(StoredValue.date) ?? .distantPast)
        }
        state.countingSince = try row.optionalDouble(5).map(StoredValue.date)
        state.sendQuota = try StoredValue.sendQuota(try row.optionalInt(3), try row.optionalDouble(4))
    }

    static func topics(_ rows: PostgresRows, _ sets: PostgresRows) throws -> [TopicName: RecordedTopic] {
        var partitions = try SliceTable.membership.partitions(sets)
        var topics: [TopicName: RecordedTopic] = [:]
        for row in rows.all {
            var topic = RecordedTopic()
            topic.changed = try row.optionalDouble(2).map(StoredValue.date)
            topic.awaitsFile = try row.bool(3)
            topic.recipients = partitions.removeValue(forKey: try row.int(0)) ?? Partition()
            topics[try StoredValue.topicName(row.text(1))] = topic
        }
        guard partitions.isEmpty else { throw StateDamage(detail: "it has members of no topic") }
        return topics
    }

    static func groups(_ rows: PostgresRows, _ sets: PostgresRows) throws -> [GroupName: RecordedGroup] {
        var partitions = try SliceTable.groupMembership.partitions(sets)
        var groups: [GroupName: RecordedGroup] = [:]
        for row in rows.all {
            var group = RecordedGroup()
            group.key = try row.optionalText(2).map { text in
                guard let key = NotificationKey(rawValue: text) else {
                    throw StateDamage(detail: "a group's key has not the form of one")
                }
                return key
            }
            group.recipients = partitions.removeValue(forKey: try row.int(0)) ?? Partition()
            groups[try StoredValue.groupName(row.text(1))] = group
        }
        guard partitions.isEmpty else { throw StateDamage(detail: "it has members of no group") }
        return groups
    }

    /// Open occurrences with their ledgers and classes, finished ones with counts.
    static func occurrences(
        _ rows: PostgresRows, _ ledgers: [Int64: Ledger], _ counts: [Int64: LedgerCounts],
        _ classes: [Int64: Partition<MessageClass>], _ waves: [Int64: Partition<Date>]
    ) throws -> [OccurrenceID: RecordedOccurrence] {
        var (ledgers, counts) = (ledgers, counts)
        var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
        for row in rows.all {
            var (id, name, occurrence) = try occurrence(row)
            occurrence.outcomes =
                occurrence.finished == nil
                ? .ledger(ledgers.removeValue(forKey: id) ?? Ledger())
                : .counts(counts.removeValue(forKey: id) ?? LedgerCounts(entries: [:], codes: [:]))
            (occurrence.classes, occurrence.waves) = (classes[id] ?? Partition(), waves[id] ?? Partition())
            occurrences[name] = occurrence
        }
        guard ledgers.isEmpty, counts.isEmpty else { throw StateDamage(detail: "it has outcomes of no occurrence") }
        return occurrences
    }

    static func ledgers(
        _ entries: PostgresRows, _ rejections: PostgresRows, _ names: [CodeNumber: String]
    ) throws -> [Int64: Ledger] {
        var codes = try SliceTable.rejection.partitions(rejections)
        let ledgers = try SliceTable.ledger.partitions(entries).map { id, entries in
            let numbers = codes.removeValue(forKey: id) ?? Partition()
            let byName = try numbers.states.map { (try name(of: $0, in: names), numbers[$0]) }
            return (id, Ledger(entries: entries, codes: Partition(disjoint: Dictionary(byName) { $0.union($1) })))
        }
        guard codes.isEmpty else { throw StateDamage(detail: "it has rejections of no occurrence") }
        return Dictionary(uniqueKeysWithValues: ledgers)
    }

    /// Includes rows that belong to no occurrence, so that the caller can report them as damage.
    static func counts(
        _ entries: PostgresRows, _ rejections: PostgresRows, _ names: [CodeNumber: String]
    ) throws -> [Int64: LedgerCounts] {
        var codes = try SliceTable.rejection.counts(rejections)
        let counts = try SliceTable.ledger.counts(entries).map { id, entries in
            let byName = try (codes.removeValue(forKey: id) ?? [:]).map { (try name(of: $0, in: names), $1) }
            return (id, LedgerCounts(entries: entries, codes: Dictionary(byName, uniquingKeysWith: +)))
        }
        guard codes.isEmpty else { throw StateDamage(detail: "it has rejections of no occurrence") }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    static func classes(
        _ assignments: PostgresRows, _ classes: PostgresRows
    ) throws -> [Int64: Partition<MessageClass>] {
        let messageClasses = try messageClasses(classes)
        return try SliceTable.assignment.partitions(assignments).mapValues { try messageClasses.classes($0) }
    }

    static func waves(_ rows: PostgresRows) throws -> [Int64: Partition<Date>] {
        try SliceTable.wave.partitions(rows).mapValues { try $0.waves() }
    }

    static func messageClasses(_ rows: PostgresRows) throws -> [ClassNumber: MessageClass] {
        var classes: [ClassNumber: MessageClass] = [:]
        for row in rows.all {
            classes[ClassNumber(rawValue: Int(try row.int(0)))] = MessageClass(
                locale: try row.optionalText(1), variant: try row.optionalText(2), isHoldout: try row.bool(3))
        }
        return classes
    }

    static func codes(_ rows: PostgresRows) throws -> [CodeNumber: String] {
        var names: [CodeNumber: String] = [:]
        for row in rows.all { names[CodeNumber(rawValue: Int(try row.int(0)))] = try row.text(1) }
        return names
    }

    static func name(of code: CodeNumber, in names: [CodeNumber: String]) throws -> String {
        guard let name = names[code] else { throw StateDamage(detail: "it has rejections of no known code") }
        return name
    }

    /// Recipients whose current registration is dead.
    static func dead(_ rows: PostgresRows) throws -> RecipientSet {
        RecipientSet(try rows.all.map { try StoredValue.recipientID($0.int(0)) })
    }

    static func pauses(_ rows: PostgresRows) throws -> Pauses {
        var pauses = Pauses()
        for row in rows.all {
            let name = try row.text(0)
            if name.isEmpty { pauses.everything = true } else { pauses.campaigns.insert(name) }
        }
        return pauses
    }

    static func notes(_ rows: PostgresRows) throws -> [StateNote: String] {
        var notes: [StateNote: String] = [:]
        for row in rows.all {
            // A newer herald may note more.
            if let note = StateNote(rawValue: try row.text(0)) { notes[note] = try row.text(1) }
        }
        return notes
    }

    static func approvals(_ rows: PostgresRows) throws -> [String: RecordedApproval] {
        var approvals: [String: RecordedApproval] = [:]
        for row in rows.all { approvals[try row.text(0)] = try approval(row) }
        return approvals
    }

    private static func approval(_ row: PostgresRow) throws -> RecordedApproval {
        RecordedApproval(
            digest: try row.text(1), size: try row.optionalInt(2).map(StoredValue.size), by: try row.text(3),
            at: try StoredValue.date(row.double(4)))
    }

    static func test(_ row: PostgresRow) throws -> RecordedTest {
        RecordedTest(
            campaign: try row.text(0), at: try StoredValue.date(row.double(1)), accepted: Int(try row.int(2)),
            rejected: Int(try row.int(3)), unknown: Int(try row.int(4)))
    }

    /// The highest number given out, also to a recipient that was erased.
    ///
    /// - Parameter rows: the answer to `numbering`.
    static func last(_ rows: PostgresRows) throws -> RecipientID {
        guard let row = rows.first else { throw StateDamage(detail: "it does not say what it is bound to") }
        let last = try row.int(2)
        return last == 0 ? KnownRecipient.firstID - 1 : try StoredValue.recipientID(last)
    }

    static func recipients(_ rows: PostgresRows) throws -> [KnownRecipient] {
        try rows.all.map { try StoredValue.recipient($0.int(0), $0.text(1)) }
    }

    static let stamps: PostgresStatement = "SELECT number, id FROM @stamp ORDER BY number"

    static func stamps(_ rows: PostgresRows) throws -> Stamps {
        try StoredValue.stamps(rows.all.map { (try $0.int(0), try $0.text(1)) })
    }
}
