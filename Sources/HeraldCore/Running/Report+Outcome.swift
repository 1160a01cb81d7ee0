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
        let hasFailed = steps.contains { $0.hasFailed(withRest: withRest) }
        return hasFailed || missed > 0 || !silenced.isEmpty ? .failed : .ok
    }

    /// Notes for whom steps found no run in time, where no run has told that of their occurrence.
    mutating func noteMissed(in steps: [Plan.Step]) {
        for step in steps where step.refusal == nil {
            guard case .send(let send) = step.work, let missed = send.missed, !send.hasMissedBefore,
                !missedOccurrences.contains(where: { $0.occurrence == missed.occurrence })
            else { continue }
            missedOccurrences.append(missed)
        }
        countMissed()
    }

    /// A step that a guard stopped says so itself. A later plan may refuse the same with other figures.
    mutating func noteWithheld(in plan: Plan) {
        guard !plan.withheld.isEmpty || !plan.unapproved.isEmpty else { return }
        wasBlocked = true
        let told = Set(plan.steps.compactMap(\.refusal))
        unapproved += plan.unapproved.filter { !unapproved.contains($0) }
        notes += plan.unapproved.map(\.sentence).filter { !told.contains($0) && !notes.contains($0) }
        let untold = plan.withheld.filter { !withheld.contains($0.cause) && !told.contains($0.reason) }
        notes += untold.map(\.reason)
        withheld.formUnion(plan.withheld.map(\.cause))
    }

    /// Who was refused a change to a topic or group. A run asks for them again; for messages it does not.
    package var refusedMemberships: Int { steps.reduce(0) { $0 + ($1.action == .send ? 0 : $1.refused) } }

    /// What guards refuse that judge FCM's answers.
    package var refusals: [GuardRefusal] { steps.compactMap(\.refusal) }

    /// Changes to topics and groups that guards stopped and that were not tried since. A send that they stopped is held,
    /// as plans say.
    ///
    /// - Parameters:
    ///   - earlier: what the run before it left.
    ///   - isWhole: whether the run was for everything, so that nothing is left of what it did not plan.
    func refusals(after earlier: [RunRefusal], isWhole: Bool) -> [RunRefusal] {
        let changes = steps.filter { $0.action != .send }
        let pending = Dictionary(changes.map { ($0.id.rawValue, $0.pending) }) { first, _ in first }
        let refused = changes.compactMap(RunRefusal.init)
        let stopped = Set(refused.map(\.step))
        return earlier.filter { !stopped.contains($0.step) && pending[$0.step, default: isWhole ? 0 : 1] > 0 } + refused
    }

    /// The stages that were over a limit, in words.
    package var halts: [String] {
        steps.filter(\.isHaltedStage).map {
            "\($0.occurrence ?? ""): \($0.stopped?.words ?? ""); nothing more of it starts"
        } + halted.map { "\($0.occurrence): \($0.reason)" }
    }
}

extension RunRefusal {
    /// `nil` if no guard stopped the step because of FCM's answers.
    fileprivate init?(_ step: StepReport) {
        guard case .forbidden(let kind, _, let finding)? = step.stopped else { return nil }
        self.init(kind: kind.rawValue, step: step.id.rawValue, finding: finding)
    }
}

extension StepReport {
    /// What a guard refused that judges FCM's answers.
    fileprivate var refusal: GuardRefusal? {
        guard case .forbidden(let kind, let name, let finding)? = stopped else { return nil }
        return GuardRefusal(kind, of: name, in: id, finding)
    }

    /// - Parameter withRest: whether whoever was not tried counts.
    func hasFailed(withRest: Bool) -> Bool {
        refused > 0 || stopped.map { withRest || $0 != .interrupted } ?? false
            || !isStanding && (withRest ? pending : 0) + held > 0
    }

    /// How many of the rejected are dead.
    var dead: Int { forgotten - replaced }

    /// How many of the rejected are a failure. The dead are none. Nor is whoever leaves a topic with a registration that
    /// FCM says it does not know: they get nothing from the topic, and if that is not to be believed, the next run asks
    /// again.
    var refused: Int { rejected - dead - (action == .unsubscribe ? doubted : 0) }
}

extension Report {
    /// Whether it is of a test, which nothing goes on with.
    package var isTest: Bool { steps.contains(where: \.isTest) }
}

extension StepReport {
    /// Whether it sends a test of its campaign.
    package var isTest: Bool { occurrence.map { OccurrenceID(rawValue: $0).isTest } ?? false }
}
