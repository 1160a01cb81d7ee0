/// Occurrences in local time that stay open, whatever the files say for a while.
extension Planner {
    /// Whether a clock that has not reached it yet may be of somebody whom the list lacks for now, as long as nobody stopped
    /// it. Whom waves ahead were for is not known any more once the schedule has no field.
    func mayBeAhead(
        _ occurrence: RecordedOccurrence, _ campaign: Campaign, _ sorting: WaveSorting?
    ) -> Bool {
        guard let local = occurrence.local else { return false }
        if sorting == nil { return now < local.nextDay.lastInstant }
        return occurrence.halt == nil && !occurrence.isReopened && now < campaign.schedule.lastInstant(of: local)
    }

    /// - Parameters:
    ///   - fixesAll: whether nobody is left in the waves until now whom a run must note. If somebody is, the step that
    ///     notes them says until when its waves are fixed.
    ///   - mark: until when its campaign counts as dealt with.
    mutating func see(
        _ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ waves: Plan.Waves, fixesAll: Bool, until mark: Date
    ) {
        seen.insert(id)
        guard fixesAll, let unseen = occurrence.unseen, let fixed = waves.nextMark else { return }
        // By a clock that is slow, some of what the watermark has passed is still to come.
        let since = fixed < mark ? fixed : nil
        if since != unseen { plan.notes.append(.unseen(id, since: since)) }
    }

    /// Whether everybody on the list has it.
    mutating func noteDone(_ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ isDone: Bool) {
        if !listsSkipped, isDone != occurrence.isDone { plan.notes.append(.done(id, isDone)) }
    }

    /// Open occurrences that no schedule in local time asks for now: if one does again, their waves go on where they were
    /// left. The watermark goes on meanwhile.
    mutating func noteUnseen(_ isSelected: (String) -> Bool) {
        for (id, occurrence) in state.occurrences.sorted(by: { $0.key < $1.key })
        where occurrence.local != nil && occurrence.finished == nil && occurrence.hasBegun && occurrence.unseen == nil
            && !seen.contains(id) && isSelected(occurrence.campaign)
        {
            plan.notes.append(.unseen(id, since: state.watermarks[occurrence.campaign]?.at ?? now))
        }
    }
}
