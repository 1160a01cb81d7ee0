/// When messages started, for caps.
extension StepWork {
    /// Whether messages whose intent was made at a time may start now. Later than the end of its span they would count for
    /// caps as older than they are.
    func isNoted(_ noted: Date, at now: Date) -> Bool {
        guard let counting = send?.counting else { return true }
        return now <= counting.start(at: noted).until
    }

    /// The last message did not reach these people. Where an earlier one may have, that one counts again.
    func withdrawing(
        _ members: RecipientSet, of occurrence: OccurrenceID, _ earlier: Partition<MessageStart>
    ) -> [StateChange] {
        let kept = earlier.intersection(members)
        let unstarted = members.subtracting(kept.all)
        return (unstarted.isEmpty ? [] : [.unstarted(occurrence, unstarted)])
            + kept.states.sorted { ($0.until, $0.tags.joined()) < ($1.until, $1.tags.joined()) }
            .map { .started(occurrence, kept[$0], $0) }
    }
}

extension RecordedOccurrence {
    init(_ send: Plan.Send, begun: Date? = nil) {
        self.init(
            campaign: send.campaign, revision: send.revision, due: send.waves?.local.firstInstant ?? send.due,
            local: send.waves?.local, contentDigest: send.contentDigest, target: send.target.recordedText, begun: begun)
    }
}
