/// What the state is to know of a plan besides what its steps do.
extension Plan {
    /// Names that campaigns have now.
    var renaming: [StateChange] { renames.map { .rename(campaign: $0.old, to: $0.new) } }

    /// Occurrences that are over without a step of their own. A missed one is reported once.
    func endings(at now: Date) -> [StateChange] {
        let ids = Set(steps.map(\.id))
        let missed = missed.filter { !ids.contains(.send($0.occurrence)) }.flatMap { missed in
            (missed.unrecorded.map { [StateChange.open(missed.occurrence, $0)] } ?? [])
                + [.finish(missed.occurrence, at: now)]
        }
        return missed + over.map { .finish($0, at: now) }
    }

    /// All of it, where there are no steps to wait for.
    package func bookkeeping(at now: Date) -> [StateChange] {
        var marks = Watermarks()
        marks.add(watermarks)
        let sending = steps.compactMap { if case .send(let send) = $0.work { send.campaign } else { nil } }
        return renaming + endings(at: now) + marks.due(waiting: Set(sending), recorded: [:])
    }

    /// When nothing hindered it: how many recipients each audience has.
    package func closing(sizes: [String: Int]) -> [StateChange] {
        [.audienceSizes(sizes.merging(keptSizes) { $1 })]
    }
}
