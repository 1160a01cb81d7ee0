internal import Crypto
internal import HeraldCore

/// A table of recipient sets in PostgreSQL. Each owner (a topic, an occurrence) has a `Partition`, whose sets are stored
/// slice by slice.
struct SliceTable<State: RawRepresentable & Hashable & Sendable> where State.RawValue == Int {
    let name: String
    let owner: String
}

extension SliceTable<Membership> {
    static var membership: Self { .init(name: "membership", owner: "topic") }
}

extension SliceTable<GroupMembership> {
    static var groupMembership: Self { .init(name: "group_membership", owner: "device_group") }
}

extension SliceTable<LedgerEntry> {
    static var ledger: Self { .init(name: "ledger", owner: "occurrence") }
}

extension SliceTable<CodeNumber> {
    static var rejection: Self { .init(name: "rejection", owner: "occurrence") }
}

extension SliceTable<ClassNumber> {
    static var assignment: Self { .init(name: "assignment", owner: "occurrence") }
}

extension SliceTable<WaveSecond> {
    static var wave: Self { .init(name: "wave", owner: "occurrence") }
}

extension SliceTable<StartNumber> {
    static var start: Self { .init(name: "start", owner: "counted") }
}

extension SliceTable<ObservationTime> {
    static var observation: Self { .init(name: "observation", owner: "reading") }
}

// MARK: Reading

extension SliceTable {
    /// The sets of the owners that an SQL condition names.
    func sets(where condition: String, _ values: PostgresValue...) -> PostgresStatement {
        var statement = PostgresStatement(
            """
            SELECT \(owner), slice, state, members, bits, checksum FROM @\(name) WHERE members > 0 AND (\(condition))
            ORDER BY \(owner), slice, state
            """)
        statement.values = values
        return statement
    }

    /// - Parameter rows: the answer to `sets`.
    func partitions(_ rows: PostgresRows) throws -> [Int64: Partition<State>] {
        var sets: [Int64: [State: RecipientSet.Joined]] = [:]
        for row in rows.all {
            let (id, number, state) = (try row.int(0), try row.int(1), try row.int(2))
            guard try checksum(id, number, state, row.bytes(4)).elementsEqual(row.bytes(5)) else {
                throw StateDamage(detail: "\(name) has a set that is not as it was written (wrong checksum)")
            }
            let members = try sets[id, default: [:]][try self.state(state), default: .init()].append(
                number, row.bits(4))
            guard members == (try row.int(3)) else {
                throw StateDamage(detail: "\(name) has a set of another size than it says")
            }
        }
        return try sets.mapValues { states in
            guard let partition = Partition(states.mapValues(\.set)) else {
                throw StateDamage(detail: "\(name) has a recipient in two states")
            }
            return partition
        }
    }

    /// How many recipients are in each state of the owners that an SQL condition names, pruned ones included.
    func counts(where condition: String, _ values: PostgresValue...) -> PostgresStatement {
        var statement = PostgresStatement(
            """
            SELECT \(owner), state, sum(members)::bigint, false FROM @\(name) WHERE members > 0 AND (\(condition))
            GROUP BY \(owner), state
            UNION ALL SELECT \(owner), state, members, true FROM @\(name)_count WHERE \(condition)
            """)
        statement.values = values
        return statement
    }

    /// - Parameter rows: the answer to `counts`.
    func counts(_ rows: PostgresRows) throws -> [Int64: [State: Int]] {
        var counts: [Int64: [State: Int]] = [:]
        for row in rows.all {
            guard let count = Int(exactly: try row.int(2)), (1...Int(RecipientID.max)).contains(count) else {
                throw StateDamage(detail: "\(name) has a count of no possible size")
            }
            let state = try state(row.int(1))
            guard counts[try row.int(0), default: [:]].updateValue(count, forKey: state) == nil else {
                throw StateDamage(detail: "\(name) and \(name)_count have the same occurrence")
            }
        }
        return counts
    }

    private func state(_ number: Int64) throws -> State {
        guard let state = Int(exactly: number).flatMap(State.init(rawValue:)) else {
            throw StateDamage(detail: "\(name) has a row of no known state")
        }
        return state
    }

    /// What the server computes for a row (`PostgresSchema.checksums`). Bits that flipped may still be a valid set.
    ///
    /// - Parameter bits: in PostgreSQL's binary format.
    private func checksum(
        _ id: Int64, _ slice: Int64, _ state: Int64, _ bits: UnsafeRawBufferPointer
    ) -> some Sequence<UInt8> {
        var hash = SHA256()
        withUnsafeBytes(of: (id.bigEndian, slice.bigEndian, state.bigEndian)) { hash.update(bufferPointer: $0) }
        hash.update(bufferPointer: bits)
        return hash.finalize().prefix(8)
    }
}

// MARK: Changing

extension SliceTable {
    /// Puts members into one state of an owner and out of all others.
    ///
    /// - Parameters:
    ///   - owner: an SQL query for the owner's id, with `$1`. Nothing happens if it finds none.
    ///   - state: an SQL expression for the state, with `$4`.
    func move(
        _ members: RecipientSet, ofOwner query: String, _ id: PostgresValue, to state: String, _ value: PostgresValue,
        in transaction: PostgresTransaction
    ) {
        guard !members.isEmpty else { return }
        let slices = members.slices
        transaction.run(
            """
            WITH owner AS (\(query)), target AS (SELECT \(state) AS state),
            part AS (SELECT * FROM unnest($2::bigint[], $3::bit varying[]) AS part (slice, mask)),
            gone AS (
                UPDATE @\(name) AS stored SET bits = bits & ~mask FROM owner, target, part
                WHERE stored.\(self.owner) = owner.id AND stored.slice = part.slice AND stored.state <> target.state
                    AND bits & ~mask <> bits)
            INSERT INTO @\(name) AS stored (\(self.owner), slice, state, bits)
            SELECT owner.id, part.slice, target.state, part.mask FROM owner, target, part
            ON CONFLICT (\(self.owner), slice, state) DO UPDATE SET bits = stored.bits | excluded.bits
            WHERE stored.bits | excluded.bits <> stored.bits
            """, id, .ints(slices.map(\.number)), .bits(slices.map(\.bits)), value)
    }

    /// Takes members out of every state of an owner.
    ///
    /// - Parameter owner: an SQL query for the ids of owners, with `$1`.
    func remove(
        _ members: RecipientSet, ofOwners query: String, _ id: PostgresValue, in transaction: PostgresTransaction
    ) {
        guard !members.isEmpty else { return }
        let slices = members.slices
        transaction.run(
            """
            UPDATE @\(name) AS stored SET bits = bits & ~mask
            FROM unnest($2::bigint[], $3::bit varying[]) AS part (slice, mask)
            WHERE stored.\(owner) IN (\(query)) AND stored.slice = part.slice AND bits & ~mask <> bits
            """, id, .ints(slices.map(\.number)), .bits(slices.map(\.bits)))
    }

    /// Removes members from every set of every owner.
    func remove(_ members: RecipientSet, in transaction: PostgresTransaction) {
        remove(members, ofOwners: "SELECT id FROM @\(owner) WHERE $1", .bool(true), in: transaction)
    }

    /// Puts other numbers in the place of `members`, in every set of every owner but those of some states.
    func renumber(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<State> = [],
        in transaction: PostgresTransaction
    ) throws {
        for (id, partition) in try partitions(of: members, in: transaction) {
            for state in Array(partition.states) where !fixed.contains(state) {
                let moving = partition[state].intersection(members)
                guard !moving.isEmpty else { continue }
                remove(moving, ofOwners: "SELECT $1", .int(id), in: transaction)
                let others = RecipientSet(moving.compactMap { numbers[$0] }.sorted())
                move(
                    others, ofOwner: "SELECT $1 AS id", .int(id), to: "$4::bigint", .int(state.rawValue),
                    in: transaction)
            }
        }
    }

    /// What every owner has in the slices of these members.
    func partitions(
        of members: RecipientSet, in transaction: PostgresTransaction
    ) throws -> [Int64: Partition<State>] {
        let slices = PostgresValue.ints(members.slices.map(\.number))
        return try partitions(transaction.fetch([sets(where: "slice = ANY ($1)", slices)])[0])
    }
}
