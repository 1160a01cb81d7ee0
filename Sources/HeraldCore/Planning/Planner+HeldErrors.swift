/// `on_error: hold` that came into the file after FCM had failed for somebody.
extension Planner {
    /// Whom FCM failed for, and who waits to be tried again, is looked at like whoever a crash left without an outcome.
    mutating func holdErrors() {
        let campaigns = desired.sends.map(\.campaign).filter { $0.delivery.onError == .hold }
        let byName = Dictionary(campaigns.map { ($0.name.value, $0) }) { first, _ in first }
        if byName.isEmpty { return }
        for (id, occurrence) in state.occurrences {
            guard let campaign = byName[occurrence.campaign] else { continue }
            let held = occurrence.refusedAndHeld(by: campaign)
            if held.isEmpty { continue }
            refusedAndHeld[id] = held
            state.occurrences[id] = occurrence.holdingErrors(by: campaign)
        }
    }
}

extension RecordedOccurrence {
    /// Whom FCM refused for now and may have delivered to all the same, if the campaign does not repeat that any more.
    func refusedAndHeld(by campaign: Campaign) -> RecipientSet {
        guard campaign.delivery.onError == .hold, campaign.revision == revision, finished == nil else { return [] }
        return ledger?[.deferred] ?? []
    }

    /// As if the campaign had held errors when FCM failed: nobody knows the outcome.
    func holdingErrors(by campaign: Campaign) -> RecordedOccurrence {
        guard var ledger else { return self }
        var copy = self
        ledger.move(refusedAndHeld(by: campaign), to: .intended)
        copy.outcomes = .ledger(ledger)
        return copy
    }
}
