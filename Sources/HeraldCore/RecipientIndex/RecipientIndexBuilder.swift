internal import FCM

/// Brings the rows of all lists together while they are read.
struct RecipientIndexBuilder {
    private let workspace: Workspace
    /// Each behind those it is made of.
    private let audiences: [Audience]
    /// Which of them have their rows from the source of an audience, itself among them.
    private let dependents: [String: [Int]]
    /// The place of each audience with a list, or registrations, of its own among all lists.
    private let places: [String: Int]
    private let table = MembershipClassTable()
    private let sorter: EntrySorter
    private let temporaryFolder: String
    /// Why nothing more is taken.
    private var problem: RecipientIndexError?

    /// - Parameters:
    ///   - workspace: whose audiences, groups and campaigns are of interest.
    ///   - temporaryFolder: for what does not fit into memory.
    init(_ workspace: Workspace, temporaryFolder: String, budget: Int = EntrySorter.usualBudget) {
        self.workspace = workspace
        self.temporaryFolder = temporaryFolder
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
        return RowClassifier(takers, columns: columns, table)
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
        do throws(RecipientIndexError) {
            try sorter.append(
                UnsafeRawBufferPointer(registration), keyLength: Registration.keyLength(of: registration),
                mark: membershipClass, row: row)
        } catch {
            problem = error
        }
    }

    /// Everybody, those too whose registrations stand beside an audience's, a group's or a campaign's name.
    mutating func finish() throws(RecipientIndexError) -> RecipientIndex {
        for audience in workspace.audiences {
            if case .inline(let registrations) = audience.source {
                var classifier = classifier(for: [audience.name.value], columns: [])
                if let membershipClass = classifier.membershipClass(of: []) { add(registrations, membershipClass) }
            }
        }
        var place = workspace.audiences.count
        for group in workspace.groups {
            if case .inline(let listed) = group.members { add(listed, of: .group(group.name.value), &place) }
        }
        for campaign in workspace.campaigns {
            if case .registrations(let listed) = campaign.target.value {
                add(listed, of: .campaign(campaign.name.value), &place)
            }
        }
        if let problem { throw problem }
        return RecipientIndex(
            entries: try sorter.finish(), membershipClasses: table.all, temporaryFolder: temporaryFolder)
    }

    private mutating func add(_ registrations: [Registration], of owner: RecipientIndex.Owner, _ place: inout Int) {
        add(registrations, table.number(of: .init(owners: [owner], lists: [place])))
        place += 1
    }

    private mutating func add(_ registrations: [Registration], _ membershipClass: UInt32) {
        for (row, registration) in registrations.enumerated() {
            var text = registration.rawValue
            text.withUTF8 { add($0, membershipClass, row: row) }
        }
    }
}
