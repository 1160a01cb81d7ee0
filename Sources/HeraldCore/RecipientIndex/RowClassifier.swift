/// Finds out which audiences take a row of a list, by the row's attributes.
///
/// All that matters about an attribute is which value named by a filter it has. So rows fall into few classes, and each
/// class is judged once.
struct RowClassifier {
    /// The attributes that filters use.
    let columns: [String]
    /// Ordered so that parents come before the audiences made from them.
    private let audiences: [Taker]
    /// For each column, the values that filters name, numbered from 1. All other values are 0.
    private let classes: [ValueNumbers]
    /// By the number of the row's classes.
    private var known: [Int: UInt32?] = [:]
    private let table: MembershipClassTable

    /// An audience whose rows come from the list.
    struct Taker {
        var owner: RecipientIndex.Owner
        /// The place of the list among all lists. `nil` for an audience that is made from another.
        var list: Int?
        /// The place of that other audience among the takers.
        var parent: Int?
        var filters: [Audience.Filter]
    }

    /// How many results are kept. Beyond that they are worked out again.
    private static let knownLimit = 1 << 16

    init(_ audiences: [Taker], columns: [String], _ table: MembershipClassTable) {
        self.audiences = audiences
        self.columns = columns
        self.table = table
        classes = columns.map { column in
            let values = audiences.flatMap(\.filters).filter { $0.column.value == column }.flatMap(\.values)
            return ValueNumbers(Set(values))
        }
    }

    /// Whether no audience takes any row.
    var isIdle: Bool { audiences.isEmpty }

    /// The class of an attribute's value, for `membershipClass(of:)`.
    func `class`(of text: UnsafeBufferPointer<UInt8>, inColumn column: Int) -> Int { classes[column].number(of: text) }

    /// The number of the row's membership class. `nil` if no audience takes the row.
    ///
    /// - Parameter row: the class of each attribute, column by column, or -1 for a column that the list does not have.
    mutating func membershipClass(of row: [Int]) -> UInt32? {
        guard let place = number(of: row) else { return judge(row) }
        if let number = known[place] { return number }
        let number = judge(row)
        if known.count >= Self.knownLimit { known = [:] }
        known[place] = number
        return number
    }

    /// A number that no other classes have. `nil` if there are more of them than numbers.
    private func number(of row: [Int]) -> Int? {
        var number = 0
        for (column, value) in row.enumerated() {
            // A column that the list does not have counts as 0.
            let digit = value + 1
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: classes[column].count + 2)
            guard !isTooLarge, product <= .max - digit else { return nil }
            number = product + digit
        }
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
        return filter.values.contains { classes[column].number(of: $0) == row[column] }
    }
}
