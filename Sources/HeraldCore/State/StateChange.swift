package import FCM

/// One thing that is written down. A store applies several at once, durably, or none.
package enum StateChange: Hashable, Sendable {
    /// Gives recipients their numbers, or a recipient a newer registration.
    case intern([RecipientID: Registration])
    case spendPlan(String)
    /// Puts recipients into one relation to a topic, and out of the others; `nil`: into none.
    case members(TopicName, RecipientSet, Membership?, at: Date)
    /// What a group is reached by; `nil` while its making is under way.
    case groupKey(GroupName, NotificationKey?)
    /// Puts recipients into one relation to a group, and out of the other; `nil`: into none.
    case groupMembers(GroupName, RecipientSet, GroupMembership?)
    /// Opens an occurrence, or gives one that nobody was tried for its new content. What came of it stays.
    case open(OccurrenceID, RecordedOccurrence)
    /// Moves recipients to an entry, and out of the others; `nil`: back to not tried.
    case outcome(OccurrenceID, RecipientSet, LedgerEntry?)
    /// Moves recipients to the rejected ones, and says why.
    case reject(OccurrenceID, RecipientSet, code: String)
    case finish(OccurrenceID, at: Date)
    /// Takes the end back: somebody is to be tried again.
    case reopen(OccurrenceID)
    /// Forgets dead recipients: no plan has them any more, and they are out of every topic.
    case forget(RecipientSet)
    case audienceSizes([String: Int])
    case watermark(String, Watermark)
    /// Gives a campaign the history of another name.
    case rename(campaign: String, to: String)
    /// `nil`: every campaign.
    case pause(String?)
    case resume(String?)
    case topicAPI(TopicAPI)
    case test(RecordedTest)
    /// Brings a tombstone back to life.
    case revive(RecipientSet)
    case drop(Resource)

    /// What can be taken out of a state without touching FCM.
    package enum Resource: Hashable, Sendable {
        case topic(TopicName)
        case group(GroupName)
        /// With all its occurrences.
        case campaign(String)
        case occurrence(OccurrenceID)
    }
}

/// In what relation a recipient stands to a group.
package enum GroupMembership: Int, Hashable, Sendable, CaseIterable {
    case adding = 0
    case member = 1
}

extension RecordedGroup {
    package subscript(membership: GroupMembership) -> RecipientSet {
        get {
            switch membership {
            case .adding: adding
            case .member: members
            }
        }
        set {
            switch membership {
            case .adding: adding = newValue
            case .member: members = newValue
            }
        }
    }
}

extension RecordedState {
    /// What the changes make of the state. Every store does the same.
    package mutating func apply(_ changes: [StateChange]) {
        for change in changes { apply(change) }
        if changes.contains(where: \.isEffect) { serial &+= 1 }
    }

    private mutating func apply(_ change: StateChange) {
        switch change {
        case .intern(let registrations):
            nextRecipient = max(nextRecipient, (registrations.keys.max() ?? 0) + 1)
        case .spendPlan(let id):
            spentPlans.insert(id)
        case .members(let name, let members, let membership, let instant):
            var topic = topics[name] ?? RecordedTopic()
            for other in Membership.allCases { topic[other].subtract(members) }
            if let membership { topic[membership].formUnion(members) }
            topic.changed = instant
            topics[name] = topic
        case .open(let id, var occurrence):
            occurrence.finished = occurrences[id]?.finished
            for entry in LedgerEntry.allCases { occurrence[entry] = occurrences[id]?[entry] ?? [] }
            occurrence.codes = occurrences[id]?.codes ?? [:]
            occurrences[id] = occurrence
        case .outcome(let id, let members, let entry):
            occurrences[id]?.move(members, to: entry)
        case .reject(let id, let members, let code):
            occurrences[id]?.move(members, to: .rejected)
            occurrences[id]?.codes[code, default: []].formUnion(members)
        case .finish(let id, let instant):
            occurrences[id]?.finished = instant
        case .reopen(let id):
            occurrences[id]?.finished = nil
        case .forget(let members):
            dead.formUnion(members)
            for (name, var topic) in topics {
                for membership in Membership.allCases { topic[membership].subtract(members) }
                topics[name] = topic
            }
            for (name, var group) in groups {
                for membership in GroupMembership.allCases { group[membership].subtract(members) }
                groups[name] = group
            }
        case .groupKey(let name, let key):
            groups[name, default: RecordedGroup()].key = key
        case .groupMembers(let name, let members, let membership):
            var group = groups[name] ?? RecordedGroup()
            for other in GroupMembership.allCases { group[other].subtract(members) }
            if let membership { group[membership].formUnion(members) }
            groups[name] = group
        case .audienceSizes(let sizes):
            audienceSizes = sizes
        case .watermark(let campaign, let watermark):
            watermarks[campaign] = watermark
        case .rename(let old, let new):
            for id in occurrences.keys where occurrences[id]?.campaign == old { occurrences[id]?.campaign = new }
            if let mark = watermarks.removeValue(forKey: old), watermarks[new].map({ $0.at < mark.at }) ?? true {
                watermarks[new] = mark
            }
            if pauses.campaigns.remove(old) != nil { pauses.campaigns.insert(new) }
        case .pause(let campaign?):
            pauses.campaigns.insert(campaign)
        case .pause(nil):
            pauses.everything = true
        case .resume(let campaign?):
            pauses.campaigns.remove(campaign)
        case .resume(nil):
            pauses = Pauses()
        case .topicAPI(let api):
            topicAPI = api
        case .test(let test):
            tests.append(test)
        case .revive(let members):
            dead.subtract(members)
        case .drop(let resource):
            drop(resource)
        }
    }

    private mutating func drop(_ resource: StateChange.Resource) {
        switch resource {
        case .topic(let name): topics[name] = nil
        case .group(let name): groups[name] = nil
        case .campaign(let name):
            for id in occurrences.keys where occurrences[id]?.campaign == name { occurrences[id] = nil }
            watermarks[name] = nil
            pauses.campaigns.remove(name)
        case .occurrence(let id): occurrences[id] = nil
        }
    }
}

extension StateChange {
    /// Whether a saved plan made before it is stale after it. Giving numbers to names changes nothing at FCM, and what
    /// a pause or a watermark changes is in the plan itself.
    package var isEffect: Bool {
        switch self {
        case .intern, .spendPlan, .audienceSizes, .watermark, .pause, .resume, .topicAPI, .test: false
        case .members, .groupKey, .groupMembers, .open, .outcome, .reject, .finish, .reopen, .forget, .rename, .revive,
            .drop:
            true
        }
    }
}
