/// Why a campaign's watermark cannot be set back.
package enum RewindProblem: Error, Hashable, Sendable {
    /// The state has no watermark of that campaign.
    case noWatermark
    /// It is not later than now.
    case notAhead(Date)
}

extension RecordedState {
    /// Sets the watermark back to now that a run with a fast clock left in the future. What that run sent is not sent
    /// again: an occurrence is known by its time. What it dealt with in local time with nobody tried is forgotten, so that
    /// it can come due. Waves after now are not fixed any more.
    package func changes(rewinding campaign: String, to now: Date) throws(RewindProblem) -> [StateChange] {
        guard let mark = watermarks[campaign] else { throw .noWatermark }
        guard mark.at > now else { throw .notAhead(mark.at) }
        let ended = occurrences.filter { _, occurrence in
            guard occurrence.campaign == campaign, occurrence.local != nil, !occurrence.hasTried else { return false }
            return occurrence.finished.map { $0 > now } ?? occurrence.waves.states.contains { $0 > now }
        }
        let unseen = occurrences.filter { id, occurrence in
            occurrence.campaign == campaign && ended[id] == nil && occurrence.unseen.map { $0 > now } == true
        }
        let first = mark.first.map { min($0, now) }
        // Nobody can tell any more when the old schedule would have fired next.
        return [.watermark(campaign, Watermark(at: now, schedule: mark.schedule, next: nil, first: first))]
            + unseen.keys.sorted().map { .unseen($0, since: now) }
            + ended.keys.sorted().map { .drop(.occurrence($0)) }
    }
}
