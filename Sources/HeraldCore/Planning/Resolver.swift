package import FCM

/// Turns the lists of a workspace into recipients: one for each installation, however often and by whatever
/// registration it is listed.
package struct Resolver {
    private let workspace: Workspace
    private let audiences: AudienceMembers
    private let suppressed: RecipientSet
    private let numbers: RecipientNumbers
    /// Of registrations that stand in a campaign or a group.
    private let inline: [[Registration]: RecipientSet]

    /// The recipient keys that all lists name.
    package static func keys(in workspace: Workspace) -> Set<RecipientKey> {
        var keys: Set<RecipientKey> = []
        for audience in workspace.audiences { keys.formUnion(audience.registrations.lazy.map(\.recipientKey)) }
        for list in workspace.inlineLists { keys.formUnion(list.map(\.recipientKey)) }
        return keys
    }

    /// - Parameter known: what the record knows of the workspace's recipient keys.
    package static func desired(
        of workspace: Workspace, known: [RecipientKey: KnownRecipient], next: RecipientID
    ) -> Desired {
        Resolver(workspace, known, next).desired(known)
    }

    /// An audience's recipients, one registration for each; `nil` when no file declares it.
    package static func registrations(ofAudience name: String, in workspace: Workspace) -> [Registration]? {
        guard workspace.audiences.contains(where: { $0.name.value == name }) else { return nil }
        let resolver = Resolver(workspace, [:], 1)
        return resolver.members(of: name).compactMap { resolver.numbers.registrations[$0] }
    }

    /// How many recipients each group has.
    static func groupSizes(in workspace: Workspace) -> [GroupName: Int] {
        guard !workspace.groups.isEmpty else { return [:] }
        var workspace = workspace
        let named = workspace.groups.compactMap { if case .audience(let name) = $0.members { name } else { nil } }
        workspace.audiences = workspace.audiences.inOrder(from: (named + workspace.settings.suppress).map(\.value))
        workspace.campaigns = []
        let resolver = Resolver(workspace, [:], 1)
        let sizes = workspace.groups.map { ($0.name.value, resolver.members(of: $0).count) }
        return Dictionary(sizes) { first, _ in first }
    }

    private init(_ workspace: Workspace, _ known: [RecipientKey: KnownRecipient], _ next: RecipientID) {
        var numbers = RecipientNumbers(known, next: next)
        var recipients: [String: [RecipientID]] = [:]
        for audience in workspace.audiences { recipients[audience.name.value] = numbers.number(audience) }
        var inline: [[Registration]: RecipientSet] = [:]
        for list in workspace.inlineLists { inline[list] = RecipientSet(numbers.number(list)) }
        self.workspace = workspace
        let names = workspace.audiences.map(\.name.value)
        audiences = AudienceMembers(workspace.audiences.inOrder(from: names), recipients: recipients)
        suppressed = audiences.union(workspace.settings.suppress)
        self.numbers = numbers
        self.inline = inline
    }

    private func desired(_ known: [RecipientKey: KnownRecipient]) -> Desired {
        var desired = Desired()
        for name in workspace.audiences.map(\.name.value) { desired.audienceSizes[name] = members(of: name).count }
        desired.registrations = numbers.registrations
        desired.unrecorded = numbers.unrecorded(known)
        desired.collapsed = numbers.collapsed
        desired.topics = workspace.topics.map { topic in
            let members = audiences.union(topic.subscribers).subtracting(audiences.union(topic.exclude))
            return DesiredTopic(
                name: topic.name.value, members: members.subtracting(suppressed), prune: topic.prune,
                previousNames: topic.previousNames.map(\.value))
        }
        desired.groups = workspace.groups.map { DesiredGroup(name: $0.name.value, members: members(of: $0)) }
        desired.sends = workspace.campaigns.map { DesiredSend(campaign: $0, members: recipients(of: $0)) }
        return desired
    }

    /// Whom a campaign's requests go to.
    private func recipients(of campaign: Campaign) -> RecipientSet {
        if campaign.target.value.isOneRequest(campaign.delivery) { return .target }
        let excluded = audiences.union(campaign.exclude)
        switch campaign.target.value {
        case .topic, .condition: return .target
        case .audience(let name): return members(of: name).subtracting(excluded)
        case .registrations(let listed): return (inline[listed] ?? []).subtracting(suppressed).subtracting(excluded)
        case .group(let name): return workspace.groups.first { $0.name.value == name }.map(members) ?? []
        }
    }

    private func members(of group: Group) -> RecipientSet {
        switch group.members {
        case .audience(let name): audiences[name.value].subtracting(suppressed)
        case .inline(let listed): (inline[listed] ?? []).subtracting(suppressed)
        }
    }

    /// An audience's members. An audience that is suppressed is still what it is.
    private func members(of name: String) -> RecipientSet {
        let isSuppressed = workspace.settings.suppress.contains { $0.value == name }
        return isSuppressed ? audiences[name] : audiences[name].subtracting(suppressed)
    }
}

extension RecipientNumbers {
    /// The recipients of an audience's own registrations, row by row; 0 for a row that its own filters leave out, which
    /// nothing else can bring in.
    fileprivate mutating func number(_ audience: Audience) -> [RecipientID] {
        guard case .list(let list) = audience.source, !audience.filters.isEmpty else {
            return number(audience.registrations)
        }
        let passes = list.passing(audience.filters)
        let rows = list.registrations.indices.filter(passes)
        var recipients = [RecipientID](repeating: 0, count: list.registrations.count)
        for (row, recipient) in zip(rows, number(rows.map { list.registrations[$0] })) { recipients[row] = recipient }
        return recipients
    }
}

extension Workspace {
    /// The registrations that stand in groups and campaigns.
    fileprivate var inlineLists: [[Registration]] {
        groups.compactMap { if case .inline(let listed) = $0.members { listed } else { nil } }
            + campaigns.compactMap { if case .registrations(let listed) = $0.target.value { listed } else { nil } }
    }
}
