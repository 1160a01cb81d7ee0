/// Sorts recipients by the time zone that their row names.
struct ZoneSorting {
    /// A send whose recipients have zones of their own, and the column that has them.
    struct Send: Sendable {
        let owner: RecipientIndex.Owner
        let column: String

        var key: String { ZoneSorting.key(of: owner, column) }
    }

    /// Names recipients by zone: the same for all campaigns to one audience by one column.
    static func key(of owner: RecipientIndex.Owner, _ column: String) -> String {
        if case .audience(let name) = owner { "\(name)\0\(column)" } else { "" }
    }

    private let owners: [ValueNeed.Owner]
    private let zones: [Zone]
    /// Recipients that have rows of several membership classes. Not all of these rows count.
    private var several = RecipientSet()
    /// Those recipients by the membership class of their newest row, for each owner.
    private var newest: [[UInt32: RecipientSet]]

    init(_ index: RecipientIndex) {
        (owners, zones) = (index.zoned, index.zones)
        newest = Array(repeating: [:], count: owners.count)
    }

    /// The recipient that a pass returned last.
    mutating func add(_ id: RecipientID, _ pass: RecipientPass) {
        guard !owners.isEmpty, pass.marks.count > 1 else { return }
        several.insert(id)
        pass.eachNewestZone { owner, mark in newest[owner][mark, default: []].insert(id) }
    }

    /// Recipients by zone, by `Send.key`. Those whose row names none are missing.
    ///
    /// - Parameter sets: the recipients with rows of each membership class.
    func byKey(
        for sends: [Send], _ classes: [RecipientIndex.MembershipClass], _ sets: [RecipientSet]
    ) -> [String: [Zone: RecipientSet]] {
        var found: [String: [Zone: RecipientSet]] = [:]
        for send in sends where found[send.key] == nil {
            found[send.key] = [:]
            guard let owner = owners.firstIndex(where: { $0.owner == send.owner }),
                let place = owners[owner].columns.firstIndex(of: send.column)
            else { continue }
            var byZone = Array(repeating: RecipientSet(), count: zones.count)
            for (mark, (rows, members)) in zip(classes, sets).enumerated()
            where place < rows.zones.count && rows.zones[place] > 0 && rows.owners.contains(send.owner) {
                let newest = newest[owner][UInt32(mark)] ?? []
                byZone[rows.zones[place] - 1].formUnion(members.subtracting(several).union(newest))
            }
            for (zone, members) in zip(zones, byZone) where !members.isEmpty { found[send.key]?[zone] = members }
        }
        return found
    }
}
