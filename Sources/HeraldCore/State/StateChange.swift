package import FCM

/// One thing that is written down. A store applies several at once, durably, or none.
package enum StateChange: Hashable, Sendable {
    /// Keeps registrations under numbers that the store gave (`StateStore.intern`), a newer one in place of an older.
    case register([RecipientID: Registration])
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

extension RecordedState {
    /// What the changes make of the state. Every store does the same. An occurrence whose ledger is not at hand stays as
    /// it is.
    package mutating func apply(_ changes: [StateChange]) {
        for change in changes { apply(change) }
        if changes.contains(where: \.isEffect) { serial &+= 1 }
    }

    private mutating func apply(_ change: StateChange) {
        switch change {
        case .register(let registrations):
            nextRecipient = max(nextRecipient, (registrations.keys.max() ?? 0) + 1)
        case .spendPlan(let id):
            spentPlans.insert(id)
        case .members(let name, let members, let membership, let instant):
            topics[name, default: RecordedTopic()].recipients.move(members, to: membership)
            topics[name]?.changed = instant
        case .open(let id, var occurrence):
            occurrence.finished = occurrences[id]?.finished
            occurrence.outcomes = occurrences[id]?.outcomes ?? .ledger(Ledger())
            occurrences[id] = occurrence
        case .outcome(let id, let members, let entry):
            changeLedger(of: id) { $0.move(members, to: entry) }
        case .reject(let id, let members, let code):
            changeLedger(of: id) { $0.reject(members, code: code) }
        case .finish(let id, let instant):
            occurrences[id]?.finished = instant
        case .reopen(let id):
            // Without its ledger everybody would be sent to again.
            if occurrences[id]?.ledger != nil { occurrences[id]?.finished = nil }
        case .forget(let members):
            dead.formUnion(members)
            for name in topics.keys { topics[name]?.recipients.move(members, to: nil) }
            for name in groups.keys { groups[name]?.recipients.move(members, to: nil) }
        case .groupKey(let name, let key):
            groups[name, default: RecordedGroup()].key = key
        case .groupMembers(let name, let members, let membership):
            groups[name, default: RecordedGroup()].recipients.move(members, to: membership)
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

    private mutating func changeLedger(of id: OccurrenceID, _ change: (inout Ledger) -> Void) {
        guard var ledger = occurrences[id]?.ledger else { return }
        // Held once only, so that its sets are changed in place.
        occurrences[id]?.outcomes = .ledger(Ledger())
        change(&ledger)
        occurrences[id]?.outcomes = .ledger(ledger)
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
        case .register, .spendPlan, .audienceSizes, .watermark, .pause, .resume, .topicAPI, .test: false
        case .members, .groupKey, .groupMembers, .open, .outcome, .reject, .finish, .reopen, .forget, .rename, .revive,
            .drop:
            true
        }
    }
}
