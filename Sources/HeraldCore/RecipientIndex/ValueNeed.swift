internal import FCM

/// Whose rows are needed, and what of them: personal messages need values, stages need no values, but the keys that the
/// rows come with, and whatever goes by each recipient's zone needs only that.
struct ValueNeed {
    /// Somebody's rows, and the columns whose values they bring.
    struct Owner: Hashable, Sendable {
        var owner: RecipientIndex.Owner
        /// In the order in which rows pack them. Empty for registrations that stand in a file.
        var columns: [String]
    }

    /// The columns of a list that are needed besides those that filters use.
    struct Columns: Hashable {
        /// Those whose values are kept.
        var values: [String] = []
        /// Those that have zones.
        var zones: [String] = []
    }

    /// The audiences that personal campaigns and campaigns in stages go to, and such campaigns with registrations of their
    /// own; each once.
    let owners: [Owner]
    /// The audiences whose campaigns go by each recipient's zone, with the columns that have it; each once.
    let zoned: [Owner]
    /// The columns to keep of the list of an audience with its own source.
    private let columns: [String: [String]]
    /// The columns of such a list that have zones.
    private let zones: [String: [String]]
    /// Whether nothing is needed but zones, which the cache of lists can keep.
    let isForZonesAlone: Bool

    init(_ workspace: Workspace) {
        let groups = workspace.groupsByName
        var (owners, zoned): ([RecipientIndex.Owner], [RecipientIndex.Owner]) = ([], [])
        var (columns, zones): ([String: [String]], [String: [String]]) = ([:], [:])
        let campaigns = workspace.campaignsWithRows
        let ends = AudienceSources(campaigns.isEmpty ? [] : workspace.audiences)
        var sources: [RecipientIndex.Owner: String] = [:]
        for campaign in campaigns {
            guard let owner = campaign.valueOwner(groups) else { continue }
            let own = campaign.zoneFields(groups, ends).map(\.column)
            if !own.isEmpty, !zoned.contains(owner) { zoned.append(owner) }
            if campaign.needsValues, !owners.contains(owner) { owners.append(owner) }
            if campaign.content.personal != nil, let seeds = campaign.delivery.stages?.seeds {
                let owner = RecipientIndex.Owner.audience(seeds.value)
                if !owners.contains(owner) { owners.append(owner) }
            }
            guard case .audience(let name) = owner, let source = ends[name]?.name.value
            else { continue }
            sources[owner] = source
            let fields = campaign.content.personal?.content.fields ?? []
            for column in fields.map(\.column) where !columns[source, default: []].contains(column) {
                columns[source, default: []].append(column)
            }
            for column in own where !zones[source, default: []].contains(column) {
                zones[source, default: []].append(column)
            }
        }
        (self.columns, self.zones) = (columns, zones)
        isForZonesAlone = !campaigns.contains(where: \.needsValues)
        self.owners = owners.map { owner in Owner(owner: owner, columns: sources[owner].flatMap { columns[$0] } ?? []) }
        self.zoned = zoned.map { owner in Owner(owner: owner, columns: sources[owner].flatMap { zones[$0] } ?? []) }
    }

    var isEmpty: Bool { owners.isEmpty }

    func columns(ofListBehind name: String) -> Columns {
        .init(values: columns[name] ?? [], zones: zones[name] ?? [])
    }
}

extension Campaign {
    /// Whose rows have the values for its messages. `nil` if one request reaches the whole target.
    func valueOwner(_ groups: [GroupName: Group]) -> RecipientIndex.Owner? {
        switch target.value {
        case .audience(let name): return .audience(name)
        case .registrations: return .campaign(name.value)
        case .group(let name):
            guard delivery.members == .each, let group = groups[name] else { return nil }
            return if case .audience(let members) = group.members { .audience(members.value) } else { .group(name) }
        case .topic, .condition: return nil
        }
    }
}

extension Campaign {
    /// The fields that have each recipient's zone, for its schedule and for its window; each once.
    ///
    /// - Parameter sources: those of its workspace (`Workspace.valueSources`).
    func zoneFields(_ groups: [GroupName: Group], _ sources: AudienceSources) -> [Field] {
        let names = Set(namesOfZones.map(\.value))
        guard !names.isEmpty, case .audience(let audience)? = valueOwner(groups) else { return [] }
        return (sources[audience]?.fields ?? []).map(\.value).filter { names.contains($0.name) && $0.kind == .timezone }
    }

    /// Whether its plans need rows of lists, and not only who is listed.
    fileprivate var needsRows: Bool {
        zoneField != nil || personal != nil || delivery.stages != nil || delivery.window?.field != nil
    }

    /// Whether they need rows whole, or at least their keys, and not only the zones that they name.
    fileprivate var needsValues: Bool { personal != nil || delivery.stages != nil }

    /// As its file, or the workspace's, names them.
    var namesOfZones: [Located<String>] { [zoneField, delivery.window?.field].compactMap(\.self) }
}

extension Workspace {
    /// The campaigns whose plans need rows of lists: few in most workspaces. All campaigns are looked at, so whoever needs
    /// them more than once keeps them.
    var campaignsWithRows: [Campaign] {
        // Looked at where they are: to copy each takes much longer.
        campaigns.indices.filter { campaigns[$0].needsRows }.map { campaigns[$0] }
    }

    /// Where the recipients of campaigns come from that need values of rows.
    var valueSources: AudienceSources { AudienceSources(campaignsWithRows.isEmpty ? [] : audiences) }

    /// The samples of the audience that a personal campaign goes to, as rows. Empty for other campaigns.
    package func samples(for campaign: Campaign) -> [FieldValues] {
        guard let messages = campaign.content.personal, case .audience(let name)? = campaign.valueOwner(groupsByName),
            let source = valueSources[name]
        else { return [] }
        return source.samples.map { sample in
            FieldValues(messages.content.fields.map { sample.value[$0.name]?.value })
        }
    }
}

extension AudienceSources {
    /// The path of the list that an owner's rows come from, as written. `nil` for registrations that stand in a file.
    func list(of owner: RecipientIndex.Owner) -> Located<String>? {
        guard case .audience(let name) = owner, case .list(let path, _)? = self[name]?.source else { return nil }
        return path
    }
}
