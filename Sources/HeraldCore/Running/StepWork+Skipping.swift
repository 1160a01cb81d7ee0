internal import FCM

/// Whom a send skips for good.
extension StepWork {
    /// Those whom it skips from the beginning.
    func skipping(_ send: Plan.Send) -> [StateChange] {
        let skipped = send.skipped.mapMembers { $1.subtracting(send.keepingOutcome) }
        return skipped.counts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { .skip(send.occurrence, skipped[$0.key], $0.key) }
            + (send.keepingOutcome.isEmpty ? [] : [.restore(send.occurrence, send.keepingOutcome)])
            + (send.refused.isEmpty ? [] : [.reject(send.occurrence, send.refused, code: Self.refusal.code)])
    }

    /// Those with a bad row.
    func skippingBadRows(of send: Plan.Send) -> [StateChange] {
        send.badForGood.isEmpty ? [] : [.skip(send.occurrence, send.badForGood, .badRow)]
    }

    /// The same for an occurrence that begins. It is written together with the first intents: while nobody was tried,
    /// the occurrence may begin anew, with rows that are corrected.
    var skippingBadRows: [StateChange] { send.flatMap { $0.isResumed ? nil : skippingBadRows(of: $0) } ?? [] }
}
