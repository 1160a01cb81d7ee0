internal import Foundation
internal import GRDB
internal import HeraldCore

extension ChunkTable {
    /// The sets of each owner.
    func partitions(of owners: Owners, _ db: Database) throws -> [Int64: Partition<State>] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(owner), state, chunk, members, bytes, checksum FROM \(name) WHERE \(owners.condition(on: owner))
                ORDER BY \(owner), state, chunk
                """)
        let rows = try Row.fetchCursor(statement, arguments: owners.arguments)
        var sets: [Int64: [State: RecipientSet]] = [:]
        var current: StoredSet?
        while let row = try rows.next() {
            // A damaged file may hold any value in any column, and `row[0]` would end the process.
            let id = try row.decode(Int64.self, atIndex: 0)
            let state = try state(row.decode(Int.self, atIndex: 1))
            if let set = current, set.owner != id || set.state != state {
                sets[set.owner, default: [:]][set.state] = try whole(set)
                current = nil
            }
            var set = current ?? StoredSet(owner: id, state: state)
            // Leaves only one reference to the set, so that its chunks are appended in place.
            current = nil
            let key = try row.decode(Int64.self, atIndex: 2)
            let checksum = try row.decode(Int64.self, atIndex: 5)
            try withBytes(of: row, atIndex: 4) { bytes in
                try verify(checksum, id, state.rawValue, key, bytes)
                try set.recipients.append(try chunk(key), bytes)
            }
            set.members += try members(row.decode(Int.self, atIndex: 3))
            current = set
        }
        if let set = current { sets[set.owner, default: [:]][set.state] = try whole(set) }
        return try sets.mapValues { sets in
            guard let partition = Partition(sets) else {
                throw StateDamage(detail: "\(name) has a recipient in two states")
            }
            return partition
        }
    }

    /// How many recipients are in each state of each owner, pruned ones included. It uses the counts in the rows and
    /// decodes no sets.
    func counts(of owners: Owners, _ db: Database) throws -> [Int64: [State: Int]] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(owner), state, sum(members), min(members), max(members), min(chunk), max(chunk) FROM \(name)
                WHERE \(owners.condition(on: owner)) GROUP BY \(owner), state
                """)
        let rows = try Row.fetchCursor(statement, arguments: owners.arguments)
        var counts: [Int64: [State: Int]] = [:]
        while let row = try rows.next() {
            for column in [3, 4] { _ = try members(row.decode(Int.self, atIndex: column)) }
            for column in [5, 6] { _ = try chunk(row.decode(Int64.self, atIndex: column)) }
            let state = try state(row.decode(Int.self, atIndex: 1))
            counts[try row.decode(Int64.self, atIndex: 0), default: [:]][state] = try row.decode(Int.self, atIndex: 2)
        }
        let prunedStatement = try db.cachedStatement(
            sql: "SELECT \(owner), state, members FROM \(name)_count WHERE \(owners.condition(on: owner))")
        let pruned = try Row.fetchCursor(prunedStatement, arguments: owners.arguments)
        while let row = try pruned.next() {
            let (id, count) = (try row.decode(Int64.self, atIndex: 0), try row.decode(Int.self, atIndex: 2))
            guard (1...Int(RecipientID.max)).contains(count) else {
                throw StateDamage(detail: "\(name)_count has a count of no possible size")
            }
            guard counts[id, default: [:]].updateValue(count, forKey: try state(row.decode(atIndex: 1))) == nil else {
                throw StateDamage(detail: "\(name) and \(name)_count have the same occurrence")
            }
        }
        return counts
    }

    /// The owners that have the recipient, and its state there.
    func states(of recipient: RecipientID, _ db: Database) throws -> [Int64: State] {
        let key = UInt16(recipient >> 16)
        let statement = try db.cachedStatement(
            sql: "SELECT \(owner), state, bytes, checksum FROM \(name) WHERE chunk = ?")
        let rows = try Row.fetchCursor(statement, arguments: [Int64(key)])
        var states: [Int64: State] = [:]
        while let row = try rows.next() {
            let id = try row.decode(Int64.self, atIndex: 0)
            let state = try state(row.decode(Int.self, atIndex: 1))
            let checksum = try row.decode(Int64.self, atIndex: 3)
            let members = try withBytes(of: row, atIndex: 2) { bytes in
                try verify(checksum, id, state.rawValue, Int64(key), bytes)
                return try RecipientSet(key, bytes)
            }
            guard members.contains(recipient) else { continue }
            guard states.updateValue(state, forKey: id) == nil else {
                throw StateDamage(detail: "\(name) has a recipient in two states")
            }
        }
        return states
    }

    /// The rows of one set.
    private struct StoredSet {
        let owner: Int64
        let state: State
        var recipients = RecipientSet()
        /// How many there are, by the rows.
        var members = 0
    }

    private func whole(_ set: StoredSet) throws -> RecipientSet {
        guard set.recipients.count == set.members else {
            throw StateDamage(detail: "\(name) has a set of another size than it says")
        }
        return set.recipients
    }

    func state(_ number: Int) throws -> State {
        guard let state = State(rawValue: number) else {
            throw StateDamage(detail: "\(name) has a row of no known state")
        }
        return state
    }

    private func chunk(_ number: Int64) throws -> UInt16 {
        guard let key = UInt16(exactly: number) else {
            throw StateDamage(detail: "\(name) has a row of no known chunk")
        }
        return key
    }

    private func members(_ number: Int) throws -> Int {
        guard (1...65_536).contains(number) else {
            throw StateDamage(detail: "\(name) has a chunk of no possible size")
        }
        return number
    }

    /// Lends the bytes of a column, so that they are not copied.
    func withBytes<Value>(
        of row: Row, atIndex index: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        try row.withUnsafeData(atIndex: index) { data in
            guard let data else { throw StateDamage(detail: "\(name) has a row without a set") }
            return try data.withUnsafeBytes(body)
        }
    }
}
