/// What a person decides about an occurrence that herald does not continue by itself.
package enum Resolution: Hashable, Sendable {
    /// Recipients with an unknown outcome count as accepted.
    case accept
    /// Recipients with an unknown outcome get the message again.
    case resend
    /// The occurrence is over, even if some recipients are left.
    case abandon
    /// The occurrence continues with the message and the time that the file has now.
    case goOn
    /// Recipients rejected with this code are tried again.
    case retry(code: String)
}

/// Why a decision cannot be carried out.
package enum ResolutionProblem: Error, Hashable, Sendable {
    case noOccurrence
    case nobodyUncertain
    case alreadyFinished
    /// No file declares the campaign at the occurrence's revision.
    case noCampaign(name: String, revision: Int)
    case nobodyRejected(code: String, known: [String])
    /// The time to send it has passed.
    case tooLate(since: Date)
}

extension RecordedState {
    /// The changes that carry out the decision. The occurrence must have its ledger, which a snapshot does not have for
    /// finished occurrences.
    ///
    /// - Parameter campaign: the campaign as the files have it now.
    package func changes(
        resolving id: OccurrenceID, by resolution: Resolution, campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) -> [StateChange] {
        guard let occurrence = occurrences[id] else { throw .noOccurrence }
        let ledger = occurrence.ledger ?? Ledger()
        let uncertain = ledger.uncertain
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
            let now = RecordedOccurrence(campaign, due: due)
            return [.amend(id, contentDigest: now.contentDigest, target: now.target, due: now.due)]
        case .retry(let code):
            let rejected = ledger.codes[code]
            guard !rejected.isEmpty else {
                throw .nobodyRejected(code: code, known: ledger.codes.states.sorted())
            }
            try checkTime(of: occurrence, campaign, at: now)
            return [.outcome(id, rejected, nil), .reopen(id)]
        }
    }

    /// Repeated sends must respect the campaign's `max_lateness`, like all sends.
    private func checkTime(
        of occurrence: RecordedOccurrence, _ campaign: Campaign?, at now: Date
    ) throws(ResolutionProblem) {
        guard let due = occurrence.due, let campaign else { return }
        let deadline = due.adding(campaign.schedule.maxLateness)
        if now > deadline { throw .tooLate(since: deadline) }
    }
}
