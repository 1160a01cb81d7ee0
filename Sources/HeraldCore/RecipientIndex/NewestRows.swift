/// The newest row of a recipient in each owner's rows: the row whose values its personal messages get.
struct NewestRows {
    private struct Row {
        var seen: UInt64 = 0
        var isListed = false
        var line: UInt32 = 0
        var tail: [UInt8] = []
    }

    /// By membership class, the places of the owners among those whose values are needed.
    private var places: [[Int]]
    private var rows: [Row]
    private let owners: [ValueNeed.Owner]

    init(of owners: [ValueNeed.Owner], _ classes: [RecipientIndex.MembershipClass]) {
        rows = [Row](repeating: Row(), count: owners.count)
        (self.owners, places) = (owners, [])
        for taken in classes { add(taken) }
    }

    /// Adds the next membership class.
    mutating func add(_ taken: RecipientIndex.MembershipClass) {
        if !owners.isEmpty { places.append(owners.indices.filter { taken.owners.contains(owners[$0].owner) }) }
    }

    /// Begins with another recipient.
    mutating func begin() { for place in rows.indices { rows[place].isListed = false } }

    mutating func take(_ entry: ListEntry, as mark: UInt32, _ rank: RowRank) {
        if rows.isEmpty { return }
        let tail = entry.tail
        let line = RowValues.parts(tail).line
        for place in places[Int(mark)] {
            // Between rows that were seen at the same time, the later line counts: an owner's rows are of one list.
            guard !rows[place].isListed || (rows[place].seen, rows[place].line) < (rank.seen, line) else { continue }
            (rows[place].seen, rows[place].isListed, rows[place].line) = (rank.seen, true, line)
            rows[place].tail.replace(by: tail)
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Calls `body` with the place of each owner that takes the recipient, and the newest row as `RowValues` packs it. It is
    /// empty for a registration that stands in the file of an audience, group or campaign.
    func each<Failure: Error>(
        _ body: (Int, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for place in rows.indices where rows[place].isListed {
            try rows[place].tail.withUnsafeBufferPointer { (tail) throws(Failure) in
                try body(place, UnsafeRawBufferPointer(tail))
            }
        }
    }
}
