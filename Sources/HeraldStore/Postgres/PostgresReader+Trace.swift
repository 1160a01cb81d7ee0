internal import HeraldCore

extension PostgresReader {
    func trace(of recipient: RecipientID) throws -> Trace {
        let id = PostgresValue.int(Int64(recipient))
        let found = try transaction.fetch([
            PostgresStatement("SELECT id FROM @dead_recipient WHERE id = $1", id),
            PostgresStatement("SELECT id FROM @former WHERE recipient = $1 ORDER BY id", id), Self.codes,
            "SELECT id, name FROM @topic", "SELECT id, name FROM @device_group", "SELECT id, name FROM @occurrence",
            Self.messageClasses, Self.startClasses, Self.counted,
        ])
        let numbers = [recipient] + (try found[1].all.map { try StoredValue.formerID($0.int(0)) })
        let (topics, groups, occurrences) = (try names(found[3]), try names(found[4]), try names(found[5]))
        let codes = try Self.codes(found[2])
        var trace = Trace(isDead: found[0].count > 0)
        trace.topics = try places(of: numbers, in: .membership).map { id, membership in
            .init(name: try StoredValue.topicName(name(id, in: topics)), membership: membership)
        }
        trace.groups = try places(of: numbers, in: .groupMembership).map { id, membership in
            .init(name: try StoredValue.groupName(name(id, in: groups)), membership: membership)
        }
        let rejections = try states(of: recipient, in: .rejection)
        let (entries, assigned) = (
            try states(of: recipient, in: .ledger), try states(of: recipient, in: .assignment)
        )
        let messageClasses = try Self.messageClasses(found[6])
        trace.occurrences = try Set(entries.keys).union(assigned.keys).map { id in
            .init(
                id: OccurrenceID(rawValue: try name(id, in: occurrences)), entry: entries[id],
                code: try rejections[id].map { try Self.name(of: $0, in: codes) },
                try assigned[id].map { try messageClasses.messageClass(of: $0) })
        }
        trace.observed = try states(of: recipient, in: .observation).values.first
            .map { try StoredValue.date(Double($0.rawValue) / 1000) }
        let stored = try Self.starts(found[7], found[8])
        trace.add(
            try states(of: recipient, in: .start).map { id, number in
                .init(occurrence: try stored.name(id), start: try stored.start(number))
            })
        try transaction.commit()
        trace.topics.sort { $0.name < $1.name }
        trace.groups.sort { $0.name < $1.name }
        trace.occurrences.sort { $0.id < $1.id }
        return trace
    }

    /// The owners that have one of these numbers, and the state that `Partition.place` says.
    private func places<State: Forgettable>(
        of numbers: [RecipientID], in table: SliceTable<State>
    ) throws -> [Int64: State] {
        try partitions(of: numbers, in: table).compactMapValues { $0.place(of: numbers) }
    }

    /// The owners that have the recipient, and its state there.
    private func states<State>(of recipient: RecipientID, in table: SliceTable<State>) throws -> [Int64: State] {
        try partitions(of: [recipient], in: table).compactMapValues { $0.state(of: recipient) }
    }

    private func partitions<State>(
        of numbers: [RecipientID], in table: SliceTable<State>
    ) throws -> [Int64: Partition<State>] {
        let slices = PostgresValue.ints(RecipientSet(numbers).slices.map(\.number))
        return try table.partitions(transaction.fetch([table.sets(where: "slice = ANY ($1)", slices)])[0])
    }

    private func names(_ rows: PostgresRows) throws -> [Int64: String] {
        var names: [Int64: String] = [:]
        for row in rows.all { names[try row.int(0)] = try row.text(1) }
        return names
    }

    private func name(_ id: Int64, in names: [Int64: String]) throws -> String {
        guard let name = names[id] else { throw StateDamage(detail: "a recipient is in something that is not there") }
        return name
    }
}
