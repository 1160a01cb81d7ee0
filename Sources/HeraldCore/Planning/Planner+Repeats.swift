/// Whoever may have got a message and is sent it again because their campaign's file says so (`on_unknown: resend`).
extension Planner {
    /// The reports of earlier runs do not know what comes of that.
    mutating func noteRepeats() {
        let ids = sends.compactMap { step -> OccurrenceID? in
            guard case .send(let send) = step.work, !send.repeated.isEmpty else { return nil }
            return send.occurrence
        }
        if sizes == nil, !ids.isEmpty { plan.notes.append(state.tryingAgain(ids)) }
    }
}
