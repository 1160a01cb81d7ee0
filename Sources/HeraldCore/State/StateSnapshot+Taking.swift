internal import Crypto
package import FCM

extension StateSnapshot {
    /// Reads the store as it is now. Runs may go on meanwhile.
    package static func take(from store: any StateStore, at now: Date) async throws -> StateSnapshot {
        let state = try await store.snapshot()
        // Counted last: a death that comes in between makes the bounds wider, and not wrong.
        return StateSnapshot(state, tombstones: try await store.tombstoneCount(), at: now)
    }

    package init(_ state: RecordedState, tombstones: Int, at now: Date) {
        self.init(identity: state.identity, serial: state.serial, time: now)
        let formers = RecipientSet(state.formers.keys.sorted())
        sizes.topics = state.topics.mapValues { Topic($0, dead: state.dead, formers) }
        for (name, group) in state.groups { sizes.groups[digest(of: name)] = Group(group, dead: state.dead, formers) }
        sizes.known = state.knownCount
        sizes.dead = state.dead.count
        sizes.tombstones = max(tombstones, sizes.dead)
        occurrences = state.occurrences.mapValues { Occurrence(counting: $0, dead: state.dead) }
        (watermarks, formerNames, pauses) = (state.watermarks, state.formerNames, state.pauses)
        (topicAPI, sendQuota, audienceSizes) = (state.topicAPI, state.sendQuota, state.audienceSizes)
        (lastRun, goneAudiences, waited) = (state.lastRun, state.goneAudiences, state.waited)
        let refusals = state.lastRun?.refusals ?? []
        for (place, refusal) in refusals.enumerated() {
            lastRun?.refusals[place].step = Self.digest(of: refusal.step, in: identity.lineage)
        }
        tested = Set(state.tests.map(\.campaign))
        let approved = state.approvals.map { (hidingGroup(in: $0), Approved(digest: $1.digest, size: $1.size)) }
        approvals = Dictionary(approved) { first, _ in first }
    }

    /// What was approved, as the state names it, with a digest for the name of a group.
    private func hidingGroup(in resource: String) -> String {
        let kind = "group:"
        guard resource.hasPrefix(kind) else { return resource }
        return kind + Self.digest(of: String(resource.dropFirst(kind.count)), in: identity.lineage)
    }

    /// What stands for a group's name, which may name a person. Whoever knows the name can find it again.
    package func digest(of group: GroupName) -> String { Self.digest(of: group.rawValue, in: identity.lineage) }

    /// The same for any name, in the snapshot of a state.
    static func digest(of name: String, in lineage: String) -> String {
        "sha256:" + SHA256.hash(data: Array("\(lineage)\0\(name)".utf8)).hexadecimal
    }
}

extension StateSnapshot.Topic {
    fileprivate init(_ topic: RecordedTopic, dead: RecipientSet, _ formers: RecipientSet) {
        self.init()
        managed = topic.managed.subtracting(dead).subtracting(formers).count
        subscribing = topic.subscribing.subtracting(dead).subtracting(formers).count
        preexisting = topic.preexisting.subtracting(formers).count
        adopted = topic.adopted.subtracting(dead).subtracting(formers).count
        left = topic.left.subtracting(dead).count
        awaitsFile = topic.awaitsFile
        former = topic.managed.union(topic.subscribing).union(topic.adopted).intersection(formers).count
    }
}

extension StateSnapshot.Group {
    fileprivate init(_ group: RecordedGroup, dead: RecipientSet, _ formers: RecipientSet) {
        self.init()
        members = group.members.subtracting(dead).count
        adding = group.adding.subtracting(dead).count
        hasKey = group.key != nil
        former = group.recipients.union(of: GroupMembership.own).subtracting(dead).intersection(formers).count
    }
}

extension StateSnapshot.Occurrence {
    fileprivate init(counting occurrence: RecordedOccurrence, dead: RecipientSet) {
        let counts = occurrence.counts
        // They may be part of it again.
        let released = occurrence.released.count
        let entries = LedgerEntry.allCases.map { ($0, counts[$0] - ($0 == .skipped ? released : 0)) }
        var recorded = occurrence
        (recorded.target, recorded.classes, recorded.waves) = ("", Partition(), Partition())
        recorded.outcomes = .counts(
            LedgerCounts(entries: Dictionary(uniqueKeysWithValues: entries), isUntried: occurrence.endedUntried))
        recorded.stages = occurrence.stagesByNow(dead: dead)
        let isOpen = occurrence.finished == nil
        self.init(recorded, whole: isOpen ? occurrence.ledger?.entries.state(of: 0) : nil)
    }
}

extension RecordedOccurrence {
    /// Its stages with what came of the last one by now: counts do not say how many of the rejected are dead. A halted
    /// one keeps what it was halted for.
    fileprivate func stagesByNow(dead: RecipientSet) -> [RecordedStage] {
        guard var last = stages.last, let ledger, finished == nil, halt != .stage || last.figures == nil else {
            return stages
        }
        last.figures = StageFigures(ledger, dead: dead) - last.before
        return stages.dropLast() + [last]
    }
}
