/// What is written to the state for a plan, apart from what its steps write.
extension Plan {
    var renaming: [StateChange] { renames.map { .rename(campaign: $0.old, to: $0.new) } }

    /// What the state notes apart from what steps write. Where nobody is sent it again, because a guard refuses it or the
    /// run leaves it to the next one, earlier reports know all.
    var notesOfRun: [StateChange] {
        let repeats = steps.contains { step in
            if case .send(let send) = step.work { step.refusal == nil && !send.repeated.isEmpty } else { false }
        }
        return repeats ? notes : notes.filter { if case .note(.triedAgain, _) = $0 { false } else { true } }
    }

    /// What is too late and has no step of its own, which may not begin.
    var missedWithoutStep: [Missed] { withoutStep(missed) }

    private func withoutStep(_ missed: [Missed]) -> [Missed] {
        let ids = Set(steps.map(\.id))
        return missed.filter { !ids.contains(.send($0.occurrence)) }
    }

    /// Occurrences that end without a step of their own. What is missed, or had nobody, is reported once.
    func endings(at now: Date) -> [StateChange] {
        let missed = withoutStep(missed + joinedLate).flatMap { missed in
            (missed.unrecorded.map { [StateChange.open(missed.occurrence, $0)] } ?? [])
                + [.finish(missed.occurrence, at: now)]
        }
        return missed + over.map { .finish($0, at: now) }
    }

    /// All of it, for a plan without steps to wait for.
    package func bookkeeping(at now: Date) -> [StateChange] {
        var marks = Watermarks()
        marks.add(watermarks)
        let sending = steps.compactMap { if case .send(let send) = $0.work { send.campaign } else { nil } }
        return renaming + notesOfRun + endings(at: now) + marks.due(waiting: Set(sending), recorded: [:])
    }

    /// Written before a run does anything: how many recipients audiences have that the state does not know. A run that
    /// is stopped must not leave the next one without a size to compare with. Without those that are compared with what
    /// another audience had, and without the size that a guard refuses, also if a person overrode it: these count when all
    /// is done.
    ///
    /// - Parameter recorded: the sizes that the state has. They stay, until nothing stopped the run.
    package func opening(sizes: [String: Int], recorded: [String: Int]) -> [StateChange] {
        let known = inheriting.union(recorded.keys).union(refusedSizes.keys)
        let new = sizes.filter { !known.contains($0.key) && judges(audience: $0.key) }
        return new.isEmpty ? [] : [.audienceSizes(recorded.merging(new) { old, _ in old })]
    }

    /// Written when nothing stopped the run: how many recipients each audience has, or had when it was there.
    package func closing(sizes: [String: Int]) -> [StateChange] {
        [.audienceSizes(sizes.filter { judges(audience: $0.key) }.merging(keptSizes) { $1 })]
            + (goneSizes.map { [.goneAudiences($0)] } ?? []) + closingMembers
    }

    /// What an older herald refused is forgotten once it is judged and not refused.
    private var closingMembers: [StateChange] {
        if refusedMembers.isEmpty || judgedAudiences != nil { return [] }
        let refused = Set(withheld.compactMap { $0.subject.map { "\($0)" } })
        return [.refusedMembers(refusedMembers.filter { refused.contains($0.key) })]
    }
}

extension [Plan.Missed] {
    /// What no run finds too late again, once the state has the bookkeeping.
    ///
    /// - Parameters:
    ///   - waiting: campaigns whose watermark waits for a step. What nothing else ends, the next run finds again.
    ///   - recorded: occurrences that it has. The bookkeeping ends them.
    func forGood(waiting: Set<String>, recorded: Set<OccurrenceID>) -> [Plan.Missed] {
        filter { missed in
            missed.unrecorded != nil || recorded.contains(missed.occurrence)
                || !waiting.contains(missed.occurrence.campaign)
        }
    }

    /// Those that the changes deal with, and of which the state may have something before.
    package func recorded(before changes: [StateChange]) -> Set<OccurrenceID> {
        Set(changes.compactMap(\.dealtWith)).intersection(filter { $0.unrecorded == nil }.map(\.occurrence))
    }
}

extension StateChange {
    /// The occurrence that it begins or ends, or of which it skips those for whom no run came in time. No run finds that
    /// too late again.
    var dealtWith: OccurrenceID? {
        switch self {
        case .open(let id, _), .finish(let id, _), .skip(let id, _, .missed): id
        default: nil
        }
    }
}
