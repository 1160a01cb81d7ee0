/// What the state has of an occurrence.
package struct RecordedOccurrence: Hashable, Sendable {
    package var campaign: String
    package var revision: Int
    /// Absent without a schedule.
    package var due: Date?
    /// SHA-256 of message and target, so that a changed message is seen.
    package var contentDigest: String
    /// For people: `topic:NAME` or `audience:NAME`.
    package var target: String
    /// When nobody was left to be tried.
    package var finished: Date?
    package var outcomes = Outcomes.ledger(Ledger())

    /// Plans need the ledgers of open occurrences only: there may be a thousand finished ones for each of them.
    package enum Outcomes: Hashable, Sendable {
        case ledger(Ledger)
        /// Of a finished occurrence, where a snapshot is all that was read.
        case counts(LedgerCounts)
    }

    package init(campaign: String, revision: Int, due: Date?, contentDigest: String, target: String) {
        self.campaign = campaign
        self.revision = revision
        self.due = due
        self.contentDigest = contentDigest
        self.target = target
    }

    /// `nil` where it was not read, which says nothing of whom the occurrence reached.
    package var ledger: Ledger? {
        if case .ledger(let ledger) = outcomes { ledger } else { nil }
    }

    package var counts: LedgerCounts {
        switch outcomes {
        case .ledger(let ledger): LedgerCounts(ledger)
        case .counts(let counts): counts
        }
    }

    package var hasTried: Bool {
        switch outcomes {
        case .ledger(let ledger): ledger.entries.states.contains(where: \.isTried)
        case .counts(let counts): counts.tried > 0
        }
    }

    /// The same as plans read it.
    package var summary: RecordedOccurrence {
        var copy = self
        if finished != nil { copy.outcomes = .counts(counts) }
        return copy
    }
}
