internal import FCM

/// Resolves the lists of a workspace to recipients. An installation is one recipient, however often it is listed and
/// with whatever registrations. It has many parts, because lists are read once and wanted for many things.
package struct Resolver {
    let workspace: Workspace
    private let rows: [RecipientIndex.Owner: RecipientSet]
    private let audiences: AudienceMembers
    /// The audiences as lists alone make them, whatever came of whom.
    private let listedAudiences: AudienceMembers
    /// The same, without those who opted out by now: for what has begun.
    private let begunAudiences: AudienceMembers
    /// Whether it is known who passes the outcomes that audiences go by.
    private let knowsOutcomes: Bool
    /// The audiences that may go by an occurrence that is being sent.
    private let unsettled: Set<String>
    /// The audiences of which nobody knows who is in them, because a list was not fetched.
    private let unfetched: Set<String>
    private let suppressed: RecipientSet
    private let listed: RecipientSet
    private var collapsed = 0
    private var unrecorded = 0
    private var registrations = Desired.Registrations()
    private var withOthers = RecipientSet()
    /// The finished pass.
    private let pass: RecipientPass
    let values: NewestValues
    /// What personal campaigns make of the rows of the owner that they go to, by the campaign's name.
    let judged: [String: JudgedRows]
    /// By `ZoneSorting.Send.key`.
    private let zones: [String: [Zone: RecipientSet]]

    /// Without a state nobody knows what came of whom. Audiences that go by it have everybody who may be in them.
    package static func desired(
        of workspace: Workspace, _ recipients: ListedRecipients
    ) throws(RecipientIndexError) -> Desired {
        try lists(of: workspace, recipients, nil).desired
    }

    /// - Parameters:
    ///   - limits: who passes the outcomes that audiences go by. `nil` if that is not known.
    ///   - key: a random key for digests of registrations, if the numbers of recipients are to be kept.
    package static func lists(
        of workspace: Workspace, _ recipients: ListedRecipients, _ limits: [String: OutcomeLimit]?,
        noting key: (UInt64, UInt64)? = nil
    ) throws(RecipientIndexError) -> ResolvedLists {
        let resolver = try Resolver(workspace, recipients, limits, for: workspace.personalSends, noting: key)
        let index = recipients.recipientIndex
        return ResolvedLists(
            try resolver.desired(), of: index, members: resolver.members(of: index), resolver.pass,
            withOthers: resolver.withOthers, zones: resolver.zones)
    }

    /// An audience's recipients. Empty if no file declares the audience.
    package static func members(
        ofAudience name: String, in workspace: Workspace, _ recipients: ListedRecipients
    ) throws(RecipientIndexError) -> RecipientSet {
        try Resolver(workspace, recipients).members(of: name)
    }

    /// Everybody in some audiences, also those whom `suppress` keeps from getting anything. Without a state nobody knows
    /// what came of whom.
    package static func everybody(
        inAudiences names: [String], of workspace: Workspace, _ recipients: ListedRecipients
    ) throws(RecipientIndexError) -> RecipientSet {
        let audiences = try Resolver(workspace, recipients).audiences
        return names.reduce(into: RecipientSet()) { $0.formUnion(audiences[$1]) }
    }

    /// How many recipients each group has, each audience of seeds, and each campaign with a live activity.
    static func sizes(
        in workspace: Workspace, _ recipients: ListedRecipients
    ) throws(RecipientIndexError) -> (groups: [GroupName: Int], seeds: [String: Int], activities: [String: Int]) {
        let (reduced, seeds) = (workspace.withSizesOnly, Set(workspace.seeds.map(\.value)))
        guard !reduced.groups.isEmpty || !reduced.campaigns.isEmpty || !seeds.isEmpty else { return ([:], [:], [:]) }
        let resolver = try Resolver(reduced, recipients)
        let sizes = reduced.groups.map { ($0.name.value, resolver.members(of: $0, in: resolver.audiences).count) }
        let activities = reduced.campaigns.map { campaign in
            (campaign.name.value, resolver.recipients(of: campaign).union(resolver.seeds(of: campaign)).count)
        }
        return (
            Dictionary(sizes) { first, _ in first },
            Dictionary(seeds.map { ($0, resolver.members(of: $0).count) }) { first, _ in first },
            Dictionary(activities) { first, _ in first }
        )
    }

    /// - Parameter sends: the personal campaigns whose rows are judged.
    private init(
        _ workspace: Workspace, _ recipients: ListedRecipients, _ limits: [String: OutcomeLimit]? = nil,
        for sends: [RowJudging.Send] = [], noting key: (UInt64, UInt64)? = nil
    ) throws(RecipientIndexError) {
        let index = recipients.recipientIndex
        // Rows that were matched used numbers with their own hash key, so the notes must use it too.
        let notes = key.map { key in
            RecipientNumbers.Notes(
                index.matched?.hash ?? SipHash(key: key), folder: index.temporaryFolder)
        }
        // Rows have few membership classes, so each recipient is inserted once for each class it has.
        var byMembershipClass = [RecipientSet](repeating: [], count: index.membershipClasses.count)
        var pass = try recipients.pass(noting: notes)
        var judging = RowJudging(for: sends, index.valued)
        var zones = ZoneSorting(index)
        while let recipient = try pass.next() {
            pass.eachNewest { owner, key, row in
                let row = ValueFile.Row(recipient.id, key: key, tail: row)
                judging.add(row, of: owner)
            }
            zones.add(recipient.id, pass)
            for mark in pass.marks {
                // Comparisons add classes while the pass goes on.
                while byMembershipClass.count <= Int(mark) { byMembershipClass.append([]) }
                byMembershipClass[Int(mark)].insert(recipient.id)
            }
            if recipient.hasOthers { withOthers.insert(recipient.id) }
            if recipient.isDead { registrations.dead.insert(recipient.id) }
            guard !recipient.isRecorded else { continue }
            unrecorded += 1
            if recipient.id < recipients.next { registrations.changed.insert(recipient.id) }
        }
        collapsed = pass.collapsed
        var (rows, listed): ([RecipientIndex.Owner: RecipientSet], RecipientSet) = ([:], [])
        for (membershipClass, members) in zip(pass.membershipClasses, byMembershipClass) {
            for owner in membershipClass.owners { rows[owner, default: []].formUnion(members) }
            listed.formUnion(members)
        }
        if let matched = index.matched {
            collapsed += matched.crossing
            withOthers.formUnion(matched.withOthers)
            registrations.dead.formUnion(matched.dead)
            for (source, known) in zip(index.sources, matched.sources) {
                collapsed += known.repeated
                for (owner, members) in zip(source.owners, known.members) {
                    rows[owner, default: []].formUnion(members)
                    listed.formUnion(members)
                }
            }
        }
        self.pass = pass
        self.zones =
            index.matched?.zones
            ?? zones.byKey(for: workspace.sendsByZone, pass.membershipClasses, byMembershipClass)
        values = NewestValues(of: recipients)
        judged = Dictionary(zip(sends.map(\.campaign), judging.finish())) { first, _ in first }
        self.workspace = workspace
        (self.rows, self.listed) = (rows, listed)
        let names = workspace.audiences.map(\.name.value)
        let ordered = workspace.audiences.inOrder(from: names)
        audiences = AudienceMembers(ordered, limits) { rows[.audience($0)] ?? [] }
        knowsOutcomes = limits != nil
        unsettled = Set((limits ?? [:]).filter { !$0.value.isSettled }.keys)
        unfetched = workspace.dependents(of: workspace.unfetched)
        if limits == nil || !workspace.goesByOutcomes {
            (listedAudiences, begunAudiences) = (audiences, audiences)
        } else {
            listedAudiences = AudienceMembers(ordered, nil) { rows[.audience($0)] ?? [] }
            begunAudiences = AudienceMembers(ordered, nil, optingOut: audiences) { rows[.audience($0)] ?? [] }
        }
        suppressed = audiences.leavingOut(workspace.settings.suppress)
    }

    /// The members that each source names.
    private func members(of index: RecipientIndex) -> [SourceMembers] {
        var members = index.sources.enumerated().map { place, source in
            let known = index.matched?.sources[place]
            return SourceMembers(
                members: source.owners.map { rows[$0] ?? [] }, repeated: known?.repeated ?? 0,
                isPlain: known?.isPlain ?? true)
        }
        var places: [RecipientIndex.Owner: Int] = [:]
        for (place, source) in index.sources.enumerated() {
            for owner in source.owners { places[owner] = place }
        }
        for (mark, membershipClass) in index.membershipClasses.enumerated() {
            // All owners of a row take it from the same source.
            guard let place = membershipClass.owners.first.flatMap({ places[$0] }) else { continue }
            members[place].repeated += pass.repeated[mark]
            if pass.mixedMarks.contains(UInt32(mark)) { members[place].isPlain = false }
        }
        return members
    }

    private func desired() throws(RecipientIndexError) -> Desired {
        var desired = Desired()
        for audience in workspace.audiences {
            let name = audience.name.value
            desired.audienceSizes[name] = size(of: name)
            desired.audiencePreviousNames[name] = audience.previousNames.map(\.value)
        }
        desired.leavingOut = workspace.leavingOut
        (desired.listed, desired.unrecorded, desired.collapsed) = (listed, unrecorded, collapsed)
        (desired.registrations, desired.suppressed) = (registrations, suppressed)
        desired.leftOut = workspace.audiences.flatMap { pass.leftOut(of: $0) }
        let excluding = workspace.topicsThatOnlyExclude
        desired.topics = workspace.topics.map { topic in
            let listed = audiences.union(topic.subscribers)
            let onlyExcludes = excluding.contains(topic.name.value)
            let members = listed.subtracting(audiences.leavingOut(topic.exclude))
                .subtracting(onlyExcludes ? [] : suppressed)
            var desired = DesiredTopic(
                name: topic.name.value, members: members, prune: topic.prune,
                isOfApp: topic.isOfApp, drift: topic.drift, adopt: topic.adopt,
                previousNames: topic.previousNames.map(\.value))
            (desired.onlyExcludes, desired.leftOut) = (onlyExcludes, listed.subtracting(members))
            let deciding = (topic.subscribers + topic.exclude).map(\.value)
            desired.goesByOutcomes = goesByOutcomes(deciding)
            desired.undecided = undecided(among: deciding)
            if !desired.undecided.isEmpty { desired.members = [] }
            return desired
        }
        desired.groups = workspace.groups.map { group in
            var desired = DesiredGroup(name: group.name.value, members: members(of: group, in: audiences))
            let deciding = if case .audience(let name) = group.members { [name.value] } else { [String]() }
            desired.goesByOutcomes = goesByOutcomes(deciding)
            desired.undecided = undecided(among: deciding)
            if !desired.undecided.isEmpty { desired.members = [] }
            return desired
        }
        let (groups, sources) = (workspace.groupsByName, workspace.valueSources)
        for campaign in workspace.campaigns {
            var send = DesiredSend(campaign: campaign, members: recipients(of: campaign))
            send.goesByOutcomes = goesByOutcomes(workspace.audiences(decidingOf: campaign))
            send.undecided = undecided(among: workspace.audiences(decidingOf: campaign))
            if send.goesByOutcomes {
                send.listed = self.recipients(of: campaign, in: begunAudiences)
                let deciding = workspace.audiences(decidingOf: campaign)
                send.isListUndecided = begunAudiences.isUndecided(campaign, deciding: deciding)
                let itself: Set = [campaign.name.value]
                send.undecidedByItself = Set(send.undecided.filter { audiences.undecided[$0] == itself })
                send.isSettled = unsettled.isDisjoint(with: deciding)
            }
            if !unfetched.isDisjoint(with: send.undecided) { send.isListUndecided = true }
            if !send.undecidedByOthers.isEmpty { send.members = recipients(of: campaign, in: listedAudiences) }
            send.isKnown = knowsOutcomes || !send.goesByOutcomes
            for field in campaign.zoneFields(groups, sources) {
                let key = campaign.valueOwner(groups).map { ZoneSorting.key(of: $0, field.column) }
                // A send that has begun goes on whatever came of its people since.
                let byZone = (key.flatMap { zones[$0] } ?? [:])
                    .mapValues { $0.intersection(send.members.union(send.listed ?? [])) }.filter { !$0.value.isEmpty }
                send.zones[field.name] = byZone
                let named = byZone.values.reduce(0) {
                    $0 + (send.listed == nil ? $1 : $1.intersection(send.members)).count
                }
                send.zonesDefaulted = max(send.zonesDefaulted, send.members.count - named)
            }
            if let owner = campaign.valueOwner(groups) {
                addSeeds(to: &send)
                try addRows(of: owner, to: &send)
                if campaign.content.personal != nil { send.list = sources.list(of: owner)?.value }
            }
            desired.sends.append(send)
        }
        return desired
    }

    /// Adds the seeds, whether the target has them or not.
    private func addSeeds(to send: inout DesiredSend) {
        send.seeds = seeds(of: send.campaign)
        if send.seeds.isEmpty { return }
        send.guests = send.seeds.subtracting(send.members)
        send.members.formUnion(send.guests)
    }

    private func seeds(of campaign: Campaign) -> RecipientSet {
        if campaign.seeds.isEmpty { return [] }
        let excluded = suppressed.union(audiences.union(campaign.without))
        return audiences.union(campaign.seeds).subtracting(excluded)
    }

    /// The recipients of a campaign's requests.
    private func recipients(of campaign: Campaign) -> RecipientSet { recipients(of: campaign, in: audiences) }

    private func recipients(of campaign: Campaign, in audiences: AudienceMembers) -> RecipientSet {
        if campaign.target.value.isOneRequest(campaign.delivery) { return .target }
        // Whom outcomes suppress is left out of what has begun, too.
        let excluded = audiences.leavingOut(campaign.exclude).union(self.audiences.leavingOut(campaign.suppressed))
        switch campaign.target.value {
        case .topic, .condition: return .target
        case .audience(let name): return members(of: name, in: audiences).subtracting(excluded)
        case .registrations:
            let members = rows[.campaign(campaign.name.value)] ?? []
            return members.subtracting(suppressed).subtracting(excluded)
        case .group(let name):
            let group = workspace.groups.first { $0.name.value == name }
            return (group.map { members(of: $0, in: audiences) } ?? []).subtracting(excluded)
        }
    }

    private func members(of group: Group, in audiences: AudienceMembers) -> RecipientSet {
        let members =
            switch group.members {
            case .audience(let name): audiences[name.value]
            case .inline: rows[.group(group.name.value)] ?? []
            }
        return members.subtracting(suppressed)
    }

    /// An audience's members. A suppressed audience that is asked for by name has its own members, except those whom
    /// another one suppresses.
    private func members(of name: String) -> RecipientSet { members(of: name, in: audiences) }

    private func members(of name: String, in audiences: AudienceMembers) -> RecipientSet {
        guard isSuppressed(name) else { return audiences[name].subtracting(suppressed) }
        let others = workspace.settings.suppress.filter { $0.value != name }
        return audiences[name].subtracting(audiences.leavingOut(others))
    }

    /// Those of these audiences, and of those whom `suppress` names, of which nobody knows yet who is in them.
    private func undecided(among names: @autoclosure () -> [String]) -> [String] {
        // Most workspaces have none, and many campaigns.
        if audiences.undecided.isEmpty, unfetched.isEmpty { return [] }
        let deciding = Set(names() + workspace.settings.suppress.map(\.value))
        return deciding.filter { audiences.undecided[$0] != nil || unfetched.contains($0) }.sorted()
    }

    /// Whether what came of a campaign decides who is in these audiences, or whom `suppress` names.
    private func goesByOutcomes(_ names: @autoclosure () -> [String]) -> Bool {
        // Most workspaces have no such audience, and many campaigns.
        !audiences.goingByOutcomes.isEmpty
            && (names() + workspace.settings.suppress.map(\.value)).contains(where: audiences.goingByOutcomes.contains)
    }

    /// How many recipients an audience has, for guards. A suppressed audience takes all its members out of the others,
    /// so all of them count. What came of whom changes from one occurrence to the next, so it does not count.
    private func size(of name: String) -> Int {
        let isByTag = workspace.settings.suppressedByTag.contains { $0.audience.value == name }
        if isSuppressed(name) || isByTag { return listedAudiences[name].count }
        return listedAudiences[name].subtracting(listedAudiences.leavingOut(workspace.settings.suppress)).count
    }

    private func isSuppressed(_ audience: String) -> Bool {
        workspace.settings.suppress.contains { $0.value == audience }
    }
}
