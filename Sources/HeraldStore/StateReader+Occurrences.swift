internal import Foundation
internal import GRDB
internal import HeraldCore

extension StateReader {
    private static let columns =
        """
        id, name, campaign, revision, due, content_digest, target, finished, pruned, halted, begun, reopened, suspended,
        local, stages, unseen, done
        """
    private static let open = "SELECT id FROM occurrence WHERE finished IS NULL"

    /// Open occurrences with their ledgers and classes, finished ones with counts.
    func occurrences() throws -> [OccurrenceID: RecordedOccurrence] {
        var (ledgers, counts) = (try ledgers(of: .among(Self.open)), try counts(of: .notAmong(Self.open)))
        let (classes, waves) = (try classes(of: .among(Self.open)), try waves(of: .among(Self.open)))
        var occurrences: [OccurrenceID: RecordedOccurrence] = [:]
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT \(Self.columns) FROM occurrence"))
        while let row = try rows.next() {
            var (id, name, occurrence) = try Self.occurrence(row)
            occurrence.outcomes =
                occurrence.finished == nil
                ? .ledger(ledgers.removeValue(forKey: id) ?? Ledger())
                : .counts(counts.removeValue(forKey: id) ?? LedgerCounts(entries: [:], codes: [:]))
            (occurrence.classes, occurrence.waves) = (classes[id] ?? Partition(), waves[id] ?? Partition())
            occurrences[name] = occurrence
        }
        guard ledgers.isEmpty, counts.isEmpty else { throw StateDamage(detail: "it has outcomes of no occurrence") }
        for table in ["assignment", "wave"] where try hasStrays(in: table) {
            throw StateDamage(detail: "it has a row of \(table) that is of no occurrence")
        }
        return occurrences
    }

    /// One occurrence with its ledger and classes, whether it is finished or not.
    func occurrence(_ wanted: OccurrenceID) throws -> RecordedOccurrence? {
        let statement = try db.cachedStatement(sql: "SELECT \(Self.columns) FROM occurrence WHERE name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [wanted.rawValue]) else { return nil }
        var (id, _, occurrence) = try Self.occurrence(row)
        if try row.decode(Bool.self, atIndex: 8) {
            occurrence.outcomes = .counts(try counts(of: .one(id))[id] ?? LedgerCounts(entries: [:], codes: [:]))
        } else {
            occurrence.outcomes = .ledger(try ledgers(of: .one(id))[id] ?? Ledger())
            occurrence.classes = try classes(of: .one(id))[id] ?? Partition()
            occurrence.waves = try waves(of: .one(id))[id] ?? Partition()
        }
        return occurrence
    }

    func trace(of recipient: RecipientID) throws -> Trace {
        let dead = try dead(where: "recipient.id = ?", [Int64(recipient)])
        var trace = Trace(isDead: !dead.isEmpty)
        let formers = try Int64.fetchAll(
            db, sql: "SELECT id FROM former WHERE recipient = ? ORDER BY id", arguments: [Int64(recipient)])
        let numbers = [recipient] + (try formers.map(StoredValue.formerID))
        trace.topics = try ChunkTable.membership.places(of: numbers, db).map { id, membership in
            .init(name: try StoredValue.topicName(name(id, in: "topic")), membership: membership)
        }
        trace.groups = try ChunkTable.groupMembership.places(of: numbers, db).map { id, membership in
            .init(name: try StoredValue.groupName(name(id, in: "device_group")), membership: membership)
        }
        let (names, codes) = (try codeNames(), try ChunkTable.rejection.states(of: recipient, db))
        let (entries, assigned) = (
            try ChunkTable.ledger.states(of: recipient, db), try ChunkTable.assignment.states(of: recipient, db)
        )
        let messageClasses = try messageClasses()
        trace.occurrences = try Set(entries.keys).union(assigned.keys).map { id in
            .init(
                id: OccurrenceID(rawValue: try name(id, in: "occurrence")), entry: entries[id],
                code: try codes[id].map { try Self.name(of: $0, in: names) },
                try assigned[id].map { try messageClasses.messageClass(of: $0) })
        }
        trace.observed = try ChunkTable.observation.states(of: recipient, db).values.first
            .map { try StoredValue.date(Double($0.rawValue) / 1000) }
        let stored = try storedStarts()
        trace.add(
            try ChunkTable.start.states(of: recipient, db).map { id, number in
                .init(occurrence: try stored.name(id), start: try stored.start(number))
            })
        trace.topics.sort { $0.name < $1.name }
        trace.groups.sort { $0.name < $1.name }
        trace.occurrences.sort { $0.id < $1.id }
        return trace
    }

    private func ledgers(of occurrences: Owners) throws -> [Int64: Ledger] {
        var codes = try ChunkTable.rejection.partitions(of: occurrences, db)
        let names = try codeNames()
        let ledgers = try ChunkTable.ledger.partitions(of: occurrences, db).map { id, entries in
            let numbers = codes.removeValue(forKey: id) ?? Partition()
            let byName = try numbers.states.map { (try Self.name(of: $0, in: names), numbers[$0]) }
            let codes = Partition(disjoint: Dictionary(byName) { $0.union($1) })
            return (id, Ledger(entries: entries, codes: codes))
        }
        guard codes.isEmpty else { throw StateDamage(detail: "it has rejections of no occurrence") }
        return Dictionary(uniqueKeysWithValues: ledgers)
    }

    /// Includes rows that belong to no occurrence, so that the caller can report them as damage.
    private func counts(of occurrences: Owners) throws -> [Int64: LedgerCounts] {
        var codes = try ChunkTable.rejection.counts(of: occurrences, db)
        let names = try codeNames()
        let counts = try ChunkTable.ledger.counts(of: occurrences, db).map { id, entries in
            let byName = try (codes.removeValue(forKey: id) ?? [:]).map { (try Self.name(of: $0, in: names), $1) }
            return (id, LedgerCounts(entries: entries, codes: Dictionary(byName, uniquingKeysWith: +)))
        }
        guard codes.isEmpty else { throw StateDamage(detail: "it has rejections of no occurrence") }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    private func classes(of occurrences: Owners) throws -> [Int64: Partition<MessageClass>] {
        let messageClasses = try messageClasses()
        return try ChunkTable.assignment.partitions(of: occurrences, db).mapValues { try messageClasses.classes($0) }
    }

    private func waves(of occurrences: Owners) throws -> [Int64: Partition<Date>] {
        try ChunkTable.wave.partitions(of: occurrences, db).mapValues { try $0.waves() }
    }

    private func messageClasses() throws -> [ClassNumber: MessageClass] {
        var classes: [ClassNumber: MessageClass] = [:]
        let statement = try db.cachedStatement(sql: "SELECT id, locale, variant, holdout FROM message_class")
        for row in try Row.fetchAll(statement) {
            classes[ClassNumber(rawValue: try row.decode(atIndex: 0))] = MessageClass(
                locale: try row.decode(String?.self, atIndex: 1), variant: try row.decode(String?.self, atIndex: 2),
                isHoldout: try row.decode(atIndex: 3))
        }
        return classes
    }

    /// It goes from owner to owner and reads no other rows: finished occurrences may have thousands.
    private func hasStrays(in table: String) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE owner (id) AS (
                    SELECT min(occurrence) FROM \(table)
                    UNION ALL SELECT (SELECT min(occurrence) FROM \(table) WHERE occurrence > owner.id)
                    FROM owner WHERE owner.id IS NOT NULL
                )
                SELECT EXISTS (SELECT 1 FROM owner WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM occurrence))
                    OR EXISTS (SELECT 1 FROM \(table) WHERE occurrence IS NULL)
                """)
        return try Bool.fetchOne(statement) ?? false
    }

    private func codeNames() throws -> [CodeNumber: String] {
        var names: [CodeNumber: String] = [:]
        for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT id, code FROM code")) {
            names[CodeNumber(rawValue: try row.decode(atIndex: 0))] = try row.decode(String.self, atIndex: 1)
        }
        return names
    }

    private static func name(of code: CodeNumber, in names: [CodeNumber: String]) throws -> String {
        guard let name = names[code] else { throw StateDamage(detail: "it has rejections of no known code") }
        return name
    }

    private func name(_ id: Int64, in table: String) throws -> String {
        let statement = try db.cachedStatement(sql: "SELECT name FROM \(table) WHERE id = ?")
        guard let name = try String.fetchOne(statement, arguments: [id]) else {
            throw StateDamage(detail: "a recipient is in a \(table) that is not there")
        }
        return name
    }

    /// - Parameter row: a row with `columns`.
    private static func occurrence(_ row: Row) throws -> (id: Int64, name: OccurrenceID, RecordedOccurrence) {
        var occurrence = RecordedOccurrence(
            campaign: try row.decode(atIndex: 2), revision: try row.decode(atIndex: 3),
            due: try row.decode(Double?.self, atIndex: 4).map(StoredValue.date),
            contentDigest: try row.decode(atIndex: 5), target: try row.decode(atIndex: 6))
        occurrence.finished = try row.decode(Double?.self, atIndex: 7).map(StoredValue.date)
        occurrence.halt = try StoredValue.halt(row.decode(atIndex: 9))
        occurrence.begun = try row.decode(Double?.self, atIndex: 10).map(StoredValue.date)
        occurrence.isReopened = try row.decode(atIndex: 11)
        occurrence.suspended = try row.decode(Double?.self, atIndex: 12).map(StoredValue.date)
        occurrence.local = try StoredValue.localTime(row.decode(String?.self, atIndex: 13))
        occurrence.stages = try StoredValue.stages(row.decode(String?.self, atIndex: 14))
        occurrence.unseen = try row.decode(Double?.self, atIndex: 15).map(StoredValue.date)
        occurrence.isDone = try row.decode(atIndex: 16)
        return (try row.decode(atIndex: 0), OccurrenceID(rawValue: try row.decode(atIndex: 1)), occurrence)
    }
}
