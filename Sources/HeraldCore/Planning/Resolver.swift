package import FCM

/// Turns the lists of a workspace into recipients: one for each installation, however often and by whatever
/// registration it is listed.
package struct Resolver {
    private let workspace: Workspace
    private let audiences: [String: Audience]
    private var ids: [RecipientKey: RecipientID] = [:]
    private var nextID: RecipientID
    private var members: [String: RecipientSet] = [:]
    private var listedRegistrations: Set<Registration> = []
    private var desired = Desired()

    /// The recipient keys that all lists name.
    package static func keys(in workspace: Workspace) -> Set<RecipientKey> {
        Set(workspace.audiences.flatMap { $0.registrations.map(\.recipientKey) })
    }

    /// - Parameter known: what the record knows of the workspace's recipient keys.
    package static func desired(
        of workspace: Workspace, known: [RecipientKey: KnownRecipient], next: RecipientID
    ) -> Desired {
        var resolver = Resolver(workspace, known, next)
        return resolver.resolve(known)
    }

    private init(_ workspace: Workspace, _ known: [RecipientKey: KnownRecipient], _ next: RecipientID) {
        self.workspace = workspace
        audiences = Dictionary(workspace.audiences.map { ($0.name.value, $0) }) { first, _ in first }
        ids = known.mapValues(\.id)
        nextID = next
    }

    private mutating func resolve(_ known: [RecipientKey: KnownRecipient]) -> Desired {
        var listed: [String: RecipientSet] = [:]
        for audience in workspace.audiences { listed[audience.name.value] = intern(audience) }
        for audience in workspace.audiences {
            desired.audienceSizes[audience.name.value] = resolve(audience.name.value, listed).count
        }
        for recipient in known.values {
            if let registration = desired.registrations[recipient.id], registration != recipient.registration {
                desired.unrecorded[recipient.id] = registration
            }
        }
        desired.collapsed += listedRegistrations.count - desired.registrations.count
        desired.topics = workspace.topics.map { topic in
            let excluded = union(topic.exclude)
            return DesiredTopic(
                name: topic.name.value, members: union(topic.subscribers).subtracting(excluded), prune: topic.prune)
        }
        desired.sends = workspace.campaigns.map { campaign in
            switch campaign.target.value {
            case .topic, .condition: DesiredSend(campaign: campaign, members: .target)
            case .audience(let name): DesiredSend(campaign: campaign, members: members[name] ?? [])
            case .group, .registrations: DesiredSend(campaign: campaign, members: [])
            }
        }
        return desired
    }

    private func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(members[$1.value] ?? []) }
    }

    /// Gives every listed installation its number; the record's where it has one.
    private mutating func intern(_ audience: Audience) -> RecipientSet {
        var set = RecipientSet()
        let registrations = audience.registrations
        for registration in registrations {
            let key = registration.recipientKey
            let id: RecipientID
            if let known = ids[key] {
                id = known
            } else {
                id = nextID
                nextID += 1
                ids[key] = id
                desired.unrecorded[id] = registration
            }
            set.insert(id)
            prefer(registration, for: id)
        }
        let distinct = Set(registrations)
        desired.collapsed += registrations.count - distinct.count
        listedRegistrations.formUnion(distinct)
        return set
    }

    /// A fid reaches an installation whatever its token; among tokens the one listed last is the newest we know.
    private mutating func prefer(_ registration: Registration, for id: RecipientID) {
        if registration.kind == .token, desired.registrations[id]?.kind == .fid { return }
        desired.registrations[id] = registration
        if desired.unrecorded[id] != nil { desired.unrecorded[id] = registration }
    }

    /// An audience's members after its exclusions. The loader has refused circles.
    private mutating func resolve(_ name: String, _ listed: [String: RecipientSet]) -> RecipientSet {
        if let known = members[name] { return known }
        var set = listed[name] ?? []
        for excluded in audiences[name]?.exclude ?? [] {
            set.subtract(resolve(excluded.value, listed))
        }
        members[name] = set
        return set
    }
}
