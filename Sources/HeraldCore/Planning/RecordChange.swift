package import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One thing that is written down. A store applies several at once, durably, or none.
package enum RecordChange: Hashable, Sendable {
    /// Gives recipients their numbers, or a recipient a newer registration.
    case intern([RecipientID: Registration])
    case spendPlan(String)
    /// Puts recipients into one relation to a topic, and out of the others; `nil`: into none.
    case members(TopicName, RecipientSet, Membership?, at: Date)
    /// Opens an occurrence, or gives one that nobody was tried for its new content. What came of it stays.
    case open(OccurrenceID, RecordedOccurrence)
    /// Moves recipients to an entry, and out of the others; `nil`: back to not tried.
    case outcome(OccurrenceID, RecipientSet, LedgerEntry?)
    case finish(OccurrenceID, at: Date)
    /// Buries recipients: tombstones, and out of every topic.
    case forget(RecipientSet)
    case audienceSizes([String: Int])
    case watermark(String, Date)
}

extension Record {
    /// What the changes make of the record. Every store does the same.
    package mutating func apply(_ changes: [RecordChange]) {
        for change in changes { apply(change) }
        if changes.contains(where: \.isEffect) { serial += 1 }
    }

    private mutating func apply(_ change: RecordChange) {
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
            occurrences[id] = occurrence
        case .outcome(let id, let members, let entry):
            for other in LedgerEntry.allCases { occurrences[id]?[other].subtract(members) }
            if let entry { occurrences[id]?[entry].formUnion(members) }
        case .finish(let id, let instant):
            occurrences[id]?.finished = instant
        case .forget(let members):
            dead.formUnion(members)
            for (name, var topic) in topics {
                for membership in Membership.allCases { topic[membership].subtract(members) }
                topics[name] = topic
            }
        case .audienceSizes(let sizes):
            audienceSizes = sizes
        case .watermark(let campaign, let instant):
            watermarks[campaign] = instant
        }
    }
}

extension RecordChange {
    /// Whether a saved plan made before it is stale after it. Giving numbers to names changes nothing at FCM.
    package var isEffect: Bool {
        switch self {
        case .intern, .spendPlan, .audienceSizes: false
        case .members, .open, .outcome, .finish, .forget, .watermark: true
        }
    }
}
