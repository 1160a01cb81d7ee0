internal import FCM

/// Collects the rows of all lists while they are read. It has many parts, because rows are told apart by what is wanted
/// of them.
struct RecipientIndexBuilder {
    let workspace: Workspace
    /// Ordered so that each comes after the audience it is made from.
    private let audiences: [Audience]
    /// For each audience with its own source: the audiences whose rows come from it, including itself.
    private let dependents: [String: [Int]]
    /// The place among all lists of each audience that has its own list or registrations.
    private let places: [String: Int]
    /// For each audience, the one at the end of its chain of sources.
    private let ends: AudienceSources
    let table = MembershipClassTable()
    private let need: ValueNeed
    /// Whether the values of a membership class's rows are needed, by the class's number; `nil` if that is not known
    /// yet.
    private var valued: [Bool?] = []
    /// Of rows whose zones are needed.
    let zones = ZoneNumbers()
    private let sorter: EntrySorter
    private let temporaryFolder: String
    private let keepsSources: Bool
    private let known: KnownRows?
    private var matcher: RowMatcher?
    /// Rows that wait for being matched together.
    private var batch = RowBatch()
    private var sources: [RowSource] = []
    /// The members of each source, if they are known.
    private var matched: [SourceMembers] = []
    /// The first error. After it, nothing more is added.
    private var problem: RecipientIndexError?

    /// - Parameters:
    ///   - workspace: the audiences, groups and campaigns that matter.
    ///   - temporaryFolder: where sorting writes what does not fit into memory.
    ///   - keepsSources: whether the index must know which source its rows come from. The cache needs that.
    ///   - known: what need not be sorted.
    init(
        _ workspace: Workspace, temporaryFolder: String, budget: Int = EntrySorter.usualBudget,
        keepsSources: Bool = false, known: KnownRows? = nil
    ) {
        // Which registration counts depends on names, and not on the order in which files were read.
        var workspace = workspace
        workspace.audiences.sort { $0.name.value < $1.name.value }
        workspace.groups.sort { $0.name.value < $1.name.value }
        // A loaded workspace has them in order, and sorting copies each.
        let isOrdered = workspace.campaigns.indices.dropFirst().allSatisfy {
            workspace.campaigns[$0 - 1].name.value <= workspace.campaigns[$0].name.value
        }
        if !isOrdered { workspace.campaigns.sort { $0.name.value < $1.name.value } }
        self.workspace = workspace
        self.temporaryFolder = temporaryFolder
        self.keepsSources = keepsSources || known != nil
        self.known = known
        matcher = known?.numbers.map { [table] in RowMatcher($0, table) }
        let names = workspace.audiences.map(\.name.value)
        audiences = workspace.audiences.inOrder(from: names)
        ends = AudienceSources(audiences)
        var dependents: [String: [Int]] = [:]
        for (position, audience) in audiences.enumerated() {
            if let source = ends[audience.name.value] { dependents[source.name.value, default: []].append(position) }
        }
        self.dependents = dependents
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        need = ValueNeed(workspace)
        sorter = EntrySorter(folder: temporaryFolder, budget: budget)
    }

    /// The columns that are needed of the list of an audience.
    func columns(ofListBehind name: String) -> ValueNeed.Columns { need.columns(ofListBehind: name) }

    /// Whether the rows of a membership class must bring their values.
    mutating func needsValues(_ membershipClass: UInt32) -> Bool {
        let index = Int(membershipClass)
        while valued.count <= index { valued.append(nil) }
        if let known = valued[index] { return known }
        let taken = table.all[index]
        let owners = taken.owners + (taken.compared?.takers.map(\.owner) ?? [])
        let isNeeded = need.owners.contains { owners.contains($0.owner) }
        valued[index] = isNeeded
        return isNeeded
    }

    /// What decides the membership class of a list's rows.
    ///
    /// - Parameters:
    ///   - names: the audiences that name the list.
    ///   - columns: the attributes that filters use.
    func classifier(for names: Set<String>, columns: [String]) -> RowClassifier {
        RowClassifier(takers(of: names), columns: columns, table)
    }

    /// A list in the form that `finish(_:)` takes, without what was read from it.
    func source(_ list: String, for names: Set<String>, columns: [String], _ columnNames: ColumnNames) -> RowSource {
        RowSource(list: list, takers: takers(of: names), columns: columns, names: columnNames)
    }

    func takers(of names: Set<String>) -> [RowClassifier.Taker] {
        var takers: [RowClassifier.Taker] = []
        var positions: [String: Int] = [:]
        for audience in names.flatMap({ dependents[$0] ?? [] }).sorted().map({ audiences[$0] }) {
            let name = audience.name.value
            let parent = if case .audience(let from) = audience.source { positions[from.value] } else { Int?.none }
            positions[name] = takers.count
            takers.append(
                .init(
                    owner: .audience(name), list: parent == nil ? places[name] : nil, parent: parent,
                    filters: audience.filters.map { ends[name]?.resolved($0) ?? $0 }))
        }
        return takers
    }

    /// - Parameters:
    ///   - membershipClass: from a classifier of this builder.
    ///   - row: the row's place in its list.
    ///   - seen: when its app was seen last, in seconds since 1970. `nil` if the row does not say.
    ///   - values: as `RowValues` packs them, if the row's class needs them. Then no rows may be known.
    mutating func add(
        _ registration: UnsafeBufferPointer<UInt8>, _ membershipClass: UInt32, row: Int, seen: UInt32? = nil,
        values: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) {
        guard problem == nil else { return }
        guard let place = UInt32(exactly: row) else {
            problem = .tooMany
            return
        }
        let mark = seen == nil ? membershipClass : table.numberWithSeen(membershipClass)
        let keyLength = Registration.keyLength(of: registration)
        let row = RowBatch.Row(keyLength: keyLength, mark: mark, place: place, seen: seen)
        guard matcher != nil else { return sort(UnsafeRawBufferPointer(registration), row, values) }
        batch.append(UnsafeRawBufferPointer(registration), row)
        if batch.isFull { match() }
    }

    /// Takes the waiting rows out of the batch, in their order.
    private mutating func match() {
        guard let numbers = matcher?.numbers else { return }
        var waiting = RowBatch()
        swap(&waiting, &batch)
        defer { swap(&waiting, &batch) }
        let findings = numbers.find(waiting.entries(numbers.hash))
        waiting.drain { row, bytes, index in
            switch matcher?.take(findings[index], row.mark, seen: row.seen) {
            case .taken: return
            case .leftWithNumber(let id): addNumber(id, of: bytes.prefix(row.keyLength))
            case .left, nil: break
            }
            sort(bytes, row)
        }
    }

    private mutating func sort(
        _ registration: UnsafeRawBufferPointer, _ row: RowBatch.Row,
        _ values: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) {
        guard problem == nil else { return }
        do throws(RecipientIndexError) {
            try sorter.append(
                registration, keyLength: row.keyLength, mark: row.mark, row: row.seen ?? row.place, tail: values)
        } catch {
            problem = error
        }
    }

    /// Adds the number that the state gave a recipient, for rows whose registration differs from the state's. The entry
    /// has a registration that does not exist, so it never equals a row's.
    private mutating func addNumber(_ id: RecipientID, of key: Slice<UnsafeRawBufferPointer>) {
        let row = RowBatch.Row(keyLength: key.count, mark: ListEntry.recorded, place: id, seen: nil)
        (Array(key) + [0]).withUnsafeBytes { sort($0, row) }
    }

    /// Call it when all rows of a source have been added.
    mutating func finish(_ source: RowSource) {
        guard keepsSources else { return }
        match()
        sources.append(source)
        if let members = matcher?.finishSource(source.owners) { matched.append(members) }
    }

    /// Reuses a source's rows from the cache. `nil` if the cache does not have them.
    mutating func reuse(_ source: RowSource) -> ListCache.Source? {
        guard let known = known?.sources[source.key] else { return nil }
        var source = source
        source.reading = known.reading
        sources.append(source)
        matched.append(known.members)
        return known
    }

    /// The finished index, including registrations that stand in the files of audiences, groups and campaigns.
    mutating func finish() throws(RecipientIndexError) -> RecipientIndex {
        let inline = inlineRows
        for rows in inline {
            guard keepsSources else {
                add(rows)
                continue
            }
            let source = rows.source
            if reuse(source) != nil { continue }
            add(rows)
            finish(source)
        }
        if let problem { throw problem }
        var index = RecipientIndex(
            entries: try sorter.finish(), membershipClasses: table.all, valued: need.owners,
            temporaryFolder: temporaryFolder)
        (index.zoned, index.zones) = (need.zoned, zones.zones)
        guard keepsSources else { return index }
        (index.sources, index.order) = (sources, order(inline))
        if let known {
            index.matched = MatchedRows(
                numbering: known.numbering, sources: matched, crossing: known.crossing,
                withOthers: known.withOthers, dead: known.dead, seen: matcher?.seenTimes ?? [],
                hash: known.numbers?.hash, isInCache: known.isInCache)
            index.matched?.zones = known.zones
            index.matched?.isContradicted =
                matched.count != sources.count || matcher?.isContradicted(by: matched) ?? false
        }
        return index
    }

    private mutating func add(_ rows: InlineRows) {
        var mark: UInt32?
        if rows.takers.isEmpty {
            mark = table.number(of: .init(owners: [rows.owner], lists: [rows.place]))
        } else {
            var classifier = RowClassifier(rows.takers, columns: [], table)
            mark = classifier.membershipClass(of: [])
        }
        guard let mark else { return }
        for (row, registration) in rows.registrations.enumerated() {
            var text = registration.rawValue
            text.withUTF8 { add($0, mark, row: row) }
        }
    }
}
