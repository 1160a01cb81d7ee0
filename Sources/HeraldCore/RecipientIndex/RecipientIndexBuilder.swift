internal import FCM

/// Brings the rows of all lists together while they are read.
struct RecipientIndexBuilder {
    let workspace: Workspace
    /// Each behind those it is made of.
    private let audiences: [Audience]
    /// Which of them have their rows from the source of an audience, itself among them.
    private let dependents: [String: [Int]]
    /// The place of each audience with a list, or registrations, of its own among all lists.
    private let places: [String: Int]
    private let table = MembershipClassTable()
    private let sorter: EntrySorter
    private let temporaryFolder: String
    private let keepsSources: Bool
    private let known: KnownRows?
    private var matcher: RowMatcher?
    private var sources: [RowSource] = []
    /// Whom each of them names, where that is known.
    private var matched: [SourceMembers] = []
    /// Why nothing more is taken.
    private var problem: RecipientIndexError?

    /// - Parameters:
    ///   - workspace: whose audiences, groups and campaigns are of interest.
    ///   - temporaryFolder: for what does not fit into memory.
    ///   - keepsSources: whether the index is to know which source its rows come from, as caching asks for.
    ///   - known: what need not be sorted.
    init(
        _ workspace: Workspace, temporaryFolder: String, budget: Int = EntrySorter.usualBudget,
        keepsSources: Bool = false, known: KnownRows? = nil
    ) {
        self.workspace = workspace
        self.temporaryFolder = temporaryFolder
        self.keepsSources = keepsSources || known != nil
        self.known = known
        matcher = known?.numbers.map { [table] in RowMatcher($0, table) }
        let names = workspace.audiences.map(\.name.value)
        audiences = workspace.audiences.inOrder(from: names)
        var sources: [String: String] = [:]
        var dependents: [String: [Int]] = [:]
        for (position, audience) in audiences.enumerated() {
            let name = audience.name.value
            if case .audience(let from) = audience.source {
                sources[name] = sources[from.value]
            } else {
                sources[name] = name
            }
            if let source = sources[name] { dependents[source, default: []].append(position) }
        }
        self.dependents = dependents
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        sorter = EntrySorter(folder: temporaryFolder, budget: budget)
    }

    /// What tells the rows of a list apart.
    ///
    /// - Parameters:
    ///   - names: the audiences that name the list.
    ///   - columns: the attributes that filters ask of it.
    func classifier(for names: Set<String>, columns: [String]) -> RowClassifier {
        RowClassifier(takers(of: names), columns: columns, table)
    }

    /// A list as `finish(_:)` takes it, without what was read of it.
    func source(_ list: String, for names: Set<String>, columns: [String]) -> RowSource {
        RowSource(list: list, takers: takers(of: names), columns: columns)
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
                    filters: audience.filters))
        }
        return takers
    }

    /// - Parameters:
    ///   - membershipClass: from a classifier of this builder.
    ///   - row: the row's place in its list.
    mutating func add(_ registration: UnsafeBufferPointer<UInt8>, _ membershipClass: UInt32, row: Int) {
        guard problem == nil else { return }
        guard let row = UInt32(exactly: row) else {
            problem = .tooMany
            return
        }
        let (bytes, keyLength) = (UnsafeRawBufferPointer(registration), Registration.keyLength(of: registration))
        do throws(RecipientIndexError) {
            switch matcher?.take(bytes, keyLength: keyLength, membershipClass) {
            case .taken: return
            case .leftWithNumber(let id): try addNumber(id, of: bytes.prefix(keyLength))
            case .left, nil: break
            }
            try sorter.append(bytes, keyLength: keyLength, mark: membershipClass, row: row)
        } catch {
            problem = error
        }
    }

    /// Says which number the state gave a recipient, as if by a registration that nobody has: the rows tell another than
    /// the state's.
    private func addNumber(_ id: RecipientID, of key: Slice<UnsafeRawBufferPointer>) throws(RecipientIndexError) {
        let registration = Array(key) + [0]
        try registration.withUnsafeBufferPointer { (bytes) throws(RecipientIndexError) in
            try sorter.append(
                UnsafeRawBufferPointer(bytes), keyLength: key.count, mark: ListEntry.recorded, row: id)
        }
    }

    /// All rows of a source have been added.
    mutating func finish(_ source: RowSource) {
        guard keepsSources else { return }
        sources.append(source)
        if let members = matcher?.finishSource(source.owners) { matched.append(members) }
    }

    /// Takes a source's rows as they are known; `nil` when they are not.
    mutating func reuse(_ source: RowSource) -> ListCache.Source? {
        guard let known = known?.sources[source.key] else { return nil }
        var source = source
        source.reading = known.reading
        sources.append(source)
        matched.append(known.members)
        return known
    }

    /// Everybody, those too whose registrations stand beside an audience's, a group's or a campaign's name.
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
            entries: try sorter.finish(), membershipClasses: table.all, temporaryFolder: temporaryFolder)
        guard keepsSources else { return index }
        (index.sources, index.order) = (sources, order(inline))
        if let known {
            index.matched = MatchedRows(
                numbering: known.numbering, sources: matched, crossing: known.crossing, numbers: known.numbers,
                isInCache: known.isInCache)
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
