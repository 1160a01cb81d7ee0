internal import Foundation
internal import GRDB
internal import HeraldCore

/// A state in a SQLite file, as `state copy` reads and makes it.
struct FileCopyPlace: CopyPlace {
    let path: String

    var name: String { path }

    func status() throws -> CopyStatus {
        guard (try? FileManager.default.attributesOfItem(atPath: path)) != nil else { return .absent }
        return try blamed {
            let (database, found): (DatabaseQueue, Schema.Found)
            do {
                let queue = try opened()
                (database, found) = (queue, try queue.read(Schema.found))
            } catch DatabaseError.SQLITE_NOTADB {
                throw StateCopy.occupied(path)
            }
            switch found {
            case .newer: throw StateError.newer(path: path)
            case .none: throw StateCopy.occupied(path)
            case .format(let format) where format < Schema.newest: throw StateError.older(path: path)
            case .format: break
            }
            return try database.read { db in
                let lineage = try StateReader(db: db).identity().lineage
                switch try SQLiteStore.closure(of: path, db) {
                case .moved(_, let place)?: return .sealed(lineage: lineage, movedTo: place)
                case .some: return .closed(lineage: lineage)
                case nil: return .open(lineage: lineage)
                }
            }
        }
    }

    func read<Value>(_ body: (any CopyReader) throws -> Value) throws -> Value {
        try blamed { try opened().read { try body(FileCopyTables(db: $0)) } }
    }

    func make(_ body: (any CopyWriter) throws -> Void) throws {
        try blamed {
            try SQLiteStore.make(at: path) { db in
                try db.execute(sql: "INSERT INTO meta (key, value) VALUES ('closed', 1)")
                try body(FileCopyTables(db: db))
                try StateChange.renewNumbering(db)
            }
        }
    }

    func remake(_ body: (any CopyWriter) throws -> Void) throws {
        for companion in ["", "-wal", "-shm"] where unlink(path + companion) != 0 && errno != ENOENT {
            throw StateError.inaccessible(path: path, detail: String(cString: strerror(errno)))
        }
        try make(body)
    }

    func seal(movedTo place: String, content: CopyDigest) throws {
        try blamed {
            try opened().write { db in
                guard try CopyDigest(FileCopyTables(db: db)) == content else { throw StateCopy.changed(path) }
                try db.execute(sql: "INSERT INTO meta (key, value) VALUES ('moved_to', ?)", arguments: [place])
            }
        }
    }

    func open() throws {
        try blamed { try opened().write { try $0.execute(sql: "DELETE FROM meta WHERE key = 'closed'") } }
    }

    private func opened() throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: SQLiteStore.configuration())
    }

    func stateError(_ error: any Error) -> StateError { SQLiteStore.stateError(error, path: path) }

    private func blamed<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw stateError(error) }
    }
}

/// The tables of a state in a SQLite file, inside one transaction.
private struct FileCopyTables: CopyReader, CopyWriter {
    let db: Database

    // MARK: Reading

    func head() throws -> CopiedHead {
        let identity = try StateReader(db: db).identity()
        guard let key = try meta("fingerprint_key", Data.self), let serial = try meta("serial", Int64.self) else {
            throw StateDamage(detail: "its fingerprint key or its serial is missing")
        }
        return CopiedHead(
            lineage: identity.lineage, project: identity.project, endpoint: identity.endpoint.rawValue,
            workspace: identity.workspace, created: identity.created.timeIntervalSince1970,
            fingerprintKey: Array(key), serial: serial, lastErased: try meta("last_erased", Int64.self) ?? 0,
            topicAPI: try meta("topic_api", String.self), topicAPIFound: try meta("topic_api_found", Double.self),
            sendQuota: try meta("send_quota", Int64.self), sendQuotaFound: try meta("send_quota_found", Double.self),
            countingSince: try meta("counting_since", Double.self))
    }

    private func meta<Value: DatabaseValueConvertible>(_ key: String, _: Value.Type) throws -> Value? {
        try DatabaseValue.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
            .flatMap { Value.fromDatabaseValue($0) }
    }

    func rows(of table: CopiedTable, after key: [CopiedValue]?) throws -> [[CopiedValue]] {
        let places = (key ?? []).map { _ in "?" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(table.keyList)) > (\(places))"
        let limit = table.isLarge ? "LIMIT \(Self.part)" : ""
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(table.list) FROM \(table.name) \(condition) ORDER BY \(table.keyList) \(limit)",
            arguments: StatementArguments((key ?? []).map(\.databaseValue)))
        var found: [[CopiedValue]] = []
        while let row = try rows.next() {
            found.append(
                try table.columns.indices.map { index in
                    guard let value = CopiedValue(row[index] as DatabaseValue) else {
                        throw StateDamage(detail: "\(table.name) has a value of another type")
                    }
                    return value
                })
        }
        return found
    }

    func sets(of sets: CopiedSets, owner: Int64) throws -> [Int: RecipientSet] {
        guard let partition = try table(sets).partitions(of: .one(owner), db)[owner] else { return [:] }
        return Dictionary(uniqueKeysWithValues: partition.states.map { ($0.rawValue, partition[$0]) })
    }

    private func table(_ sets: CopiedSets) -> ChunkTable<CodeNumber> {
        ChunkTable(name: sets.name, owner: sets.owner, states: nil)
    }

    // MARK: Writing

    func write(_ head: CopiedHead) throws {
        var values: [String: any DatabaseValueConvertible] = [
            "lineage": head.lineage, "project": head.project, "endpoint": head.endpoint, "created": head.created,
            "serial": head.serial, "fingerprint_key": Data(head.fingerprintKey),
        ]
        if head.lastErased > 0 { values["last_erased"] = head.lastErased }
        (values["workspace"], values["topic_api"]) = (head.workspace, head.topicAPI)
        values["topic_api_found"] = head.topicAPIFound
        (values["send_quota"], values["send_quota_found"]) = (head.sendQuota, head.sendQuotaFound)
        values["counting_since"] = head.countingSince
        for (name, value) in values {
            try db.execute(sql: "INSERT INTO meta (key, value) VALUES (?, ?)", arguments: [name, value])
        }
    }

    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: "INSERT INTO \(table.name) (\(table.list)) VALUES (\(places))")
        for row in rows { try statement.execute(arguments: StatementArguments(row.map(\.databaseValue))) }
    }

    func write(_ members: RecipientSet, of owner: Int64, as state: Int, to sets: CopiedSets) throws {
        try table(sets).move(members, of: owner, to: CodeNumber(rawValue: state), db)
    }
}

extension CopiedValue {
    fileprivate init?(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .int(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .blob: return nil
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
