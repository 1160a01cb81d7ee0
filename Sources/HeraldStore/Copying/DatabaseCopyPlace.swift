internal import HeraldCore

/// A state in PostgreSQL, as `state copy` reads and makes it.
struct DatabaseCopyPlace: CopyPlace {
    let server: PostgresServer
    /// For a copy of a state that names no workspace.
    let workspace: String?

    var name: String { server.name }

    func status() throws -> CopyStatus {
        try connected { connection in
            guard let format = try server.format(connection) else { return .absent }
            if format > PostgresSchema.format { throw StateError.newer(path: name) }
            if format < PostgresSchema.format { throw StateError.unmigrated(path: name) }
            let rows = try connection.perform(
                "SELECT lineage, moved_to, closed FROM @identity", until: server.deadline)
            guard let row = rows.first else { return .absent }
            let lineage = try row.text(0)
            if let place = try row.optionalText(1) { return .sealed(lineage: lineage, movedTo: place) }
            return try row.bool(2) ? .closed(lineage: lineage) : .open(lineage: lineage)
        }
    }

    func read<Value>(_ body: (any CopyReader) throws -> Value) throws -> Value {
        try connected { connection in
            let transaction = PostgresTransaction.reading(on: connection, until: server.readingDeadline)
            let value = try body(DatabaseCopyTables(transaction))
            try transaction.commit()
            return value
        }
    }

    func make(_ body: (any CopyWriter) throws -> Void) throws {
        try fill(body) { transaction, connection in
            // Where others have tables, the schema may be a mistake.
            let others = try transaction.fetch(
                "SELECT FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace WHERE nspname = $1 LIMIT 1",
                .text(server.schema))
            guard others.count == 0 else { throw StateCopy.occupied(name) }
            PostgresStore.makeTables(in: transaction, on: connection, server)
        }
    }

    /// Drops nothing: what others have in the schema, or made of its tables, stays.
    func remake(_ body: (any CopyWriter) throws -> Void) throws {
        try fill(body) { transaction, _ in
            let rows = try transaction.fetch("SELECT FROM @identity WHERE closed FOR UPDATE")
            guard rows.count == 1 else { throw StateError.exists(path: name) }
            let tables = ["identity", "secret", "progress"] + CopiedTable.all.map(\.name) + CopiedSets.all.map(\.name)
            transaction.run("TRUNCATE \(tables.map { "@\($0)" }.joined(separator: ", ")) RESTART IDENTITY")
            PostgresStore.notePlace(in: transaction)
        }
    }

    /// - Parameter prepare: leaves the tables of a state without contents.
    private func fill(
        _ body: (any CopyWriter) throws -> Void,
        _ prepare: (PostgresTransaction, PostgresConnection) throws -> Void
    ) throws {
        try connected { connection in
            try server.checkDurability(connection)
            // What is copied is read between its statements, and nobody waits for it.
            let transaction = writing(on: connection, idle: nil)
            do {
                try prepare(transaction, connection)
                _ = try transaction.fetch([])
            } catch let error as PostgresError where error.code == Refusal.noRight {
                throw PostgresStore.noRightToMake(error, server)
            }
            try body(DatabaseCopyTables(transaction, workspace: workspace))
            StateChange.renewNumbering(transaction)
            transaction.run("UPDATE @identity SET closed = true")
            for table in CopiedTable.all where table.isNumbered {
                let key = table.columns[0].name
                transaction.run(
                    "SELECT setval(pg_get_serial_sequence('@\(table.name)', '\(key)'), max(\(key))) FROM @\(table.name) HAVING max(\(key)) IS NOT NULL"
                )
            }
            try transaction.commit()
        }
    }

    func seal(movedTo place: String, content: CopyDigest) throws {
        try connected { connection in
            let transaction = writing(on: connection)
            // Every commit writes to it, so all of them wait, and are refused afterwards.
            transaction.run("LOCK TABLE @commit_mark IN EXCLUSIVE MODE")
            guard try CopyDigest(DatabaseCopyTables(transaction)) == content else { throw StateCopy.changed(name) }
            // No run comes any more that would delete what a crashed one left.
            transaction.run("DELETE FROM @job")
            transaction.run("UPDATE @identity SET moved_to = $1", .text(place))
            try transaction.commit()
        }
    }

    func open() throws {
        try connected { connection in
            try server.checkDurability(connection)
            let transaction = writing(on: connection)
            transaction.run("UPDATE @identity SET closed = false")
            try transaction.commit()
        }
    }

    func stateError(_ error: any Error) -> StateError { server.stateError(error) }

    /// - Parameter idle: Between two statements the content of a large state is compared.
    private func writing(
        on connection: PostgresConnection, idle: Duration? = .seconds(60)
    ) -> PostgresTransaction {
        .writing(on: connection, until: server.readingDeadline, .init(idle: idle))
    }

    private func connected<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        do {
            return try body(try PostgresConnection(server.parameters, schema: server.schema))
        } catch let error as PostgresError where error.code.map(PostgresStore.taken.contains) == true {
            throw StateCopy.occupied(name)
        } catch {
            throw stateError(error)
        }
    }
}

/// The tables of a state in PostgreSQL, inside one transaction.
private struct DatabaseCopyTables: CopyReader, CopyWriter {
    let transaction: PostgresTransaction
    let workspace: String?

    init(_ transaction: PostgresTransaction, workspace: String? = nil) {
        (self.transaction, self.workspace) = (transaction, workspace)
    }

    // MARK: Reading

    func head() throws -> CopiedHead {
        let rows = try transaction.fetch(
            """
            SELECT lineage, project, endpoint, workspace, created, fingerprint_key, serial, last_erased, topic_api,
                topic_api_found, send_quota, send_quota_found, counting_since
            FROM @identity, @secret, @progress
            """)
        guard let row = rows.first else { throw StateDamage(detail: "it does not say what it is bound to") }
        return CopiedHead(
            lineage: try row.text(0), project: try row.text(1), endpoint: try row.text(2), workspace: try row.text(3),
            created: try row.double(4), fingerprintKey: Array(try row.bytes(5)), serial: try row.int(6),
            lastErased: try row.int(7), topicAPI: try row.optionalText(8), topicAPIFound: try row.optionalDouble(9),
            sendQuota: try row.optionalInt(10), sendQuotaFound: try row.optionalDouble(11),
            countingSince: try row.optionalDouble(12))
    }

    func rows(of table: CopiedTable, after key: [CopiedValue]?) throws -> [[CopiedValue]] {
        let columns = table.columns.map { $0.kind == .flag ? "\($0.name)::int::bigint" : $0.name }
        let order = table.columns.prefix(table.keys).map { $0.kind == .text ? "\($0.name) COLLATE \"C\"" : $0.name }
        let places = (key ?? []).indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(table.keyList)) > (\(places))"
        var statement = PostgresStatement(
            "SELECT \(columns.joined(separator: ", ")) FROM @\(table.name) \(condition) ORDER BY \(order.joined(separator: ", ")) \(table.isLarge ? "LIMIT \(Self.part)" : "")"
        )
        statement.values = (key ?? []).map(\.parameter)
        return try transaction.fetch([statement])[0].all.map { row in
            try table.columns.enumerated().map { index, column in
                let index = Int32(index)
                if row.isNull(index) { return .null }
                switch column.kind {
                case .int, .flag: return .int(try row.int(index))
                case .real: return .real(try row.double(index))
                case .text: return .text(try row.text(index))
                }
            }
        }
    }

    func sets(of sets: CopiedSets, owner: Int64) throws -> [Int: RecipientSet] {
        let table = table(sets)
        let rows = try transaction.fetch([table.sets(where: "\(sets.owner) = $1", .int(owner))])[0]
        guard let partition = try table.partitions(rows)[owner] else { return [:] }
        return Dictionary(uniqueKeysWithValues: partition.states.map { ($0.rawValue, partition[$0]) })
    }

    private func table(_ sets: CopiedSets) -> SliceTable<CodeNumber> {
        SliceTable(name: sets.name, owner: sets.owner)
    }

    // MARK: Writing

    func write(_ head: CopiedHead) throws {
        PostgresStore.write(head, workspace: head.workspace ?? workspace ?? "", to: transaction)
    }

    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws {
        guard !rows.isEmpty else { return }
        if table.name == "recipient" { return try writeRecipients(rows) }
        let places = table.columns.enumerated().map { index, column in
            column.kind == .flag ? "$\(index + 1)::bigint <> 0" : "$\(index + 1)"
        }
        let text = """
            INSERT INTO @\(table.name) (\(table.list)) \(table.isNumbered ? "OVERRIDING SYSTEM VALUE" : "")
            VALUES (\(places.joined(separator: ", ")))
            """
        let statements = rows.map { row in
            var statement = PostgresStatement(text)
            statement.values = zip(row, table.columns).map { $0.parameter(of: $1.kind) }
            return statement
        }
        _ = try transaction.fetch(statements)
    }

    private func writeRecipients(_ rows: [[CopiedValue]]) throws {
        var copy = PostgresCopy(columns: 2)
        for row in rows {
            guard case .int(let id) = row[0], case .text(let registration) = row[1] else {
                throw StateDamage(detail: "recipient has a value of another type")
            }
            copy.append(.int(id), .text(registration))
        }
        try transaction.copy("COPY @recipient (id, registration) FROM STDIN (FORMAT binary)", copy.bytes)
    }

    func write(_ members: RecipientSet, of owner: Int64, as state: Int, to sets: CopiedSets) throws {
        table(sets).move(
            members, ofOwner: "SELECT $1 AS id", .int(owner), to: "$4::bigint", .int(state), in: transaction)
        // Sent now, so that they do not gather in memory.
        _ = try transaction.fetch([])
    }
}

extension CopiedValue {
    /// A key, which is never NULL.
    fileprivate var parameter: PostgresValue {
        switch self {
        case .null: .int(nil)
        case .int(let number): .int(number)
        case .real(let number): .double(number)
        case .text(let text): .text(text)
        }
    }

    fileprivate func parameter(of kind: CopiedTable.Column.Kind) -> PostgresValue {
        guard self == .null else { return parameter }
        return switch kind {
        case .int, .flag: .int(nil)
        case .real: .double(nil)
        case .text: .text(nil)
        }
    }
}
