/// Collects rows under the state's numbers, source by source, without sorting. It takes only rows that name a recipient
/// by the registration that the state has.
struct RowMatcher {
    let numbers: RecipientNumbers
    private let table: MembershipClassTable
    /// By membership class, in the order of the rows: lists are seldom sorted, and to insert each number into a set
    /// where it belongs would cost more than to sort them once.
    private var members: [[RecipientID]] = []
    /// About the current source: the recipients with a row, their membership classes, and how many rows repeat one of
    /// the list.
    private var seen = SeenRecipients()
    private var marks: [UInt32] = []
    private var named: [Int: RecipientSet]?
    private var repeated = 0
    /// Recipients with a number and a row that could not be taken.
    private var others = RecipientSet()
    private var isUnclear = false
    /// When the apps of the rows taken so far were seen last, for rows that say so.
    private(set) var seenTimes: [SeenTime] = []

    enum Outcome {
        case taken
        /// The row has to be sorted.
        case left
        /// The row has to be sorted together with the recipient's number, which is needed for the first time.
        case leftWithNumber(RecipientID)
    }

    init(_ numbers: RecipientNumbers, _ table: MembershipClassTable) {
        (self.numbers, self.table) = (numbers, table)
    }

    /// Whether some recipient has both rows that could not be taken and rows in `sources`.
    func isContradicted(by sources: [SourceMembers]) -> Bool {
        isUnclear || sources.contains { $0.members.contains { !$0.intersection(others).isEmpty } }
    }

    /// - Parameter finding: what the numbers know about the row's registration.
    mutating func take(_ finding: RecipientNumbers.Finding, _ mark: UInt32, seen: UInt32?) -> Outcome {
        switch finding {
        case .same(let id):
            put(id, mark)
            if let seen { seenTimes.append(SeenTime(recipient: id, seen: seen)) }
            return .taken
        case .other(let id):
            if others.contains(id) { return .left }
            others.insert(id)
            return .leftWithNumber(id)
        case .nobody: return .left
        case .unclear:
            isUnclear = true
            return .left
        }
    }

    /// The rows taken since the last call, for each owner.
    mutating func finishSource(_ owners: [RecipientIndex.Owner]) -> SourceMembers {
        var byOwner: [RecipientIndex.Owner: RecipientSet] = [:]
        for mark in marks {
            let members = takeMembers(of: Int(mark))
            for owner in table.all[Int(mark)].owners { byOwner[owner, default: []].formUnion(members) }
        }
        defer { (seen, marks, named, repeated) = (SeenRecipients(), [], nil, 0) }
        return SourceMembers(members: owners.map { byOwner[$0] ?? [] }, repeated: repeated, isPlain: true)
    }

    private mutating func put(_ id: RecipientID, _ mark: UInt32) {
        let index = Int(mark)
        while members.count <= index { members.append([]) }
        if members[index].isEmpty { marks.append(mark) }
        if !seen.insert(id) { countRepeated(id, mark) }
        members[index].append(id)
        guard named != nil else { return }
        for list in table.all[index].lists { named?[list, default: []].insert(id) }
    }

    private mutating func takeMembers(of index: Int) -> RecipientSet {
        defer { members[index] = [] }
        members[index].sort()
        return RecipientSet(members[index])
    }

    /// Hardly any recipient stands in a list twice, so the recipients of each list are tracked only from the first
    /// repetition on.
    private mutating func countRepeated(_ id: RecipientID, _ mark: UInt32) {
        if named == nil {
            var sets: [Int: RecipientSet] = [:]
            for mark in marks {
                let members = RecipientSet(members[Int(mark)].sorted())
                for list in table.all[Int(mark)].lists { sets[list, default: []].formUnion(members) }
            }
            named = sets
        }
        for list in table.all[Int(mark)].lists where named?[list]?.contains(id) ?? false { repeated += 1 }
    }
}

/// When a recipient's app was seen last, in seconds since 1970.
struct SeenTime: Sendable {
    var recipient: RecipientID
    var seen: UInt32
}

/// The recipients with a row in a list, one bit each, in chunks of 65,536 numbers.
private struct SeenRecipients {
    private var chunks: [[UInt64]] = []

    /// Returns `false` if it was there before.
    mutating func insert(_ id: RecipientID) -> Bool {
        let (chunk, word) = (Int(id >> 16), Int(id & 0xFFFF) >> 6)
        let bit: UInt64 = 1 << UInt64(id & 63)
        while chunks.count <= chunk { chunks.append([]) }
        if chunks[chunk].isEmpty { chunks[chunk] = [UInt64](repeating: 0, count: 1024) }
        guard chunks[chunk][word] & bit == 0 else { return false }
        chunks[chunk][word] |= bit
        return true
    }
}
