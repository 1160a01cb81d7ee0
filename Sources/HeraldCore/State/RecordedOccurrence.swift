/// An occurrence as the state keeps it. It has many parts, because each column of its table is one.
package struct RecordedOccurrence: Hashable, Sendable {
    package var campaign: String
    package var revision: Int
    /// `nil` for a campaign without a schedule. In local time, the first instant at which a clock of the world shows it.
    package var due: Date?
    /// The time by each recipient's clock. `nil` for one that is due at the same instant for all.
    package var local: LocalTime?
    /// SHA-256 of message and target. It shows whether the message has changed.
    package var contentDigest: String
    /// For people: `topic:NAME` or `audience:NAME`.
    package var target: String
    /// When its first run began it. `nil` if nothing was tried, or if a herald began it that did not note it.
    package var begun: Date?
    /// When no recipient was left to be tried.
    package var finished: Date?
    /// Whether a person took its end back. Then it is only for those whom it was for.
    package var isReopened = false
    /// Why no run goes on with it before a person decides. Only an open one has it.
    package var halt: Halt?
    /// When its send window closed while a run was sending it. It is under way again when the window opens.
    package var suspended: Date?
    /// In local time: since when runs do not look at it, because no file declares it, its schedule, revision or target is
    /// another, or a pause, a halt or an edit holds it. Who is in a wave since then is not fixed.
    package var unseen: Date?
    /// In local time: whether everybody on the list had it when a run looked last. It stays open only for those whom the
    /// list may lack for now.
    package var isDone = false
    /// The stages that have opened. They rise. Empty for one that opens to everybody at once.
    package var stages: [RecordedStage] = []
    package var outcomes = Outcomes.ledger(Ledger())
    /// Whom it is for, each with the text that they get, holdouts included. It is set when the occurrence begins: who is
    /// listed later is no part of it. Empty for a send to a whole topic, condition or group, for an occurrence that an
    /// older herald began, and for a finished one that was pruned or of which only a snapshot was read.
    package var classes = Partition<MessageClass>()
    /// In local time: the instants at which the clocks of those whom it is for reached it. Together they are a *wave*. Who
    /// reaches it later is not in it yet.
    package var waves = Partition<Date>()

    /// Why an open occurrence waits for a person.
    package enum Halt: String, Hashable, Sendable, CaseIterable {
        /// The state may lack what was committed last of it, since its database failed over to another server.
        case failedOver = "failed_over"
        /// FCM rejected so much of it that herald stopped it.
        case rejected
        /// So many of its registrations looked dead that herald stopped it.
        case dead
        /// The figures of a stage were over a limit (`halt_when`).
        case stage
    }

    /// Plans need only the ledgers of open occurrences, and there may be a thousand finished occurrences for each of
    /// those.
    package enum Outcomes: Hashable, Sendable {
        case ledger(Ledger)
        /// For a finished occurrence that was pruned, or of which only a snapshot was read.
        case counts(LedgerCounts)
    }

    package init(
        campaign: String, revision: Int, due: Date?, local: LocalTime? = nil, contentDigest: String, target: String,
        begun: Date? = nil
    ) {
        self.begun = begun
        self.campaign = campaign
        self.revision = revision
        (self.due, self.local) = (due, local)
        self.contentDigest = contentDigest
        self.target = target
    }

    /// Whether nothing of it is left to be done, as far as anybody knows.
    var isOver: Bool { finished != nil || isDone }

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

    /// Whether it is open and no recipient was tried. Then it may still get other content and other recipients.
    package var isUnbegun: Bool { finished == nil && !hasBegun }

    /// Whether somebody was skipped for good.
    private var hasSkipped: Bool {
        switch outcomes {
        case .ledger(let ledger): !ledger[.skipped].isEmpty
        case .counts(let counts): counts[.skipped] > 0
        }
    }

    /// Whether somebody was tried or skipped, is to be tried again, or may have been.
    package var hasBegun: Bool { hasTried || hasSkipped || halt != nil || isReopened }

    /// Whether it has not begun, or had not when it ended: its end rejects whom FCM had refused for now.
    var triedNobody: Bool {
        if finished == nil { return !hasBegun }
        let counts = counts
        return counts.tried == counts.rejections[Ledger.refusal, default: 0]
            && counts[.skipped] == counts.skips[.notTried, default: 0]
    }

    /// Whether it is finished and tried nobody of those whom it was for.
    var endedUntried: Bool { finished != nil && triedNobody && (counts.tried > 0 || counts[.skipped] > 0) }

    /// Whether its recipients get different texts, or none.
    package var hasTexts: Bool { classes.states.contains { $0 != MessageClass() } }

    /// Whom it is for and who has no outcome.
    var untried: RecipientSet {
        classes.members(where: { !$0.isHoldout }).subtracting(ledger?.entries.all ?? [])
    }

    /// Those of an open occurrence who were skipped as no part of it (`Ledger.released`).
    var released: RecipientSet { finished == nil ? ledger?.released(from: classes) ?? [] : [] }

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

    /// What is written when it ends: whoever was to be tried again keeps the outcome that they had, whom FCM refused
    /// for now is rejected, and whoever it is for and has no outcome was not tried.
    package func settling(as id: OccurrenceID) -> [StateChange] { settling(as: id) { $0 } }

    /// What is written when recipients are erased: the same for them alone. Otherwise it would wait for them for ever.
    func settling(_ erased: RecipientSet, as id: OccurrenceID) -> [StateChange] {
        guard finished == nil else { return [] }
        if hasBegun { return settling(as: id) { $0.intersection(erased) } }
        // Nobody was skipped of what has not begun. It is no longer for them.
        let rest = classes.mapMembers { $1.subtracting(erased) }
        return rest == classes ? [] : [.assign(id, rest)]
    }

    /// - Parameter chosen: those of a set whom it is written for.
    private func settling(as id: OccurrenceID, _ chosen: (RecipientSet) -> RecipientSet) -> [StateChange] {
        guard let ledger else { return [] }
        let untried = chosen(untried)
        let (again, refused) = (chosen(ledger[.again]), chosen(ledger[.deferred]))
        return (again.isEmpty ? [] : [.restore(id, again)])
            + (refused.isEmpty ? [] : [.reject(id, refused, code: Ledger.refusal)])
            + (untried.isEmpty ? [] : [.skip(id, untried, .notTried)])
    }

    mutating func forgetLedger() { (outcomes, classes, waves) = (.counts(counts), Partition(), Partition()) }
}
