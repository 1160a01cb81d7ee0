/// Outcomes of a send that are known and that the state does not have, because it could not be written to. Recipients are
/// numbers of the state.
package struct UnrecordedOutcomes: Hashable, Sendable {
    package var accepted: RecipientSet = []
    /// By error code.
    package var rejected: [String: RecipientSet] = [:]
    /// FCM refused them for now.
    package var deferred: RecipientSet = []
    /// Their request had no effect.
    package var untried: RecipientSet = []
    /// Those of the rejected who may have got an earlier try of the message, which still counts for caps.
    package var repeated: RecipientSet = []

    package init() {}

    package var isEmpty: Bool {
        accepted.isEmpty && deferred.isEmpty && untried.isEmpty && rejected.values.allSatisfy(\.isEmpty)
    }
}

extension UnrecordedOutcomes {
    /// `nil` if nothing is left to be written.
    ///
    /// - Parameters:
    ///   - earlier: when messages started that may have arrived and that were sent again.
    ///   - resent: who may have got it and was to be sent it again. Without that try they are still unknown.
    init?(_ outcomes: UnwrittenOutcomes, besides earlier: Partition<MessageStart>, resent: RecipientSet = []) {
        accepted = outcomes.accepted.union(outcomes.preexisting)
        rejected = outcomes.rejected.filter { !$0.value.isEmpty }
        (deferred, untried) = (outcomes.deferred, outcomes.untried.subtracting(resent))
        repeated = outcomes.everyRejected.intersection(earlier.all)
        if isEmpty { return nil }
    }
}

extension UnrecordedOutcomes {
    /// Whom it has as rejected.
    private var everyRejected: RecipientSet { rejected.values.reduce(into: RecipientSet()) { $0.formUnion($1) } }

    /// Everybody whom it names.
    var all: RecipientSet { accepted.union(deferred).union(untried).union(everyRejected) }

    /// Who got nothing, so that it counts for no cap. Whom FCM refused for now may have got it, also in an earlier try.
    var unsent: RecipientSet { untried.union(everyRejected).subtracting(repeated) }

    /// Who is tried again once this is added.
    func returning(to ledger: Ledger) -> RecipientSet { deferred.union(untried).intersection(ledger.uncertain) }

    /// Who counts as having got nothing once this is added.
    func emptyHanded(in ledger: Ledger) -> RecipientSet {
        everyRejected.subtracting(ledger.certain).union(returning(to: ledger))
    }

    /// The rest of it.
    func without(_ members: RecipientSet) -> UnrecordedOutcomes {
        var rest = self
        rest.rejected = rejected.mapValues { $0.subtracting(members) }
        (rest.deferred, rest.untried) = (deferred.subtracting(members), untried.subtracting(members))
        return rest
    }
}

extension Ledger {
    /// Recipients of whom the state knows what became of them, or a person decided it.
    fileprivate var certain: RecipientSet { entries.union(of: [.accepted, .rejected, .abandoned]) }
}

/// What is added to the state from a report.
package struct AddedOutcomes: Sendable {
    package var changes: [StateChange] = []
    /// Who got nothing, says the report, in occurrences of which people were tried again since. They may have got it by
    /// now, so they stay as the state has them. Of an occurrence that was taken out of the state since, everybody: the
    /// state has another one of that name.
    package var doubted: [OccurrenceID: RecipientSet] = [:]
}

extension RecordedState {
    /// Adds what a report has and the state lacks. Nothing that the state knows for certain changes. Whom FCM accepted
    /// has it, whatever was tried later.
    ///
    /// - Parameters:
    ///   - outcomes: by occurrence. Each has its ledger.
    ///   - stamp: the last one that the report's run left. `nil` if an older herald wrote the report.
    package func adding(_ outcomes: [OccurrenceID: UnrecordedOutcomes], of stamp: Stamp?) -> AddedOutcomes {
        let (number, known, erased) = (stamp?.number ?? 0, RecipientSet(0..<nextRecipient), self.erased)
        var (added, returning) = (AddedOutcomes(), [OccurrenceID]())
        for (id, outcomes) in outcomes.sorted(by: { $0.key < $1.key }) {
            guard let ledger = occurrences[id]?.ledger else { continue }
            if let last = removed[id], number <= last {
                let doubted = outcomes.all.intersection(known)
                if !doubted.isEmpty { added.doubted[id] = doubted }
                continue
            }
            var outcomes = outcomes
            // Nobody can send to them any more, so nothing may wait for them.
            (outcomes.deferred, outcomes.untried) = (
                outcomes.deferred.subtracting(erased), outcomes.untried.subtracting(erased)
            )
            if let last = triedAgain[id], number <= last {
                let doubted = outcomes.emptyHanded(in: ledger).intersection(known)
                if !doubted.isEmpty { added.doubted[id] = doubted }
                outcomes = outcomes.without(doubted)
            }
            added.changes += changes(recording: outcomes, of: id, ledger, known)
            if !outcomes.returning(to: ledger).isEmpty { returning.append(id) }
        }
        // The same report, or an earlier one, knows nothing of their next try. A later one may have other people.
        if !returning.isEmpty { added.changes.append(tryingAgain(returning, after: number)) }
        return added
    }

    /// - Parameter known: everybody who has a number. In doubt, the state may lack even that they were tried.
    private func changes(
        recording outcomes: UnrecordedOutcomes, of id: OccurrenceID, _ ledger: Ledger, _ known: RecipientSet
    ) -> [StateChange] {
        var changes: [StateChange] = []
        func add(_ members: RecipientSet, _ change: (RecipientSet) -> StateChange) {
            if !members.isEmpty { changes.append(change(members)) }
        }
        // Whom FCM refused for now until the end may have got it.
        let certain = ledger.certain.subtracting(ledger.codes[Ledger.refusal])
        add(outcomes.accepted.intersection(known).subtracting(certain)) { .outcome(id, $0, .accepted) }
        for (code, members) in outcomes.rejected.sorted(by: { $0.key < $1.key }) {
            add(members.intersection(known).subtracting(ledger.certain)) { .reject(id, $0, code: code) }
        }
        add(outcomes.unsent.subtracting(ledger.certain).intersection(starts[id]?.all ?? [])) { .unstarted(id, $0) }
        add(outcomes.deferred.intersection(ledger.uncertain)) { .outcome(id, $0, .deferred) }
        let untried = outcomes.untried.intersection(ledger.uncertain)
        // Where a person let it go on with another target, nobody knows yet whom it is for. The next step takes those back
        // whom that target has.
        let isForOthers = occurrences[id].map { $0.finished == nil && $0.classes.isEmpty } ?? false
        let released = isForOthers ? untried.subtracting(.target) : []
        add(untried.subtracting(released)) { .outcome(id, $0, nil) }
        add(released) { .skip(id, $0, .notTried) }
        let returning = outcomes.returning(to: ledger)
        guard !returning.isEmpty else { return changes }
        // Whoever is written now is no one who was not tried.
        var written = self
        written.apply(changes)
        return changes + written.reopening(id, for: returning)
    }
}
