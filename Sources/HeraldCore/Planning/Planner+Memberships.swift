internal import FCM

/// The steps that turn the recorded memberships of topics and groups into the desired ones.
extension Planner {
    mutating func planTopics(selected campaigns: Set<String>) {
        let targets = Set(targets(of: campaigns).flatMap(\.topics))
        let isSelected = { (name: TopicName) in campaigns.isEmpty || targets.contains(name) }
        if !recipientsOfFormers.isEmpty { takeLeftFormers() }
        for name in Set(topicMembers.keys).union(state.topics.keys).sorted()
        where successors[name] == nil && isSelected(name) {
            planOwnership(of: name)
            planTopic(name)
        }
        // All members join the new topic before any leaves the old one, but for those who are suppressed.
        for (old, successor) in successors.sorted(by: { $0.key < $1.key }) where isSelected(successor) {
            planOwnership(of: old)
            // Whom herald adopts moves as everybody does, and is no reason to let more of the others leave.
            let mine = mine(of: old)
            let leaving = isUndecided(successor) ? leaving(mine, successor) : mine.union(adopting(in: old))
            guard !leaving.isEmpty else { continue }
            let usual = "the topic is called '\(successor)' now"
            let reason = isUndecided(successor) ? reason(forLeaving: leaving, suppressed(in: successor), usual) : usual
            var leave = step(.unsubscribe(old, leaving), reason: reason)
            (leave.successor, leave.atOnce) = (successor, leaving.intersection(suppressed(in: successor)))
            memberships.append(leave)
            // Who leaves and does not join counts as leaving any topic does: a rename is no way around the guard.
            let people = people(mine)
            let lost = self.leaving(people, successor)
            if !lost.isEmpty {
                checkLeaves(of: .topic(old), leaving: lost.count, of: people.count, isDeleted: false)
            }
        }
    }

    /// A topic's leaves come before its joins.
    private mutating func planTopic(_ name: TopicName) {
        let recorded = state.topics[name] ?? RecordedTopic()
        let isDeleted = topicMembers[name] == nil && !awaitsFile(name)
        noteUndecided(.topic(name), topicMembers[name]?.undecided ?? [])
        let (mine, moving, listed) = (mine(of: name), moving(to: name), listed(in: name))
        let leaving = leaving(mine, name)
        let members = prunes(name) ? listed : listed.union(moving.subtracting(suppressed(in: name)))
        let away = away(from: name)
        if !away.isEmpty { overview.leftByThemselves[name] = away.count }
        let joining = isUndecided(name) ? [] : members.subtracting(recorded.subscribers).subtracting(away)
        if !leaving.isEmpty {
            let reason =
                isDeleted
                ? "no file declares the topic any more"
                : reason(
                    forLeaving: leaving, suppressed(in: name), "the files no longer list them",
                    mixed: ", or suppress them")
            memberships.append(step(.unsubscribe(name, leaving), reason: reason))
            let lost = people(leaving).subtracting(listed)
            if !lost.isEmpty {
                checkLeaves(of: .topic(name), leaving: lost.count, of: people(mine).count, isDeleted: isDeleted)
            }
        }
        if !joining.isEmpty {
            let reason =
                !recorded.isEmpty
                ? "the files list them"
                : !moving.isEmpty
                    ? "the topic has a new name"
                    : namesTakenBack(by: name).isEmpty ? "the topic is new" : "the topic has its earlier name again"
            var join = step(.subscribe(name, joining), reason: self.reason(forJoining: joining, name) ?? reason)
            join.adopts = topicMembers[name]?.adopt ?? false
            memberships.append(join)
        }
    }

    /// The recipients behind members. Some of those may stand for an earlier registration.
    func people(_ members: RecipientSet) -> RecipientSet {
        let earlier = members.intersection(formers)
        if earlier.isEmpty { return members }
        let recipients = Set(earlier.compactMap { state.formers[$0] })
        return members.subtracting(earlier).union(RecipientSet(recipients.sorted()))
    }

    /// The living members that the files ask for. Somebody may be named by nothing but dead registrations, while the state
    /// knows a living one: they join only if they are under one of the topic's earlier names.
    func listed(in topic: TopicName) -> RecipientSet {
        let wanted = topicMembers[topic]?.members ?? []
        let unreachable = wanted.intersection(unreachable)
        if unreachable.isEmpty { return wanted }
        return wanted.subtracting(unreachable.subtracting(moving(to: topic)))
    }

    /// Who of herald's own members of a topic is to leave it. Who is suppressed leaves, whatever the topic keeps.
    private func leaving(_ members: RecipientSet, _ topic: TopicName) -> RecipientSet {
        let unlisted = members.subtracting(listed(in: topic))
        return prunes(topic) ? unlisted : unlisted.intersection(suppressed(in: topic))
    }

    /// Who is suppressed, as far as that takes them out of a topic.
    func suppressed(in topic: TopicName) -> RecipientSet {
        topicMembers[topic]?.onlyExcludes == true ? [] : suppressed
    }

    /// - Parameter mixed: what is added where some of them are suppressed, and others not.
    private func reason(
        forLeaving members: RecipientSet, _ suppressed: RecipientSet, _ usual: String, mixed: String = ""
    ) -> String {
        let found = members.intersection(suppressed)
        return found.isEmpty ? usual : found == members ? "they are suppressed" : usual + mixed
    }

    /// Whether herald's own members leave whom the files do not list.
    func prunes(_ topic: TopicName) -> Bool {
        !isUndecided(topic) && topicMembers[topic]?.prune ?? !awaitsFile(topic)
    }

    /// Recipients that herald subscribed or adopted, and may unsubscribe. Dead ones are already out, even if a later step of the
    /// run that forgot them, or a crash, recorded them again.
    func mine(of topic: TopicName) -> RecipientSet {
        guard let recorded = state.topics[topic] else { return [] }
        let own = recorded.managed.union(recorded.subscribing)
        return living(
            keepsAdopted(topic) ? own.union(recorded.adopted) : own, listed: topicMembers[topic]?.members)
    }

    /// Without the dead, and without those whom lists name by dead registrations only. They stay as they are.
    private func living(_ members: RecipientSet, listed: RecipientSet?) -> RecipientSet {
        members.subtracting(state.dead).subtracting(unreachable.intersection(listed ?? []))
    }

    /// Those under the topic's earlier names. Without pruning they stay subscribers, so they join the new name. Whoever
    /// is there with an earlier registration joins with the newest, or with that one if the newest is dead.
    func moving(to topic: TopicName) -> RecipientSet {
        let members = earlierNames(of: topic).reduce(into: RecipientSet()) { $0.formUnion(mine(of: $1)) }
        let ofDead = members.intersection(formers).filter { former in
            state.formers[former].map { state.dead.contains($0) } ?? false
        }
        return people(members).subtracting(state.dead).union(RecipientSet(ofDead))
    }

    func earlierNames(of topic: TopicName) -> [TopicName] {
        (topicMembers[topic]?.previousNames ?? []).filter { successors[$0] == topic }
    }

    mutating func planGroups(selected campaigns: Set<String>) {
        let targets = Set(targets(of: campaigns).flatMap(\.groups))
        for name in Set(groupMembers.keys).union(state.groups.keys).sorted()
        where campaigns.isEmpty || targets.contains(name) {
            planGroup(name)
        }
    }

    /// Those who may be in a group because herald put them there.
    private func mine(of group: GroupName) -> RecipientSet {
        let recorded = state.groups[group]
        return living(recorded.map { $0.members.union($0.adding) } ?? [], listed: groupMembers[group]?.members)
    }

    /// The living members that the files ask for. While nobody knows who that is, those who are there and not suppressed.
    func liveMembers(of group: GroupName) -> RecipientSet {
        if isUndecided(group) { return mine(of: group).subtracting(suppressed) }
        return (groupMembers[group]?.members ?? []).subtracting(unreachable)
    }

    private mutating func planGroup(_ name: GroupName) {
        noteUndecided(.group(name), groupMembers[name]?.undecided ?? [])
        let recorded = state.groups[name]
        // Nobody leaves a group before it is made.
        if isUndecided(name), recorded?.key == nil { return }
        let (mine, members) = (mine(of: name), liveMembers(of: name))
        if members.isEmpty {
            let isDeclared = groupMembers[name] != nil
            if isDeclared, !isUndecided(name) {
                overview.warnings.append(
                    "group '\(name)' has no members: the files list nobody who is neither dead nor suppressed")
            }
            guard !mine.isEmpty else { return }
            let reason = isDeclared ? "nobody it lists is left" : "no file declares the group any more"
            appendGroupSteps([(.delete, mine)], of: name, reason: reason)
            let all = people(mine).count
            checkLeaves(of: .group(name), leaving: all, of: all, isDeleted: true)
            return
        }
        guard let recorded, recorded.key != nil else {
            // If the request to create the group has no answer, the group may exist with the members of that time. So
            // the same request is made again.
            let first = mine.subtracting(members).isEmpty ? members : mine
            let changes = Self.groupSteps(
                from: first, joining: members.subtracting(first), leaving: first.subtracting(members))
            appendGroupSteps([(.create, first)] + changes, of: name, reason: "the group is new")
            return
        }
        let leaving = mine.subtracting(members)
        let joining = isUndecided(name) ? [] : members.subtracting(recorded.members)
        appendGroupSteps(
            Self.groupSteps(from: mine, joining: joining, leaving: leaving), of: name,
            reason: "the files list other members")
        // An earlier registration makes room for the newer one, and its recipient stays.
        let lost = people(leaving).subtracting(members)
        if !lost.isEmpty {
            checkLeaves(of: .group(name), leaving: lost.count, of: people(mine).count, isDeleted: false)
        }
    }

    private mutating func appendGroupSteps(
        _ changes: [(action: Plan.GroupChange.Action, members: RecipientSet)], of name: GroupName, reason: String
    ) {
        var parts: [Plan.GroupChange.Action: Int] = [:]
        for (action, members) in changes {
            parts[action, default: 0] += 1
            let change = Plan.GroupChange(group: name, action: action, members: members, part: parts[action] ?? 1)
            let isLeave = change.action == .remove || change.action == .delete && groupMembers[name] != nil
            memberships.append(
                step(.group(change), reason: isLeave ? self.reason(forLeaving: members, suppressed, reason) : reason))
        }
    }

    /// Adds before it removes, as far as the limit on a group's members allows. The group is never empty in between,
    /// because FCM would forget it.
    static func groupSteps(
        from members: RecipientSet, joining: RecipientSet, leaving: RecipientSet
    ) -> [(action: Plan.GroupChange.Action, members: RecipientSet)] {
        var steps: [(action: Plan.GroupChange.Action, members: RecipientSet)] = []
        var (current, joining, leaving) = (members, joining, leaving)
        while !joining.isEmpty || !leaving.isEmpty {
            // Recipients that may be members already need no room.
            let known = joining.intersection(current)
            let room = max(0, Group.maximumMembers - current.count)
            let adding = known.union(RecipientSet(joining.subtracting(known).prefix(room)))
            if !adding.isEmpty {
                steps.append((.add, adding))
                current.formUnion(adding)
                joining.subtract(adding)
            }
            let isKept = !current.subtracting(leaving).isEmpty
            let removing = isKept ? leaving : RecipientSet(leaving.dropFirst())
            if !removing.isEmpty {
                steps.append((.remove, removing))
                current.subtract(removing)
                leaving.subtract(removing)
            }
            if adding.isEmpty, removing.isEmpty { break }
        }
        return steps
    }

    func targets(of campaigns: Set<String>) -> [Campaign.Target] {
        desired.sends.filter { campaigns.contains($0.campaign.name.value) }.map(\.campaign.target.value)
    }
}
