/// Finds out which audiences take a row of a list, by the row's attributes.
///
/// All that matters about an attribute is which value named by a filter it has, and between which bounds it is. So rows
/// fall into few classes, and each class is judged once.
struct RowClassifier {
    /// The attributes that filters use.
    let columns: [String]
    /// Ordered so that parents come before the audiences made from them.
    private let audiences: [Taker]
    /// For each attribute, the class of a value, for `membershipClass(of:)`.
    let classes: [ColumnClasses]
    /// For each attribute, how many classes a row may have there: one more for a column that the list does not have.
    private let sizes: [Int]
    /// Whether an audience or one that it is made from compares, for each audience.
    private let compares: [Bool]
    /// Whether any does. Then every row counts: it may show that an older one does not.
    let comparesRows: Bool
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
            ColumnClasses(audiences.flatMap(\.filters).filter { $0.column.value == column })
        }
        sizes = classes.map { $0.count + 2 }
        compares = audiences.reduce(into: []) { compares, audience in
            compares.append(
                audience.parent.map { compares[$0] } ?? false || audience.filters.contains(where: \.test.isComparison))
        }
        comparesRows = compares.contains(true)
    }

    /// Whether no audience takes any row.
    var isIdle: Bool { audiences.isEmpty }

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
        for column in row.indices {
            // A column that the list does not have counts as 0.
            let digit = row[column] + 1
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: sizes[column])
            guard !isTooLarge, product <= .max - digit else { return nil }
            number = product + digit
        }
        return number
    }

    private func judge(_ row: [Int]) -> UInt32? {
        var passes: [Bool] = []
        passes.reserveCapacity(audiences.count)
        var membershipClass = RecipientIndex.MembershipClass(owners: [], lists: [])
        for (audience, compares) in zip(audiences, compares) {
            let isTaken =
                !compares && (audience.parent.map { passes[$0] } ?? true)
                && audience.filters.allSatisfy { verdict(of: $0, on: row) == .passes }
            passes.append(isTaken)
            guard isTaken else { continue }
            membershipClass.owners.append(audience.owner)
            if let list = audience.list { membershipClass.lists.append(list) }
        }
        if comparesRows { membershipClass.compared = compared(row, passes) }
        guard comparesRows || !membershipClass.lists.isEmpty else { return nil }
        membershipClass.lists.sort()
        return table.number(of: membershipClass)
    }

    private func verdict(of filter: Audience.Filter, on row: [Int]) -> ColumnClasses.Verdict {
        guard let column = columns.firstIndex(of: filter.column.value) else { return .fails }
        return classes[column].verdict(of: filter, on: row[column])
    }

    // MARK: Comparisons

    /// - Parameter passes: which audiences without comparisons take the row.
    private func compared(_ row: [Int], _ passes: [Bool]) -> ComparedRow {
        let times = columns.indices.filter { classes[$0].isTime(row[$0]) }
        var compared = ComparedRow(list: audiences.compactMap(\.list).min() ?? 0, times: times, takers: [])
        var places: [Int: Int] = [:]
        for (place, audience) in audiences.enumerated() where compares[place] {
            let isOut = audience.parent.map { !compares[$0] && !passes[$0] } ?? false
            places[place] = compared.takers.count
            compared.takers.append(
                .init(
                    owner: audience.owner, list: audience.list, parent: audience.parent.flatMap { places[$0] },
                    verdict: isOut ? .out : verdict(of: audience, on: row, times)))
        }
        return compared
    }

    /// A value of another type is told before a comparison that does not pass, and times come last: they leave out
    /// whoever would be in otherwise.
    private func verdict(of audience: Taker, on row: [Int], _ times: [Int]) -> ComparedRow.Verdict {
        let verdicts = audience.filters.map { verdict(of: $0, on: row) }
        let isNamed = zip(audience.filters, verdicts).allSatisfy { $0.test.isComparison || $1 == .passes }
        guard isNamed else { return .out }
        if let place = verdicts.firstIndex(of: .wrongType) { return .wrongType(filter: place) }
        guard !verdicts.contains(.fails) else { return .out }
        return .by(
            audience.filters.enumerated().compactMap { place, filter in
                let column = columns.firstIndex(of: filter.column.value)
                return filter.timeTest(at: place, of: column.flatMap { times.firstIndex(of: $0) })
            })
    }
}
