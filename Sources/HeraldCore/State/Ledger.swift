internal import FCM

/// What came of an occurrence, recipient by recipient. A recipient without an entry has not been tried.
package struct Ledger: Hashable, Sendable {
    package private(set) var entries = Partition<LedgerEntry>()
    /// The error code of each rejected recipient, also of those who are to be tried again, and why each skipped one was
    /// skipped (`SkipReason`).
    package private(set) var codes = Partition<String>()

    /// The code of those whom FCM refused for now until the occurrence ended. The state does not keep which of its
    /// codes for that FCM gave; this is the usual one.
    package static let refusal = FailureCode.unavailable.rawValue

    package init() {}

    /// - Parameter codes: may hold only recipients who are rejected, skipped or to be tried again.
    package init(entries: Partition<LedgerEntry>, codes: Partition<String>) {
        self.entries = entries
        self.codes = codes
    }

    package subscript(entry: LedgerEntry) -> RecipientSet { entries[entry] }

    /// Recipients that are not tried again, unless the campaign resends unknown outcomes.
    package var settled: RecipientSet { entries.union(of: LedgerEntry.allCases.filter(\.isSettled)) }

    /// Recipients whose outcome is unknown.
    package var uncertain: RecipientSet { entries.union(of: LedgerEntry.allCases.filter(\.isUncertain)) }

    /// Whose outcome was unknown before a person had them sent the message again.
    package var resent: RecipientSet { entries[.again].subtracting(codes.all) }

    /// Those alone who are to be tried again because a person decided it.
    var again: Ledger {
        let members = self[.again]
        return Ledger(entries: Partition(disjoint: [.again: members]), codes: codes.intersection(members))
    }

    /// What is written when the next try of those whom a person has tried again did not reach them: it is still to come,
    /// and they keep the outcome that they had.
    ///
    /// - Parameter members: some of them.
    func keepingAgain(_ members: RecipientSet, of id: OccurrenceID) -> [StateChange] {
        guard !members.isEmpty else { return [] }
        let refused = codes.intersection(members)
        return refused.states.sorted().map { .reject(id, refused[$0], code: $0) } + [.outcome(id, members, .again)]
    }

    /// Who was skipped when a person had the occurrence go on with another target, or for a bad row. They are no part of
    /// it, unless another target has them and their row is good by then.
    ///
    /// - Parameter classes: whom the occurrence is for.
    func released(from classes: Partition<MessageClass>) -> RecipientSet {
        let skipped = codes.union(of: [SkipReason.notTried, .badRow].map(\.rawValue))
        return skipped.isEmpty ? skipped : skipped.subtracting(classes.all)
    }

    /// As it is once the occurrence has ended. Nobody tries those again whom FCM refused for now, and they may have got
    /// it: so they are rejected, and not skipped. Only older heralds left somebody deferred in what has ended.
    ///
    /// - Parameter members: who stays as they are.
    package func ended(besides members: RecipientSet = []) -> Ledger {
        var ended = self
        ended.reject(self[.deferred].subtracting(members), code: Self.refusal)
        return ended
    }

    /// Moves recipients to one entry and out of all others. `nil` means: not tried.
    package mutating func move(_ members: RecipientSet, to entry: LedgerEntry?) {
        entries.move(members, to: entry)
        if entry != .again { codes.move(members, to: nil) }
    }

    /// The outcomes that those of the members had who were to be tried again.
    package func restoring(_ members: RecipientSet) -> [LedgerEntry: RecipientSet] {
        let unknown = resent.intersection(members)
        return [.unknown: unknown, .rejected: entries[.again].intersection(members).subtracting(unknown)]
    }

    mutating func restore(_ members: RecipientSet) {
        for (entry, members) in restoring(members) { entries.move(members, to: entry) }
    }

    package mutating func skip(_ members: RecipientSet, _ reason: SkipReason) {
        entries.move(members, to: .skipped)
        codes.move(members, to: reason.rawValue)
    }

    package mutating func reject(_ members: RecipientSet, code: String) {
        entries.move(members, to: .rejected)
        codes.move(members, to: code)
    }
}

/// What is known about one recipient of an occurrence.
package enum LedgerEntry: Int, Hashable, Sendable, CaseIterable {
    /// The request was about to leave. After a crash, herald cannot tell whether it did.
    case intended = 0
    case accepted = 1
    case rejected = 2
    /// The request may have had its effect. herald cannot tell.
    case unknown = 3
    /// The recipient may have got the message. A person decided to leave it so.
    case abandoned = 4
    /// FCM refused for now and may be asked again. If it delivered all the same, the next try is a second push. When
    /// the occurrence ends, the recipient is rejected.
    case deferred = 5
    /// Nothing was sent, and nothing will be.
    case skipped = 6
    /// A person has them tried again. Their code says why they were rejected. Without one, they may have got it.
    case again = 7

    /// Whether the recipient is not tried again.
    package var isSettled: Bool { self != .deferred && self != .again }
    /// Whether a request for them had an outcome that stays until another one has.
    package var isTried: Bool { self != .deferred && self != .skipped }
    var isUncertain: Bool { self == .intended || self == .unknown }
}
