internal import HeraldCore

/// Whose sets change: a query that finds its id by the name.
struct SliceOwner {
    let query: String
    let name: String

    static func named(_ name: String, in table: String) -> Self {
        .init(query: "SELECT id FROM @\(table) WHERE name = $1", name: name)
    }

    /// An occurrence that was not pruned.
    static func withLedger(_ id: OccurrenceID) -> Self {
        .init(query: "SELECT id FROM @occurrence WHERE name = $1 AND NOT pruned", name: id.rawValue)
    }
}

extension SliceTable {
    /// Puts members into one state of an owner and out of all others. `nil` puts them into none.
    func put(
        _ members: RecipientSet, of owner: SliceOwner, _ state: State?, _ transaction: PostgresTransaction
    ) {
        guard let state else {
            return remove(members, ofOwners: owner.query, .text(owner.name), in: transaction)
        }
        move(
            members, ofOwner: owner.query, .text(owner.name), to: "$4::bigint", .int(state.rawValue), in: transaction)
    }
}
