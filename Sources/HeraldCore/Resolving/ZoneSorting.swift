/// Sorts recipients by the time zone that their row names.
struct ZoneSorting {
    /// A send whose recipients have zones of their own, and the column that has them.
    struct Send: Sendable {
        let campaign: String
        let owner: RecipientIndex.Owner
        let column: String
    }

    /// What a value of the column stands for. Zones are few and rows are many.
    private struct Column {
        let name: String
        let campaigns: [String]
        /// The place of its value among those of a row.
        let place: Int
        /// The place of each value's zone. Negative for a value that names none.
        var known: [[UInt8]: Int] = [:]
        var zones: [Zone] = []
        var members: [RecipientSet] = []
    }

    /// By the owner's place.
    private var columns: [[Column]]
    /// Rows may name millions of zones that there are not.
    private static let knownLimit = 10_000
    private static let longestName = 100
    private let names: Set<String>

    /// - Parameter owners: whose rows come. Rows name them by place.
    init(for sends: [Send], _ owners: [ValueNeed.Owner]) {
        names = sends.isEmpty ? [] : Set(Zone.names())
        columns = owners.map { owner in
            let own = Dictionary(grouping: sends.filter { $0.owner == owner.owner }, by: \.column)
            return own.compactMap { column, sends in
                owner.columns.firstIndex(of: column).map {
                    Column(name: column, campaigns: sends.map(\.campaign), place: $0)
                }
            }
        }
    }

    /// - Parameter owner: the owner's place.
    mutating func add(_ row: ValueFile.Row, of owner: Int) {
        guard owner < columns.count else { return }
        for index in columns[owner].indices {
            guard let value = row.value(at: columns[owner][index].place) else { continue }
            let place = place(of: value, in: &columns[owner][index])
            if place >= 0 { columns[owner][index].members[place].insert(row.id) }
        }
    }

    private func place(of value: UnsafeBufferPointer<UInt8>, in column: inout Column) -> Int {
        let text = Array(value[...].trimmed)
        if let known = column.known[text] { return known }
        let place = zone(text).map { zone in
            column.zones.firstIndex(of: zone)
                ?? {
                    column.zones.append(zone)
                    column.members.append([])
                    return column.zones.count - 1
                }()
        }
        if column.known.count < Self.knownLimit { column.known[text] = place ?? -1 }
        return place ?? -1
    }

    /// Only names of the tz database are looked up in it.
    private func zone(_ text: [UInt8]) -> Zone? {
        guard !text.isEmpty, text.count <= Self.longestName, let name = String(validating: text, as: UTF8.self) else {
            return nil
        }
        return names.contains(name) || name.wholeMatch(of: #/(UTC|GMT)?[+-][0-9:]+|UTC|Z/#) != nil
            ? Zone(written: name) : nil
    }

    /// The recipients of a campaign by the zone in a column. Those whose row names none are missing.
    func zones(of campaign: String, by name: String) -> [Zone: RecipientSet] {
        let column = columns.lazy.flatMap(\.self).first { $0.name == name && $0.campaigns.contains(campaign) }
        guard let column else { return [:] }
        return Dictionary(zip(column.zones, column.members)) { first, _ in first }
    }
}
