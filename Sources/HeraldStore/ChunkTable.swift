internal import Foundation
internal import GRDB
internal import HeraldCore

/// A table of recipient sets: for each owner (a topic, an occurrence) one set in each of several states, no recipient
/// of an owner in two of them.
struct ChunkTable {
    let name: String
    let owner: String
    /// The states' numbers; `nil` where a table of its own lists them.
    let states: Range<Int>?

    static let membership = ChunkTable(name: "membership", owner: "topic", states: 0..<Membership.allCases.count)
    static let groupMembership = ChunkTable(
        name: "group_membership", owner: "device_group", states: 0..<GroupMembership.allCases.count)
    static let ledger = ChunkTable(name: "ledger", owner: "occurrence", states: 0..<LedgerEntry.allCases.count)
    static let rejection = ChunkTable(name: "rejection", owner: "occurrence", states: nil)

    /// A stored set that no herald wrote.
    struct Damage: Error {
        var detail: String
    }

    /// All sets, by owner and state.
    func all(_ db: Database) throws -> [Int64: [Int: RecipientSet]] {
        var chunks: [Int64: [Int: [(key: UInt16, bytes: [UInt8])]]] = [:]
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(owner), state, chunk, members, bytes FROM \(name) ORDER BY \(owner), state, chunk")
        while let row = try rows.next() {
            // A damaged file may hold any value in any column: `row[0]` would end the process.
            let (id, state) = (try row.decode(Int64.self, atIndex: 0), try row.decode(Int.self, atIndex: 1))
            guard states?.contains(state) ?? true, let key = UInt16(exactly: try row.decode(Int64.self, atIndex: 2))
            else {
                throw Damage(detail: "\(name) has a row of no known state or chunk")
            }
            let bytes = Array(try row.decode(Data.self, atIndex: 4))
            guard try RecipientSet(encodedChunks: [(key, bytes)]).count == row.decode(Int.self, atIndex: 3) else {
                throw Damage(detail: "\(name) has a chunk of another size than it says")
            }
            chunks[id, default: [:]][state, default: []].append((key, bytes))
        }
        return try chunks.mapValues { states in
            let sets = try states.mapValues { try RecipientSet(encodedChunks: $0) }
            var seen = RecipientSet()
            for set in sets.values {
                guard seen.intersection(set).isEmpty else {
                    throw Damage(detail: "\(name) has a recipient in two states")
                }
                seen.formUnion(set)
            }
            return sets
        }
    }

    /// Puts members into one state of an owner and out of the others; `nil`: out of all.
    ///
    /// - Returns: In which states some of them were.
    @discardableResult
    func move(_ members: RecipientSet, of id: Int64, to state: Int?, _ db: Database) throws -> Set<Int> {
        let others = try states.map(Array.init) ?? presentStates(of: id, and: state, db)
        var former: Set<Int> = []
        for key in members.chunkKeys {
            let part = members.chunk(key)
            for other in others {
                let current = try chunk(key, of: id, other, db)
                let next = other == state ? current.union(part) : current.subtracting(part)
                // A set that only grew, or only shrank, is the same if it is as large.
                if next.count != current.count { try write(next, key, of: id, other, db) }
                let wasThere = other == state ? current.count + part.count > next.count : next.count < current.count
                if wasThere { former.insert(other) }
            }
        }
        return former
    }

    /// Takes members out of every set of every owner.
    func remove(_ members: RecipientSet, _ db: Database) throws {
        for id in try Int64.fetchAll(db, sql: "SELECT DISTINCT \(owner) FROM \(name)") {
            try move(members, of: id, to: nil, db)
        }
    }

    /// Takes an owner's sets away.
    func drop(_ id: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM \(name) WHERE \(owner) = ?", arguments: [id])
    }

    private func presentStates(of id: Int64, and state: Int?, _ db: Database) throws -> [Int] {
        let statement = try db.cachedStatement(sql: "SELECT DISTINCT state FROM \(name) WHERE \(owner) = ?")
        let present = try Int.fetchAll(statement, arguments: [id])
        return state.map { Set(present).union([$0]).sorted() } ?? present
    }

    private func chunk(_ key: UInt16, of id: Int64, _ state: Int, _ db: Database) throws -> RecipientSet {
        let statement = try db.cachedStatement(
            sql: "SELECT bytes FROM \(name) WHERE \(owner) = ? AND state = ? AND chunk = ?")
        guard let bytes = try Data.fetchOne(statement, arguments: [id, state, Int64(key)]) else { return [] }
        return try RecipientSet(encodedChunks: [(key, Array(bytes))])
    }

    private func write(_ set: RecipientSet, _ key: UInt16, of id: Int64, _ state: Int, _ db: Database) throws {
        guard let bytes = set.encodedChunks.first?.bytes else {
            let statement = try db.cachedStatement(
                sql: "DELETE FROM \(name) WHERE \(owner) = ? AND state = ? AND chunk = ?")
            try statement.execute(arguments: [id, state, Int64(key)])
            return
        }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(owner), state, chunk, members, bytes) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET members = excluded.members, bytes = excluded.bytes
                """)
        try statement.execute(arguments: [id, state, Int64(key), set.count, Data(bytes)])
    }
}
