/// The newest row of a recipient in each owner's rows: the row whose values its personal messages get. A row of a dead
/// registration counts only if there is no other: it may be about somebody who had the app before. If all are dead, that
/// of the last one to die counts.
struct NewestRows {
    private struct Row {
        var seen: UInt64 = 0
        var isListed = false
        var line: UInt32 = 0
        /// When its registration died, in seconds since 1970. A living one dies later than all others.
        var died = UInt32.max
        var tail: [UInt8] = []

        var rank: (UInt32, UInt64, UInt32) { (died, seen, line) }
    }

    /// By membership class, the places of the owners among those whose values are needed.
    private var places: [[Int]]
    private var rows: [Row]
    /// The same of the registration whose rows are being read.
    private var current: [Row]
    private let owners: [ValueNeed.Owner]

    init(of owners: [ValueNeed.Owner], _ classes: [RecipientIndex.MembershipClass]) {
        rows = [Row](repeating: Row(), count: owners.count)
        current = rows
        (self.owners, places) = (owners, [])
        for taken in classes { add(taken) }
    }

    /// Adds the next membership class.
    mutating func add(_ taken: RecipientIndex.MembershipClass) {
        if !owners.isEmpty { places.append(owners.indices.filter { taken.owners.contains(owners[$0].owner) }) }
    }

    /// Begins with another recipient.
    mutating func begin() {
        for place in rows.indices { (rows[place].isListed, current[place].isListed) = (false, false) }
    }

    mutating func take(_ entry: ListEntry, as mark: UInt32, _ rank: RowRank) {
        if rows.isEmpty { return }
        let tail = entry.tail
        let line = RowValues.parts(tail).line
        for place in places[Int(mark)] {
            // Between rows that were seen at the same time, the later line counts: an owner's rows are of one list.
            guard !current[place].isListed || (current[place].seen, current[place].line) < (rank.seen, line) else {
                continue
            }
            (current[place].seen, current[place].isListed, current[place].line) = (rank.seen, true, line)
            current[place].tail.replace(by: tail)
        }
    }

    /// The rows taken since the last call are all of one registration.
    ///
    /// - Parameter died: when it died. `nil` if it lives.
    mutating func judge(died: UInt32?) {
        for place in current.indices where current[place].isListed {
            current[place].died = died ?? .max
            if !rows[place].isListed || rows[place].rank < current[place].rank { swap(&rows[place], &current[place]) }
            current[place].isListed = false
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
