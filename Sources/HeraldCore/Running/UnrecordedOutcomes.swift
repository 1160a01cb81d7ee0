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

    package init() {}

    package var isEmpty: Bool {
        accepted.isEmpty && deferred.isEmpty && untried.isEmpty && rejected.values.allSatisfy(\.isEmpty)
    }
}

extension UnrecordedOutcomes {
    /// `nil` if nothing is left to be written.
    init?(_ outcomes: UnwrittenOutcomes) {
        accepted = outcomes.accepted.union(outcomes.preexisting)
        rejected = outcomes.rejected.filter { !$0.value.isEmpty }
        (deferred, untried) = (outcomes.deferred, outcomes.untried)
        if isEmpty { return nil }
    }
}

extension RecordedState {
    /// The changes that write what a report has and the state lacks. Nothing that the state knows for certain changes.
    ///
    /// - Parameter id: an occurrence that has its ledger.
    package func changes(recording outcomes: UnrecordedOutcomes, of id: OccurrenceID) -> [StateChange] {
        guard let ledger = occurrences[id]?.ledger else { return [] }
        let settled = ledger.entries.union(of: [.accepted, .rejected, .abandoned])
        let uncertain = ledger.uncertain
        var changes: [StateChange] = []
        func add(_ members: RecipientSet, _ change: (RecipientSet) -> StateChange) {
            if !members.isEmpty { changes.append(change(members)) }
        }
        // In doubt, the state may lack even that these were tried.
        let known = { (members: RecipientSet) in members.intersection(RecipientSet(0..<nextRecipient)) }
        // Whom FCM refused for now until the end may have got it.
        let certain = settled.subtracting(ledger.codes[Ledger.refusal])
        add(known(outcomes.accepted).subtracting(certain)) { .outcome(id, $0, .accepted) }
        for (code, members) in outcomes.rejected.sorted(by: { $0.key < $1.key }) {
            add(known(members).subtracting(settled)) { .reject(id, $0, code: code) }
        }
        // They got nothing, so it counts for no cap. Whom FCM refused for now may have got it.
        let unsent = outcomes.rejected.values.reduce(outcomes.untried) { $0.union($1) }
        add(unsent.subtracting(settled).intersection(starts[id]?.all ?? [])) { .unstarted(id, $0) }
        let returning = outcomes.deferred.union(outcomes.untried).intersection(uncertain)
        add(outcomes.deferred.intersection(uncertain)) { .outcome(id, $0, .deferred) }
        add(outcomes.untried.intersection(uncertain)) { .outcome(id, $0, nil) }
        guard !returning.isEmpty else { return changes }
        // Whoever is written now is no one who was not tried.
        var written = self
        written.apply(changes)
        return changes + written.reopening(id, for: returning)
    }
}
