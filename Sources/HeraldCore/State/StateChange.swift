package import FCM

/// One change of the state. A store applies several at once, durably, or none.
package enum StateChange: Hashable, Sendable {
    /// Keeps registrations under numbers that the store gave (`StateStore.intern`). A newer registration replaces an
    /// older.
    case register([RecipientID: Registration])
    case spendPlan(String)
    /// Puts recipients into one relation to a topic and out of all others. `nil` puts them into none.
    case members(TopicName, RecipientSet, Membership?, at: Date)
    /// The key that a group is reached by. `nil` while the group is being created.
    case groupKey(GroupName, NotificationKey?)
    /// Puts recipients into one relation to a group and out of the other. `nil` puts them into none.
    case groupMembers(GroupName, RecipientSet, GroupMembership?)
    /// Opens an occurrence, or gives an existing one new content. Its outcomes stay.
    case open(OccurrenceID, RecordedOccurrence)
    /// Moves recipients to one entry and out of all others. `nil` means: not tried.
    case outcome(OccurrenceID, RecipientSet, LedgerEntry?)
    /// Moves recipients to the rejected ones, with the error code.
    case reject(OccurrenceID, RecipientSet, code: String)
    case finish(OccurrenceID, at: Date)
    /// Takes the end back, because some recipients are to be tried again.
    case reopen(OccurrenceID)
    /// Forgets dead recipients: no plan uses them any more, and they leave every topic and group.
    case forget(RecipientSet)
    case audienceSizes([String: Int])
    case watermark(String, Watermark)
    /// Gives a campaign the history of its earlier name.
    case rename(campaign: String, to: String)
    /// `nil` means every campaign.
    case pause(String?)
    case resume(String?)
    case topicAPI(TopicAPI, at: Date)
    case test(RecordedTest)
    /// Takes recipients out of the dead.
    case revive(RecipientSet)
    case drop(Resource)

    /// What can be dropped from a state without touching FCM.
    package enum Resource: Hashable, Sendable {
        case topic(TopicName)
        case group(GroupName)
        /// The campaign with all its occurrences.
        case campaign(String)
        case occurrence(OccurrenceID)
    }
}

extension RecordedState {
    /// Applies the changes. Every store does the same. An occurrence whose ledger was not read keeps its outcomes.
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
            // Without its ledger, every recipient would get the message again.
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
        case .topicAPI(let api, let now):
            topicAPI = FoundTopicAPI(api, at: now)
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
        // Leaves only one reference to the ledger, so that its sets are changed in place.
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
    /// Whether a plan that was saved before this change becomes stale. Giving out numbers changes nothing at FCM, and
    /// what a pause or a watermark changes is in the plan itself.
    package var isEffect: Bool {
        switch self {
        case .register, .spendPlan, .audienceSizes, .watermark, .pause, .resume, .topicAPI, .test: false
        case .members, .groupKey, .groupMembers, .open, .outcome, .reject, .finish, .reopen, .forget, .rename, .revive,
            .drop:
            true
        }
    }
}
