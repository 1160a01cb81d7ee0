/// The newest row of a recipient in each owner's rows: the row whose values its personal messages get.
struct NewestRows {
    struct Row {
        fileprivate var seen: UInt64 = 0
        fileprivate var isListed = false
        fileprivate var line: UInt32 = 0
        /// As `RowValues` packs them. Empty for a registration that stands in the file of an audience, group or campaign.
        fileprivate(set) var tail: [UInt8] = []
    }

    /// By membership class, the places of the owners among those whose values are needed.
    private let places: [[Int]]
    private var rows: [Row]

    init(of owners: [ValueNeed.Owner], _ classes: [RecipientIndex.MembershipClass]) {
        rows = [Row](repeating: Row(), count: owners.count)
        places =
            owners.isEmpty
            ? [] : classes.map { taken in owners.indices.filter { taken.owners.contains(owners[$0].owner) } }
    }

    /// Begins with another recipient.
    mutating func begin() { for place in rows.indices { rows[place].isListed = false } }

    mutating func take(_ entry: ListEntry, _ rank: RowRank) {
        if rows.isEmpty { return }
        let tail = entry.tail
        let line = RowValues.parts(tail).line
        for place in places[Int(entry.mark)] {
            // Between rows that were seen at the same time, the later line counts: an owner's rows are of one list.
            guard !rows[place].isListed || (rows[place].seen, rows[place].line) < (rank.seen, line) else { continue }
            (rows[place].seen, rows[place].isListed, rows[place].line) = (rank.seen, true, line)
            rows[place].tail.replace(by: tail)
        }
    }

    /// Calls `body` with the place of each owner that takes the recipient, and the newest row.
    func each(_ body: (Int, Row) throws(RecipientIndexError) -> Void) throws(RecipientIndexError) {
        for (place, row) in rows.enumerated() where row.isListed { try body(place, row) }
    }
}
