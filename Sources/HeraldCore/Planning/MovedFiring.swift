internal import FCM

/// The first firing of a cron after an edit of its schedule, beside the last occurrence that was sent before.
struct MovedFiring {
    var first: Date
    var last: OccurrenceID
    var lastDue: Date
    /// Whether the first counts as the last, moved, and is left out: both are of the same local day, the schedule no
    /// longer has the last one's time, and the old one had no other time in between.
    var isLeftOut: Bool

    /// `nil` if there was no edit, or if it moved nothing. The day of each is that on its own clock: the edit may be of the
    /// zone.
    ///
    /// - Parameters:
    ///   - recorded: how far the campaign is dealt with.
    ///   - own: its occurrences.
    init?(
        of campaign: Campaign, after recorded: Watermark?,
        _ own: [(id: OccurrenceID, occurrence: RecordedOccurrence)]
    ) {
        let schedule = campaign.schedule
        guard let recorded, recorded.schedule != schedule.text, let first = schedule.next(after: recorded.at) else {
            return nil
        }
        let day = schedule.zone.local(at: first).startOfDay
        let former = Schedule.zone(ofText: recorded.schedule) ?? schedule.zone
        let sent = own.compactMap { id, occurrence in
            occurrence.hasTried
                ? occurrence.due(in: schedule.zone).map { (id: id, due: $0, local: occurrence.localTime(in: former)) }
                : nil
        }
        let before = sent.filter { $0.local.map { $0.startOfDay <= day } ?? false }
        guard let last = before.max(by: { $0.due < $1.due }), !schedule.fires(at: last.due) else { return nil }
        // After a crash the watermark may be older than the last send, and its next time may be that send.
        let next = recorded.next.flatMap { $0 > last.due ? $0 : nil } ?? .distantFuture
        guard first < next else { return nil }
        (self.first, self.last, lastDue) = (first, last.id, last.due)
        isLeftOut = last.local?.startOfDay == day
    }
}
