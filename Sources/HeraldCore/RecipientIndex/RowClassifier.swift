/// Tells which audiences take a row of one list by its attributes.
///
/// Of an attribute it matters only which of the values that filters name it has, so that few rows are judged anew.
struct RowClassifier {
    /// The attributes that it goes by.
    let columns: [String]
    /// Parents before those made of them.
    private let audiences: [Taker]
    /// For each column the values that filters name, numbered from 1; 0 is any other.
    private let classes: [[String: Int]]
    private var known: [[Int]: UInt32?] = [:]
    private let table: MembershipClassTable

    /// An audience whose rows come from the list.
    struct Taker {
        var owner: RecipientIndex.Owner
        /// The place of the list among all lists; `nil` for an audience that is made of another.
        var list: Int?
        /// The place of that one among the takers.
        var parent: Int?
        var filters: [Audience.Filter]
    }

    /// Kept membership classes; beyond them they are worked out again.
    private static let knownLimit = 1 << 16

    init(_ audiences: [Taker], columns: [String], _ table: MembershipClassTable) {
        self.audiences = audiences
        self.columns = columns
        self.table = table
        classes = columns.map { column in
            let values = audiences.flatMap(\.filters).filter { $0.column.value == column }.flatMap(\.values)
            return Dictionary(Set(values).enumerated().map { ($1, $0 + 1) }) { first, _ in first }
        }
    }

    /// Whether no row is taken, whatever it has.
    var isIdle: Bool { audiences.isEmpty }

    /// What an attribute counts as in `membershipClass(of:)`.
    func `class`(of text: String, inColumn column: Int) -> Int { classes[column][text] ?? 0 }

    /// The number of the row's membership class; `nil` where no list names it.
    ///
    /// - Parameter row: the classes of its attributes, column by column; of a column that the list has not, -1.
    mutating func membershipClass(of row: [Int]) -> UInt32? {
        if let number = known[row] { return number }
        let number = judge(row)
        if known.count >= Self.knownLimit { known = [:] }
        known[row] = number
        return number
    }

    private func judge(_ row: [Int]) -> UInt32? {
        var passes: [Bool] = []
        passes.reserveCapacity(audiences.count)
        var membershipClass = RecipientIndex.MembershipClass(owners: [], lists: [])
        for audience in audiences {
            let isTaken = (audience.parent.map { passes[$0] } ?? true) && audience.filters.allSatisfy { has(row, $0) }
            passes.append(isTaken)
            guard isTaken else { continue }
            membershipClass.owners.append(audience.owner)
            if let list = audience.list { membershipClass.lists.append(list) }
        }
        guard !membershipClass.lists.isEmpty else { return nil }
        membershipClass.lists.sort()
        return table.number(of: membershipClass)
    }

    private func has(_ row: [Int], _ filter: Audience.Filter) -> Bool {
        guard let column = columns.firstIndex(of: filter.column.value), row[column] > 0 else { return false }
        return filter.values.contains { classes[column][$0] == row[column] }
    }
}
