package import FCM

/// What a person decides about an occurrence that herald does not go on with by itself.
package enum Resolution: Hashable, Sendable {
    /// Those who may have got it did.
    case accept
    /// Those who may have got it are sent it again.
    case resend
    /// It is over, whoever may be left.
    case abandon
    /// It goes on with the message and the time that the file has now.
    case goOn
    /// Those who were rejected with a code are tried again.
    case retry(code: String)
}

/// Why a decision cannot be carried out.
package enum ResolutionProblem: Error, Hashable, Sendable {
    case noOccurrence
    case nobodyUncertain
    case alreadyFinished
    /// No file declares the campaign with the occurrence's revision.
    case noCampaign(name: String, revision: Int)
    case nobodyRejected(code: String, known: [String])
    /// Nothing of it is sent any more.
    case tooLate(since: Date)
}

extension RecordedState {
    /// What is to be written down for the decision.
    ///
    /// - Parameter campaign: as the files have it now.
    package func changes(
        resolving id: OccurrenceID, by resolution: Resolution, campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) -> [StateChange] {
        guard let occurrence = occurrences[id] else { throw .noOccurrence }
        let uncertain = occurrence.uncertain
        switch resolution {
        case .accept:
            guard !uncertain.isEmpty else { throw .nobodyUncertain }
            return [.outcome(id, uncertain, .accepted)]
        case .resend:
            guard !uncertain.isEmpty else { throw .nobodyUncertain }
            try checkTime(of: occurrence, campaign, at: now)
            return [.outcome(id, uncertain, nil), .reopen(id)]
        case .abandon:
            if uncertain.isEmpty, occurrence.finished != nil { throw .alreadyFinished }
            let settling = uncertain.isEmpty ? [] : [StateChange.outcome(id, uncertain, .abandoned)]
            return settling + (occurrence.finished == nil ? [.finish(id, at: now)] : [])
        case .goOn:
            if occurrence.finished != nil { throw .alreadyFinished }
            guard let campaign, campaign.revision == occurrence.revision else {
                throw .noCampaign(name: occurrence.campaign, revision: occurrence.revision)
            }
            let isCron = if case .cron = campaign.schedule.times { true } else { false }
            let due = isCron ? occurrence.due : campaign.schedule.at
            return [.open(id, RecordedOccurrence(campaign, due: due))]
        case .retry(let code):
            guard let rejected = occurrence.codes[code] else {
                throw .nobodyRejected(code: code, known: occurrence.codes.keys.sorted())
            }
            try checkTime(of: occurrence, campaign, at: now)
            return [.outcome(id, rejected, nil), .reopen(id)]
        }
    }

    /// What is sent again goes out within the campaign's `max_lateness`, as everything does.
    private func checkTime(
        of occurrence: RecordedOccurrence, _ campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) {
        guard let due = occurrence.due, let campaign else { return }
        let deadline = due.adding(campaign.schedule.maxLateness)
        if now > deadline { throw .tooLate(since: deadline) }
    }
}

/// Where the state knows a recipient.
package struct Trace: Sendable {
    package var isDead: Bool
    package var topics: [(name: TopicName, membership: Membership)] = []
    package var groups: [(name: GroupName, membership: GroupMembership)] = []
    package var occurrences: [(id: OccurrenceID, entry: LedgerEntry, code: String?)] = []
}

extension RecordedState {
    /// Everything about one recipient, by name.
    package func trace(of id: RecipientID) -> Trace {
        var trace = Trace(isDead: dead.contains(id))
        for (name, topic) in topics.sorted(by: { $0.key < $1.key }) {
            for membership in Membership.allCases where topic[membership].contains(id) {
                trace.topics.append((name, membership))
            }
        }
        for (name, group) in groups.sorted(by: { $0.key < $1.key }) {
            for membership in GroupMembership.allCases where group[membership].contains(id) {
                trace.groups.append((name, membership))
            }
        }
        for (name, occurrence) in occurrences.sorted(by: { $0.key < $1.key }) {
            for entry in LedgerEntry.allCases where occurrence[entry].contains(id) {
                let code = occurrence.codes.first { $0.value.contains(id) }?.key
                trace.occurrences.append((name, entry, code))
            }
        }
        return trace
    }
}

extension RecordedState {
    /// What a person means by `topic:NAME`, `group:NAME`, `campaign:NAME` or an occurrence's id, where there is such.
    package func resource(named text: String) -> StateChange.Resource? {
        if occurrences[OccurrenceID(rawValue: text)] != nil { return .occurrence(OccurrenceID(rawValue: text)) }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "topic": return TopicName(rawValue: parts[1]).flatMap { topics[$0] == nil ? nil : .topic($0) }
        case "group": return GroupName(rawValue: parts[1]).flatMap { groups[$0] == nil ? nil : .group($0) }
        case "campaign":
            let isKnown = occurrences.values.contains { $0.campaign == parts[1] } || watermarks[parts[1]] != nil
            return isKnown ? .campaign(parts[1]) : nil
        default: return nil
        }
    }
}
