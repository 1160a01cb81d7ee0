internal import FCM

/// The columns of a CSV that are used. A class, because each row asks for it: to copy its lists would take longer.
final class ListHeader {
    let count: Int
    let registrations: [(kind: Registration.Kind, index: Int)]
    /// The column of the times when rows were last seen.
    let seen: Int?
    /// The columns of the attributes that were asked for.
    let places: [Int?]

    /// `nil` if the header cannot be used. A column that the audience names and that is missing is reported there.
    init?(_ columns: [String], _ names: ColumnNames, asked: [String], at line: Int, _ rows: inout RowFindings) {
        count = columns.count
        places = asked.map { columns.firstIndex(of: $0) }
        for name in names.all.sorted()
        where columns.count(where: { $0 == name }) > 1 {
            rows.add(.listColumn, line, "column '\(name)' stands twice")
            return nil
        }
        seen = names.seen.flatMap { columns.firstIndex(of: $0) }
        registrations = names.registrations.compactMap { kind, name in
            columns.firstIndex(of: name).map { (kind, $0) }
        }
        if registrations.isEmpty {
            if names == ColumnNames(seen: names.seen) {
                rows.add(
                    .listColumn, line, "the header has no column 'token' or 'fid'", help: names.help(on: columns))
            }
            return nil
        }
    }
}
