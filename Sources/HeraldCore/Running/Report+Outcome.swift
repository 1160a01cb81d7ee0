extension Report {
    /// How the run ended, judged by its steps. If several results apply, the one whose exit code comes first in
    /// docs/explanation/promises.md#exit-codes counts. The caller sets `interrupted`.
    package var outcome: Result { result == .interrupted ? result : judged(withRest: true) }

    /// How the run would have ended if it had been meant to do no more than it did.
    package var outcomeBesidesRest: Result { judged(withRest: false) }

    /// - Parameter withRest: whether whoever was not tried counts.
    private func judged(withRest: Bool) -> Result {
        if !halts.isEmpty { return .halted }
        if steps.contains(where: { $0.unknown > 0 }) { return .unknown }
        if wasBlocked { return .refused }
        let hasFailed = steps.contains { step in
            step.refused > 0 || step.stopped.map { withRest || $0 != .interrupted } ?? false
                || !step.isStanding && (withRest ? step.pending : 0) + step.held > 0 || step.hasMissed
        }
        return hasFailed || missed > 0 || !silenced.isEmpty ? .failed : .ok
    }

    /// Who was refused a change to a topic or group. A run asks for them again; for messages it does not.
    package var refusedMemberships: Int { steps.reduce(0) { $0 + ($1.action == .send ? 0 : $1.refused) } }

    /// The stages that were over a limit, in words.
    package var halts: [String] {
        steps.filter(\.isHaltedStage).map {
            "\($0.occurrence ?? ""): \($0.stopped?.words ?? ""); nothing more of it starts"
        } + halted.map { "\($0.occurrence): \($0.reason)" }
    }
}

extension StepReport {
    /// How many of the rejected are dead.
    var dead: Int { forgotten - replaced }

    /// How many of the rejected are a failure. The dead are none. Nor is whoever leaves a topic with a registration that
    /// FCM says it does not know: they get nothing from the topic, and if that is not to be believed, the next run asks
    /// again.
    var refused: Int { rejected - dead - (action == .unsubscribe ? doubted : 0) }
}
