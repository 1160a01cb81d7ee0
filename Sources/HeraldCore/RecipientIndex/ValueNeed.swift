internal import FCM

/// Whose rows' values are needed: by personal messages, and by windows that go by each recipient's zone. Stages need no
/// values, but the keys that the rows come with.
struct ValueNeed {
    /// Somebody's rows, and the columns whose values they bring.
    struct Owner: Hashable, Sendable {
        var owner: RecipientIndex.Owner
        /// In the order in which rows pack them. Empty for registrations that stand in a file.
        var columns: [String]
    }

    /// The audiences that such campaigns go to, and personal campaigns with registrations of their own; each once.
    let owners: [Owner]
    /// The columns to keep of the list of an audience with its own source.
    private let columns: [String: [String]]
    /// Whether nothing is needed but zones, which the cache of lists can keep.
    let isForZonesAlone: Bool

    init(_ workspace: Workspace) {
        let groups = workspace.groupsByName
        var owners: [RecipientIndex.Owner] = []
        var columns: [String: [String]] = [:]
        let ends = workspace.valueSources
        var sources: [RecipientIndex.Owner: String] = [:]
        for campaign in workspace.campaigns {
            let zones = campaign.zoneFields(groups, ends).map(\.column)
            guard campaign.needsRows, let owner = campaign.valueOwner(groups) else { continue }
            if !owners.contains(owner) { owners.append(owner) }
            if campaign.content.personal != nil, let seeds = campaign.delivery.stages?.seeds {
                let owner = RecipientIndex.Owner.audience(seeds.value)
                if !owners.contains(owner) { owners.append(owner) }
            }
            guard case .audience(let name) = owner, let source = ends[name]?.name.value
            else { continue }
            sources[owner] = source
            let fields = campaign.content.personal?.content.fields ?? []
            for column in fields.map(\.column) + zones
            where !columns[source, default: []].contains(column) {
                columns[source, default: []].append(column)
            }
        }
        self.columns = columns
        isForZonesAlone = workspace.campaigns.allSatisfy { $0.personal == nil && $0.delivery.stages == nil }
        self.owners = owners.map { owner in Owner(owner: owner, columns: sources[owner].flatMap { columns[$0] } ?? []) }
    }

    var isEmpty: Bool { owners.isEmpty }

    func columns(ofListBehind name: String) -> [String] { columns[name] ?? [] }
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
    var needsRows: Bool { personal != nil || !namesOfZones.isEmpty || delivery.stages != nil }

    /// As its file, or the workspace's, names them.
    var namesOfZones: [Located<String>] { [zoneField, delivery.window?.field].compactMap(\.self) }
}

extension Workspace {
    /// Where the recipients of campaigns come from that need values of rows.
    var valueSources: AudienceSources {
        AudienceSources(campaigns.contains(where: \.needsRows) ? audiences : [])
    }

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
