/// Sorts recipients by the time zone that their row names.
struct ZoneSorting {
    /// A send whose recipients have zones of their own, and the column that has them.
    struct Send: Sendable {
        let campaign: String
        let owner: RecipientIndex.Owner
        let column: String

        var key: String { ZoneSorting.key(of: owner, column) }
    }

    /// Names recipients by zone: the same for all campaigns to one audience by one column.
    static func key(of owner: RecipientIndex.Owner, _ column: String) -> String {
        if case .audience(let name) = owner { "\(name)\0\(column)" } else { "" }
    }

    /// What a value of the column stands for. Zones are few and rows are many.
    private struct Column {
        let name: String
        let campaigns: [String]
        /// The place of its value among those of a row.
        let place: Int
        /// The place of the zone of each name of the tz database, by its number. `nil` if no row had it yet.
        var ofName: [Int?] = []
        /// The place of each other value's zone. Negative for a value that names none.
        var known: [[UInt8]: Int] = [:]
        var zones: [Zone] = []
        var members: [RecipientSet] = []
    }

    /// By the owner's place.
    private var columns: [[Column]]
    /// Rows may name millions of zones that there are not.
    private static let knownLimit = 10_000
    private static let longestName = 100
    /// Rows that name a zone are looked up without a text of their own.
    private let names: ValueNumbers

    /// - Parameter owners: whose rows come. Rows name them by place.
    init(for sends: [Send], _ owners: [ValueNeed.Owner]) {
        let names = ValueNumbers(sends.isEmpty ? [] : Set(Zone.names()))
        self.names = names
        columns = owners.map { owner in
            let own = Dictionary(grouping: sends.filter { $0.owner == owner.owner }, by: \.column)
            return own.compactMap { column, sends in
                owner.columns.firstIndex(of: column).map {
                    Column(
                        name: column, campaigns: sends.map(\.campaign), place: $0,
                        ofName: Array(repeating: nil, count: names.count + 1))
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
        let value = UnsafeBufferPointer(rebasing: value[...].trimmed)
        let number = names.number(of: value)
        if number > 0, let known = column.ofName[number] { return known }
        let text = Array(value)
        if number == 0, let known = column.known[text] { return known }
        let place = zone(text, number).map { zone in
            column.zones.firstIndex(of: zone)
                ?? {
                    column.zones.append(zone)
                    column.members.append([])
                    return column.zones.count - 1
                }()
        }
        if number > 0 {
            column.ofName[number] = place ?? -1
        } else if column.known.count < Self.knownLimit {
            column.known[text] = place ?? -1
        }
        return place ?? -1
    }

    /// Only names of the tz database are looked up in it.
    private func zone(_ text: [UInt8], _ number: Int) -> Zone? {
        guard !text.isEmpty, text.count <= Self.longestName, let name = String(validating: text, as: UTF8.self) else {
            return nil
        }
        return number > 0 || name.wholeMatch(of: #/(UTC|GMT)?[+-][0-9:]+|UTC|Z/#) != nil
            ? Zone(written: name) : nil
    }

    /// Recipients by zone, by `Send.key`. Those whose row names none are missing.
    func byKey(for sends: [Send]) -> [String: [Zone: RecipientSet]] {
        var zones: [String: [Zone: RecipientSet]] = [:]
        for send in sends where zones[send.key] == nil {
            let column = columns.lazy.flatMap(\.self).first {
                $0.name == send.column && $0.campaigns.contains(send.campaign)
            }
            zones[send.key] = column.map { Dictionary(zip($0.zones, $0.members)) { first, _ in first } } ?? [:]
        }
        return zones
    }
}
