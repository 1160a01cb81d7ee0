internal import FCM

extension StateSnapshot {
    /// A state with this history and these sizes. Of all that have them it is the one nearest to what the files ask for:
    /// a plan made from it changes no more members than the sizes differ. Nobody in it is dead.
    func likeness(nearestTo desired: Desired) -> RecordedState {
        var state = RecordedState(identity: identity)
        state.serial = serial
        (state.watermarks, state.formerNames, state.pauses) = (watermarks, formerNames, pauses)
        (state.topicAPI, state.sendQuota, state.audienceSizes) = (topicAPI, sendQuota, audienceSizes)
        (state.goneAudiences, state.waited) = (goneAudiences, waited)
        state.tests = tested.sorted().map {
            RecordedTest(campaign: $0, at: time, accepted: 0, rejected: 0, unknown: 0)
        }
        let crowd = Crowd(besides: desired)
        state.occurrences = occurrences.mapValues { $0.likeness(in: crowd) }
        let (wanted, successors) = (desired.topicMembers, desired.successors)
        for (name, size) in sizes.topics {
            let listed = wanted[successors[name] ?? name]?.members
            // Earlier registrations stay with their recipients. Without a list under that name, all of them leave.
            let isLeft = listed == nil || successors[name] != nil
            state.topics[name] = crowd.topic(size, former: isLeft ? size.former : 0, nearestTo: listed ?? [])
        }
        var names: [String: DesiredGroup] = [:]
        for group in desired.groups { names[digest(of: group.name)] = group }
        let named = { (digest: String) in names[digest]?.name ?? GroupName(rawValue: Self.shown(digest)) }
        for (digest, size) in sizes.groups {
            guard let name = named(digest) else { continue }
            state.groups[name] = crowd.group(size, nearestTo: names[digest]?.members ?? [])
        }
        for (resource, approved) in approvals ?? [:] {
            guard var key = Definition.Key(resource) else { continue }
            if key.kind == .group { key.name = named(key.name)?.rawValue ?? key.name }
            state.approvals[key.text] = RecordedApproval(
                digest: approved.digest, size: approved.size, by: "somebody", at: time)
        }
        return state
    }

    /// What stands for the name of a group that no file declares.
    private static func shown(_ digest: String) -> String { String(digest.prefix(23)) }

    /// The sizes of a group of the likeness.
    func group(shownAs name: GroupName) -> Group? {
        sizes.groups[digest(of: name)] ?? sizes.groups.first { Self.shown($0.key) == name.rawValue }?.value
    }
}

extension StateSnapshot.Occurrence {
    /// With a ledger as long as it is open. None of the listed recipients is in it.
    fileprivate func likeness(in crowd: Crowd) -> RecordedOccurrence {
        guard recorded.finished == nil else { return recorded }
        var occurrence = recorded
        var (ledger, draw) = (Ledger(), Draw(from: [], in: crowd))
        for entry in LedgerEntry.allCases {
            ledger.move(draw.take(recorded.counts[entry] - (entry == whole ? 1 : 0)), to: entry)
        }
        if let whole { ledger.move(.target, to: whole) }
        occurrence.outcomes = .ledger(ledger)
        return occurrence
    }
}

/// Recipients that no list names. They stand for those whom a snapshot only counts.
private struct Crowd {
    let first: RecipientID

    init(besides desired: Desired) { first = (desired.listed.last ?? 0) + 1 }

    func topic(_ size: StateSnapshot.Topic, former: Int, nearestTo listed: RecipientSet) -> RecordedTopic {
        var (topic, draw) = (RecordedTopic(), Draw(from: listed, in: self))
        topic.managed = draw.take(size.managed)
        topic.subscribing = draw.take(size.subscribing)
        topic.adopted = draw.take(size.adopted)
        topic.preexisting = draw.take(size.preexisting)
        topic.left = draw.take(size.left)
        topic.awaitsFile = size.awaitsFile
        topic.recipients.move(draw.take(former), to: .managed)
        return topic
    }

    func group(_ size: StateSnapshot.Group, nearestTo listed: RecipientSet) -> RecordedGroup {
        var (group, draw) = (RecordedGroup(), Draw(from: listed, in: self))
        group.key = size.hasKey ? NotificationKey(rawValue: "snapshot") : nil
        group.members = draw.take(size.members)
        group.adding = draw.take(size.adding)
        return group
    }
}

/// Takes listed recipients as long as there are any, and then others.
private struct Draw {
    private var listed: RecipientSet
    private var next: RecipientID

    init(from listed: RecipientSet, in crowd: Crowd) { (self.listed, next) = (listed, crowd.first) }

    mutating func take(_ count: Int) -> RecipientSet {
        let near = RecipientSet(listed.prefix(count))
        listed.subtract(near)
        let far = next..<(next + RecipientID(count - near.count))
        next = far.upperBound
        return near.union(RecipientSet(far))
    }
}
