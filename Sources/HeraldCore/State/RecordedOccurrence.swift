/// An occurrence as the state keeps it.
package struct RecordedOccurrence: Hashable, Sendable {
    package var campaign: String
    package var revision: Int
    /// `nil` for a campaign without a schedule.
    package var due: Date?
    /// SHA-256 of message and target. It shows whether the message has changed.
    package var contentDigest: String
    /// For people: `topic:NAME` or `audience:NAME`.
    package var target: String
    /// When no recipient was left to be tried.
    package var finished: Date?
    /// Whether the state may lack what was committed last of it, since its database failed over to another server. No
    /// run goes on with it before a person decides.
    package var isDoubted = false
    package var outcomes = Outcomes.ledger(Ledger())
    /// Who gets which text of a personal campaign, holdouts included. It is set when the occurrence begins, and holds
    /// until its end. Empty for other campaigns, and for a finished occurrence that was pruned or of which only a
    /// snapshot was read.
    package var classes = Partition<MessageClass>()

    /// Plans need only the ledgers of open occurrences, and there may be a thousand finished occurrences for each of
    /// those.
    package enum Outcomes: Hashable, Sendable {
        case ledger(Ledger)
        /// For a finished occurrence that was pruned, or of which only a snapshot was read.
        case counts(LedgerCounts)
    }

    package init(campaign: String, revision: Int, due: Date?, contentDigest: String, target: String) {
        self.campaign = campaign
        self.revision = revision
        self.due = due
        self.contentDigest = contentDigest
        self.target = target
    }

    /// `nil` if the ledger was pruned or not read. That says nothing about the occurrence's recipients.
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

    /// Whether it is open and no recipient was tried. Then it may still get other content.
    package var isUnbegun: Bool { finished == nil && !hasTried && !isDoubted }

    /// Whether it waits for a person because of a doubt.
    package var isInDoubt: Bool { finished == nil && isDoubted }

    /// The occurrence as plans read it.
    package var summary: RecordedOccurrence {
        var copy = self
        if finished != nil { copy.forgetLedger() }
        return copy
    }

    /// Whether its ledger may become counts: nobody needs to know any more who is in it.
    package func isPrunable(before limit: Date) -> Bool {
        finished.map { $0 < limit } == true && counts.uncertain == 0
    }

    mutating func forgetLedger() { (outcomes, classes) = (.counts(counts), Partition()) }
}
