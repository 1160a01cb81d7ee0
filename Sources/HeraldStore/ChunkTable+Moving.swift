internal import Foundation
internal import GRDB
internal import HeraldCore

extension ChunkTable {
    /// Does to an owner's stored sets what `Partition.move` does to the value, chunk by chunk.
    ///
    /// - Returns: The states that some of the members were in.
    @discardableResult
    func move(_ members: RecipientSet, of id: Int64, to state: State?, _ db: Database) throws -> Set<State> {
        let states = try states ?? presentStates(of: id, and: state, db)
        var former: Set<State> = []
        for key in members.chunkKeys {
            let part = members.chunk(key)
            let (before, after) = try change(key, of: id, states, db) { $0.move(part, to: state) }
            for other in states {
                let (current, next) = (before[other], after[other])
                let wasThere = other == state ? current.count + part.count > next.count : next.count < current.count
                if wasThere { former.insert(other) }
            }
        }
        return former
    }

    /// Changes one chunk of an owner's sets. Each of them may grow or shrink, but not both.
    @discardableResult
    private func change(
        _ key: UInt16, of id: Int64, _ states: [State], _ db: Database, _ body: (inout Partition<State>) -> Void
    ) throws -> (before: Partition<State>, after: Partition<State>) {
        let before = try partition(of: key, of: id, states, db)
        var after = before
        body(&after)
        for state in states {
            let (current, next) = (before[state], after[state])
            // A set that only grew or only shrank is unchanged if its size is the same.
            if next.count != current.count { try write(next, key, of: id, state, db) }
        }
        return (before, after)
    }

    /// Writes a set of an owner that has no row of that state yet.
    func insert(_ members: RecipientSet, of id: Int64, as state: State, _ db: Database) throws {
        for key in members.chunkKeys { try write(members.chunk(key), key, of: id, state, db) }
    }

    /// Removes members from every set of every owner.
    func remove(_ members: RecipientSet, _ db: Database) throws {
        for id in try owners(db) {
            try move(members, of: id, to: nil, db)
        }
    }

    /// Puts other numbers in the place of `members`, in every set of every owner but those of some states.
    func renumber(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<State> = [], _ db: Database
    ) throws {
        for (id, partition) in try partitions(of: .all, db) {
            for state in Array(partition.states) where !fixed.contains(state) {
                let moving = partition[state].intersection(members)
                guard !moving.isEmpty else { continue }
                try move(moving, of: id, to: nil, db)
                try move(RecipientSet(moving.compactMap { numbers[$0] }.sorted()), of: id, to: state, db)
            }
        }
    }

    /// Deletes an owner's sets.
    func drop(_ id: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM \(name) WHERE \(owner) = ?").execute(arguments: [id])
    }

    /// Whoever has any set.
    private func owners(_ db: Database) throws -> [Int64] {
        try Int64.fetchAll(db.cachedStatement(sql: "SELECT DISTINCT \(owner) FROM \(name)"))
    }

    private func presentStates(of id: Int64, and state: State?, _ db: Database) throws -> [State] {
        let statement = try db.cachedStatement(sql: "SELECT DISTINCT state FROM \(name) WHERE \(owner) = ?")
        let present = try Int.fetchAll(statement, arguments: [id]).compactMap(State.init(rawValue:))
        return state.map { Array(Set(present).union([$0])) } ?? present
    }

    /// One chunk of an owner's sets.
    private func partition(of key: UInt16, of id: Int64, _ states: [State], _ db: Database) throws -> Partition<State> {
        let numbers = states.map { String($0.rawValue) }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: "SELECT state, bytes FROM \(name) WHERE \(owner) = ? AND state IN (\(numbers)) AND chunk = ?")
        let rows = try Row.fetchCursor(statement, arguments: [id, Int64(key)])
        var sets: [State: RecipientSet] = [:]
        while let row = try rows.next() {
            let state = try state(row.decode(Int.self, atIndex: 0))
            sets[state] = try withBytes(of: row, atIndex: 1) { try RecipientSet(key, $0) }
        }
        // Reading the whole partition checks that its sets are disjoint and as they were written. Checking here would
        // slow down each commit.
        return Partition(disjoint: sets)
    }

    private func write(_ set: RecipientSet, _ key: UInt16, of id: Int64, _ state: State, _ db: Database) throws {
        guard let bytes = set.encodedChunks.first?.bytes else {
            let statement = try db.cachedStatement(
                sql: "DELETE FROM \(name) WHERE \(owner) = ? AND state = ? AND chunk = ?")
            try statement.execute(arguments: [id, state.rawValue, Int64(key)])
            return
        }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(owner), state, chunk, members, bytes, checksum) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET members = excluded.members, bytes = excluded.bytes, checksum = excluded.checksum
                """)
        let data = Data(bytes)
        let checksum = bytes.withUnsafeBytes { self.checksum(id, state.rawValue, Int64(key), $0) }
        try statement.execute(arguments: [id, state.rawValue, Int64(key), set.count, data, checksum])
    }
}

extension ChunkTable where State: Forgettable & CaseIterable {
    /// Does to every owner's stored sets what `Partition.forget` does to the value.
    func forget(_ members: RecipientSet, _ db: Database) throws {
        for id in try owners(db) {
            for key in members.chunkKeys {
                let part = members.chunk(key)
                try change(key, of: id, Array(State.allCases), db) { $0.forget(part) }
            }
        }
    }

    /// Does to every owner's stored sets what `Partition.revive` does to the value.
    func revive(_ members: RecipientSet, _ db: Database) throws {
        for id in try owners(db) {
            for key in members.chunkKeys {
                let part = members.chunk(key)
                try change(key, of: id, [.forgotten, .asked], db) { $0.revive(part) }
            }
        }
    }

    /// The recipients among `members` with a membership that belongs to their registration.
    func ofRegistrations(among members: RecipientSet, _ db: Database) throws -> RecipientSet {
        try partitions(of: .all, db).values.reduce(into: RecipientSet()) {
            $0.formUnion($1.ofRegistrations.intersection(members))
        }
    }

    /// The owners that have one of these numbers, and the state that `Partition.place` says.
    func places(of numbers: [RecipientID], _ db: Database) throws -> [Int64: State] {
        try numbers.reduce(into: [:]) { all, number in
            all.merge(try states(of: number, db)) { first, later in
                first.isPast && !later.isPast ? later : first
            }
        }
    }
}
