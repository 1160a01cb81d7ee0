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

    /// Those with a bad row. Of an occurrence that begins it is written together with the first intents: while nobody
    /// was tried, it may begin anew, with rows that are corrected.
    var skippingBadRows: [StateChange] {
        guard let send, !send.badForGood.isEmpty else { return [] }
        return [.skip(send.occurrence, send.badForGood, .badRow)]
    }
}
