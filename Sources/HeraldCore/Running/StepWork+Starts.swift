/// When messages started, for caps.
extension StepWork {
    /// Whether messages whose intent was made at a time may start now. Later than the end of its span they would count for
    /// caps as older than they are.
    func isNoted(_ noted: Date, at now: Date) -> Bool {
        guard let counting = send?.counting else { return true }
        return now <= counting.start(at: noted).until
    }

    /// How messages to these people count that start at a time. One that is sent again has the tags of the earlier try,
    /// too: that one may have arrived, and the file may have other tags by now.
    func starts(of members: RecipientSet, at now: Date) -> Partition<MessageStart> {
        guard let send, let start = send.counting?.start(at: now) else { return Partition() }
        var starts = Partition(disjoint: [start: members])
        for earlier in send.earlierStarts.states {
            let tags = Set(start.tags).union(earlier.tags).sorted()
            let again = send.earlierStarts[earlier].intersection(members)
            starts.move(again, to: MessageStart(until: start.until, tags: tags))
        }
        return starts
    }

    /// Messages to these people are about to start.
    func starting(_ members: RecipientSet, of occurrence: OccurrenceID, at now: Date) -> [StateChange] {
        let starts = starts(of: members, at: now)
        return starts.inOrder.map { .started(occurrence, starts[$0], $0) }
    }

    /// The last message did not reach these people. Where an earlier one may have, that one counts again.
    func withdrawing(
        _ members: RecipientSet, of occurrence: OccurrenceID, _ earlier: Partition<MessageStart>
    ) -> [StateChange] {
        let kept = earlier.intersection(members)
        let unstarted = members.subtracting(kept.all)
        return (unstarted.isEmpty ? [] : [.unstarted(occurrence, unstarted)])
            + kept.inOrder.map { .started(occurrence, kept[$0], $0) }
    }
}

extension Partition<MessageStart> {
    /// Its starts, always in the same order.
    fileprivate var inOrder: [MessageStart] {
        states.sorted { ($0.until, $0.tags.joined()) < ($1.until, $1.tags.joined()) }
    }
}

extension RecordedOccurrence {
    init(_ send: Plan.Send, begun: Date? = nil) {
        self.init(
            campaign: send.campaign, revision: send.revision, due: send.waves?.local.firstInstant ?? send.due,
            local: send.waves?.local, contentDigest: send.contentDigest, target: send.target.recordedText, begun: begun)
    }
}
