/// The zones that count of a recipient, for each owner whose campaigns go by them: those that its newest row names. A row of
/// a dead registration counts only if there is no other. If all are dead, that of the last one to die counts as before.
///
/// Most recipients have one row, or rows that are alike. Nothing is asked about these: their membership class tells.
struct NewestZones {
    private struct Row {
        var mark: UInt32
        var seen: UInt64
        var line: UInt32
        /// When its registration died, in seconds since 1970. A living one dies later than all others.
        var died = UInt32.max
    }

    /// By membership class, the places of the owners among those that go by zones.
    private var places: [[Int]] = []
    /// Those of the current recipient.
    private var rows: [Row] = []
    /// How many of them are of registrations that were judged.
    private var judged = 0
    private let owners: [ValueNeed.Owner]

    init(of owners: [ValueNeed.Owner], _ classes: [RecipientIndex.MembershipClass]) {
        self.owners = owners
        for taken in classes { add(taken) }
    }

    var isEmpty: Bool { owners.isEmpty }

    /// Adds the next membership class.
    mutating func add(_ taken: RecipientIndex.MembershipClass) {
        if !isEmpty { places.append(owners.indices.filter { taken.owners.contains(owners[$0].owner) }) }
    }

    /// Begins with another recipient.
    mutating func begin() {
        if !rows.isEmpty { rows.removeAll(keepingCapacity: true) }
        judged = 0
    }

    mutating func take(_ entry: ListEntry, as mark: UInt32, _ rank: RowRank) {
        if isEmpty { return }
        // A row that says when its app was seen has its line in its tail. Any other row has its place in the list instead.
        let line = rank.seen > 0 ? RowValues.parts(entry.tail).line : entry.row
        rows.append(Row(mark: mark, seen: rank.seen, line: line))
    }

    /// The rows taken since the last call are all of one registration.
    ///
    /// - Parameter died: when it died. `nil` if it lives.
    mutating func judge(died: UInt32?) {
        if let died { for place in judged..<rows.count { rows[place].died = died } }
        judged = rows.count
    }

    /// Calls `body` with the place of each owner that takes the recipient, and with the membership class of its newest row.
    func each(_ body: (Int, UInt32) -> Void) {
        for place in owners.indices {
            let own = rows.filter { places[Int($0.mark)].contains(place) }
            // An owner's rows are of one list.
            let newest = own.max { ($0.died, $0.seen, $0.line) < ($1.died, $1.seen, $1.line) }
            if let newest { body(place, newest.mark) }
        }
    }
}
