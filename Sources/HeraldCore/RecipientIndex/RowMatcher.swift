/// Puts rows down under the state's numbers, one source after the other, without sorting them: those that name a
/// recipient by the registration that the state has.
struct RowMatcher {
    private let numbers: RecipientNumbers
    private let table: MembershipClassTable
    /// By membership class.
    private var members: [RecipientSet] = []
    /// Of the source at hand: who has a row, in which membership classes, and how many rows stand in a list again.
    private var seen = RecipientSet()
    private var marks: [UInt32] = []
    private var named: [Int: RecipientSet]?
    private var repeated = 0
    /// Who has a row that could not be put down, and a number.
    private var others = RecipientSet()
    private var isUnclear = false

    enum Outcome {
        case taken
        /// It has to be sorted.
        case left
        /// It has to be sorted together with the recipient's number, which was not asked for before.
        case leftWithNumber(RecipientID)
    }

    init(_ numbers: RecipientNumbers, _ table: MembershipClassTable) {
        (self.numbers, self.table) = (numbers, table)
    }

    /// Whether somebody has rows of both sorts: such as could not be put down, and such as are among `sources`.
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

    /// Nearly nobody stands in a list twice: only from the first one on it is kept who stands in which.
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
