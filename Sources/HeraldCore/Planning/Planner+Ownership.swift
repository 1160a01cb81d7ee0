internal import FCM

/// Memberships that others made or ended: `adopt` and `drift` of a topic.
extension Planner {
    /// What the files say of a topic, also under an earlier name.
    private func declaration(of topic: TopicName) -> DesiredTopic? { topicMembers[successors[topic] ?? topic] }

    /// Whether plans leave the topic alone, but for the suppressed: it was imported, and no file has declared it since.
    func awaitsFile(_ topic: TopicName) -> Bool {
        declaration(of: topic) == nil && state.topics[topic]?.awaitsFile ?? false
    }

    /// What of a topic the state must learn, and nothing at FCM changes for.
    mutating func planOwnership(of topic: TopicName) {
        guard let recorded = state.topics[topic], !awaitsFile(topic) else { return }
        let declaration = declaration(of: topic)
        // While nobody knows who is listed, whoever left by themselves stays marked.
        if declaration?.undecided.isEmpty ?? true { noteLeft(recorded.left, topic) }
        guard let declared = declaration else { return }
        if recorded.awaitsFile { plan.notes.append(.awaitFile(topic, false)) }
        let adopting = adopting(in: topic)
        let (members, action): (RecipientSet, Plan.Adoption.Action) =
            declared.adopt ? (adopting, .adopt) : (recorded.adopted, .giveBack)
        guard !members.isEmpty else { return }
        let adoption = Plan.Adoption(
            topic: topic, declared: declared.name, action: action, members: members,
            all: recorded.preexisting.count + (action == .giveBack ? recorded.adopted.count : 0))
        let reason =
            declared.adopt
            ? "others subscribed them, and the file says 'adopt: true'" : "the file does not say 'adopt: true' any more"
        memberships.append(step(.adopt(adoption), reason: reason))
    }

    // MARK: Adopting

    /// Those whom others subscribed and the files list, and who count as herald's from now on.
    func adopting(in topic: TopicName) -> RecipientSet {
        guard let declared = declaration(of: topic), declared.adopt, declared.undecided.isEmpty else { return [] }
        return (state.topics[topic]?.preexisting ?? []).intersection(listed(in: declared.name))
    }

    /// Whether herald may unsubscribe whom it adopted. They leave with a topic that no file declares any more.
    func keepsAdopted(_ topic: TopicName) -> Bool { declaration(of: topic)?.adopt ?? true }

    // MARK: Who left by themselves

    /// Those whom the files list and who stay out, because they left by themselves. Who is suppressed and listed all the
    /// same joins again: the topic keeps messages from them.
    func away(from topic: TopicName) -> RecipientSet {
        guard topicMembers[topic]?.drift == .keep else { return [] }
        let recorded = state.topics[topic] ?? RecordedTopic()
        let others = earlierNames(of: topic) + namesTakenBack(by: topic)
        let earlier = others.reduce(into: RecipientSet()) {
            $0.formUnion(state.topics[$1]?.left ?? [])
        }
        let left = recorded.left.union(earlier.subtracting(recorded.recipients.all))
        return left.intersection(listed(in: topic)).subtracting(suppressed)
    }

    /// `nil` if none of them had left by themselves.
    func reason(forJoining members: RecipientSet, _ topic: TopicName) -> String? {
        let returning = members.intersection(state.topics[topic]?.left ?? [])
        if returning.isEmpty { return nil }
        guard returning == members else {
            return "the files list them; \(returning.count.grouped) of them left by themselves"
        }
        return topicMembers[topic]?.drift == .restore
            ? "they left by themselves, and the file says 'drift: restore'"
            : "they left by themselves, and are suppressed: the topic keeps messages from them"
    }

    /// That somebody left belongs to the recipient: of an earlier registration it says so, too, unless another one of theirs
    /// is in the topic.
    mutating func takeLeftFormers() {
        for (name, topic) in state.topics.sorted(by: { $0.key < $1.key }) where !topic.left.isEmpty {
            let recipients = recipientsOfFormers.filter { topic.left.contains($0.key) }
            guard !recipients.isEmpty else { continue }
            let notes: [StateChange] = [
                .reclassify(name, RecipientSet(recipients.keys.sorted()), .unlisted),
                .reclassify(name, RecipientSet(Set(recipients.values).sorted()), .leftEarlierName),
            ]
            for note in notes { state.apply(note) }
            plan.notes += notes
        }
    }

    /// Whoever had left by themselves and is not listed any more may come back as anybody does. Whom the files only
    /// leave out is listed all along.
    private mutating func noteLeft(_ left: RecipientSet, _ topic: TopicName) {
        let declared = declaration(of: topic)
        let takenBack = declared?.drift == .keep ? namesTakenBack(by: topic) : []
        if left.isEmpty, takenBack.isEmpty { return }
        let named = declared.map { $0.members.union($0.leftOut) } ?? []
        let listed = left.intersection(named)
        var over = left.subtracting(listed)
        if !over.isEmpty, staysMarked(topic, named) { over = [] }
        if let successor = successors[topic] {
            if !listed.isEmpty, topicMembers[successor]?.drift == .keep {
                plan.notes.append(.reclassify(successor, listed, .leftEarlierName))
            }
            over.formUnion(listed)
        }
        if !over.isEmpty { plan.notes.append(.reclassify(topic, over, .unlisted)) }
        if takenBack.isEmpty { return }
        let known = state.topics[topic]?.recipients.all ?? []
        for name in takenBack {
            let back = (state.topics[name]?.left ?? []).intersection(named).subtracting(known)
            if !back.isEmpty { plan.notes.append(.reclassify(topic, back, .leftEarlierName)) }
        }
    }

    /// Whether whoever left a topic by themselves stays marked, although the files do not name them there.
    private func staysMarked(_ topic: TopicName, _ named: RecipientSet) -> Bool {
        if declaration(of: topic) != nil { return mayLackMembers(topic, named) }
        return goneTopicsLeft.contains(topic) && topicMembers.keys.contains { isTakenBack(topic, by: $0) }
    }

    /// The names that a topic had until now, if it has an earlier one again: no file declares them, most of their people are
    /// listed for the topic, and herald put its own members elsewhere. Who left by themselves stays out.
    func namesTakenBack(by topic: TopicName) -> [TopicName] { goneTopicsLeft.filter { isTakenBack($0, by: topic) } }

    private func isTakenBack(_ name: TopicName, by topic: TopicName) -> Bool {
        guard let declared = topicMembers[topic], state.topics[topic] != nil,
            let left = state.topics[name]?.left, !left.isEmpty
        else { return false }
        if sizes != nil { return true }
        guard mine(of: topic).isEmpty else { return false }
        // Nobody knows yet who is listed.
        if !declared.undecided.isEmpty { return true }
        let all = people(mine(of: name)).union(left)
        return all.intersection(declared.members.union(declared.leftOut)).count * 2 > all.count
    }

    /// Whether lists name so few of a topic's people that one of them may be broken, whoever of those may leave it.
    private func mayLackMembers(_ topic: TopicName, _ named: RecipientSet) -> Bool {
        guard let recorded = state.topics[topic] else { return false }
        let known = people(recorded.subscribers.union(recorded.subscribing).union(recorded.left))
            .subtracting(state.dead)
        return isTooMany(known.subtracting(named).count, of: known.count)
    }
}
