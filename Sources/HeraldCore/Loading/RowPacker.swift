/// Adds rows of a list with what is needed of them besides their membership class: zones, values, and the times that
/// filters compare. Rows of which nothing else is needed are not its business, so that they pay nothing for it.
struct RowPacker {
    /// The columns that name zones, and those whose values are kept, among those that the list is asked for.
    private let zoned: Range<Int>
    private let kept: Range<Int>
    private let compares: Bool
    private let table: MembershipClassTable
    private var zonedClasses: ZonedClasses
    private var values: [UInt8] = []

    init(_ needed: ValueNeed.Columns, after classifier: RowClassifier, _ recipientIndex: RecipientIndexBuilder) {
        let filtered = classifier.columns.count
        zoned = filtered..<filtered + needed.zones.count
        kept = zoned.upperBound..<zoned.upperBound + needed.values.count
        compares = classifier.comparesRows
        table = recipientIndex.table
        zonedClasses = ZonedClasses(recipientIndex.zones, table)
    }

    /// Whether no row has anything to bring.
    var isIdle: Bool { zoned.isEmpty && kept.isEmpty && !compares }

    mutating func add(
        _ found: ListReader.Row, _ filtered: UInt32, row: Int, _ look: ListReader.Look,
        to recipientIndex: inout RecipientIndexBuilder
    ) {
        values.removeAll(keepingCapacity: true)
        let keepsValues = !kept.isEmpty && recipientIndex.needsValues(filtered)
        // Of rows that were seen at the same time, the line tells which counts.
        if keepsValues || compares || !zoned.isEmpty && found.seen != nil {
            RowTimes.pack(of: table.times(of: filtered), into: &values, look)
            RowValues.pack(of: keepsValues ? kept : 0..<0, line: found.line, into: &values, look)
        }
        var membershipClass = filtered
        for column in zoned {
            let zoned = look(column) { Int(zonedClasses.number(membershipClass, zone: $0)) }
            membershipClass = zoned.map { UInt32($0) } ?? zonedClasses.number(membershipClass)
        }
        values.withUnsafeBytes {
            recipientIndex.add(found.registrations, membershipClass, row: row, seen: found.seen, values: $0)
        }
    }
}

extension RowValues {
    /// Packs the values of some attributes of a row.
    fileprivate static func pack(
        of attributes: Range<Int>, line: Int, into values: inout [UInt8], _ look: ListReader.Look
    ) {
        let start = values.count
        begin(&values, line: line)
        for attribute in attributes {
            let found = look(attribute) { value in
                FieldValues.append(value, to: &values)
                return 0
            }
            if found == nil { FieldValues.append(nil, to: &values) }
        }
        end(&values, from: start)
    }
}

extension RowTimes {
    /// Packs the times of some attributes of a row. They are known to be times.
    fileprivate static func pack(of attributes: [Int], into values: inout [UInt8], _ look: ListReader.Look) {
        for attribute in attributes {
            _ = look(attribute) { text in
                append(ValueComparison.time(text).map { Int64($0.seconds) } ?? 0, to: &values)
                return 0
            }
        }
    }
}
