internal import HeraldCore

extension SliceTable where State: Forgettable {
    /// The recipients among `members` with a membership that belongs to their registration.
    func ofRegistrations(
        among members: RecipientSet, in transaction: PostgresTransaction
    ) throws -> RecipientSet {
        try partitions(of: members, in: transaction).values.reduce(into: RecipientSet()) {
            $0.formUnion($1.ofRegistrations.intersection(members))
        }
    }

    /// Does to every owner's stored sets what `Partition.forget` does to the value.
    func forget(_ members: RecipientSet, in transaction: PostgresTransaction) {
        move(members, from: State.own, to: .forgotten, in: transaction)
        guard !members.isEmpty else { return }
        let (slices, kept) = (members.slices, State.personal.union([State.forgotten]))
        transaction.run(
            """
            UPDATE @\(name) AS stored SET bits = bits & ~mask
            FROM unnest($1::bigint[], $2::bit varying[]) AS part (slice, mask)
            WHERE stored.slice = part.slice AND stored.state <> ALL ($3::bigint[]) AND bits & ~mask <> bits
            """, .ints(slices.map(\.number)), .bits(slices.map(\.bits)), .ints(kept.map { Int64($0.rawValue) }))
    }

    /// Does to every owner's stored sets what `Partition.revive` does to the value.
    func revive(_ members: RecipientSet, in transaction: PostgresTransaction) {
        move(members, from: [.forgotten], to: .asked, in: transaction)
    }

    /// Moves those of the members that are in one of some states of an owner to another state of it.
    private func move(
        _ members: RecipientSet, from states: [State], to state: State, in transaction: PostgresTransaction
    ) {
        guard !members.isEmpty else { return }
        let slices = members.slices
        transaction.run(
            """
            WITH moving AS (
                SELECT stored.\(owner) AS owner, stored.slice, stored.state, bits & mask AS bits
                FROM @\(name) AS stored JOIN unnest($1::bigint[], $2::bit varying[]) AS part (slice, mask)
                ON stored.slice = part.slice
                WHERE stored.state = ANY ($3::bigint[]) AND bits & ~mask <> bits),
            gone AS (
                UPDATE @\(name) AS stored SET bits = stored.bits & ~moving.bits FROM moving
                WHERE stored.\(owner) = moving.owner AND stored.slice = moving.slice AND stored.state = moving.state)
            INSERT INTO @\(name) AS stored (\(owner), slice, state, bits)
            SELECT owner, slice, $4::bigint, bit_or(bits) FROM moving GROUP BY owner, slice
            ON CONFLICT (\(owner), slice, state) DO UPDATE SET bits = stored.bits | excluded.bits
            """, .ints(slices.map(\.number)), .bits(slices.map(\.bits)), .ints(states.map { Int64($0.rawValue) }),
            .int(Int64(state.rawValue)))
    }
}
