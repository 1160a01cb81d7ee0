/// Collects rows under the state's numbers, source by source, without sorting. It takes only rows that name a recipient
/// by the registration that the state has.
struct RowMatcher {
    private let numbers: RecipientNumbers
    private let table: MembershipClassTable
    /// By membership class.
    private var members: [RecipientSet] = []
    /// About the current source: the recipients with a row, their membership classes, and how many rows repeat one of
    /// the list.
    private var seen = RecipientSet()
    private var marks: [UInt32] = []
    private var named: [Int: RecipientSet]?
    private var repeated = 0
    /// Recipients with a number and a row that could not be taken.
    private var others = RecipientSet()
    private var isUnclear = false

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

    mutating func take(_ registration: UnsafeRawBufferPointer, keyLength: Int, _ mark: UInt32) -> Outcome {
        switch numbers.find(registration, keyLength: keyLength) {
        case .same(let id):
            put(id, mark)
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
            for owner in table.all[Int(mark)].owners { byOwner[owner, default: []].formUnion(members[Int(mark)]) }
            members[Int(mark)] = []
        }
        defer { (seen, marks, named, repeated) = ([], [], nil, 0) }
        return SourceMembers(members: owners.map { byOwner[$0] ?? [] }, repeated: repeated, isPlain: true)
    }

    private mutating func put(_ id: RecipientID, _ mark: UInt32) {
        let index = Int(mark)
        while members.count <= index { members.append([]) }
        if members[index].isEmpty { marks.append(mark) }
        if seen.contains(id) { countRepeated(id, mark) } else { seen.insert(id) }
        members[index].insert(id)
        guard named != nil else { return }
        for list in table.all[index].lists { named?[list, default: []].insert(id) }
    }

    /// Hardly any recipient stands in a list twice, so the recipients of each list are tracked only from the first
    /// repetition on.
    private mutating func countRepeated(_ id: RecipientID, _ mark: UInt32) {
        if named == nil {
            var sets: [Int: RecipientSet] = [:]
            for mark in marks {
                for list in table.all[Int(mark)].lists { sets[list, default: []].formUnion(members[Int(mark)]) }
            }
            named = sets
        }
        for list in table.all[Int(mark)].lists where named?[list]?.contains(id) ?? false { repeated += 1 }
    }
}
