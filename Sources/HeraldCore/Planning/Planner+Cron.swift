internal import FCM

/// Cron campaigns. Only times between the recorded watermark and now can be due.
extension Planner {
    /// How many missed occurrences of one campaign are named one by one.
    private static let shownMissed = 100
    /// How many occurrences of one campaign one plan can catch up on.
    private static let caughtUp = 1000

    mutating func cronSends(
        _ wanted: DesiredSend, _ ofRevision: [(id: OccurrenceID, occurrence: RecordedOccurrence)]
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        let schedule = campaign.schedule
        let mark = watermark(of: campaign)
        var end = max(mark, now)
        var due = campaign.enabled ? dueOccurrences(of: campaign, after: mark) : []
        if due.count > Self.caughtUp {
            due.removeLast(due.count - Self.caughtUp)
            end = due[due.count - 1]
        }
        var result: [Plan.Send] = []
        for (id, occurrence) in ofRevision {
            // An open occurrence that has tried no recipient counts as not begun, whatever its message was then.
            if !occurrence.hasTried, occurrence.finished == nil {
                if campaign.enabled, let instant = occurrence.due, schedule.fires(at: instant), !due.contains(instant) {
                    due.append(instant)
                }
            } else {
                result += planBegun(wanted, id, occurrence)
            }
        }
        // Compared by time, because a rename leaves the ids as they are and a new revision must not send them again.
        let begun = (occurrences[campaign.name.value] ?? []).map(\.occurrence).filter {
            $0.hasTried || $0.finished != nil
        }
        let known = Set(begun.compactMap(\.due))
        var dealt = end
        for instant in due.sorted() where !known.contains(instant) {
            let id = OccurrenceID(campaign: campaign.name.value, due: instant, revision: campaign.revision)
            if let lateness = lateness(of: campaign, due: instant) {
                let missed = RecordedOccurrence(campaign, due: instant)
                plan.missed.append(
                    .init(occurrence: id, due: instant, reason: "it is \(lateness)", unrecorded: missed))
            } else {
                // What a pause holds is still to be sent.
                if state.pauses.include(campaign.name.value) { dealt = min(dealt, instant - 1) }
                result += unlessPaused(send(wanted, id, due: instant, ledger: Ledger()))
            }
        }
        dealt = max(dealt, mark)
        plan.watermarks[campaign.name.value] = Watermark(
            at: dealt, schedule: schedule.text, next: schedule.next(after: dealt))
        if campaign.enabled {
            let coming = upcoming(wanted, after: end, through: horizon, limit: PlanOverview.shownUpcoming)
            // The next one is shown even if it is far away.
            overview.upcoming +=
                coming.isEmpty
                ? schedule.next(after: end).map { upcoming(wanted, after: end, through: $0, limit: 1) } ?? [] : coming
        }
        return result
    }

    /// Nothing is due for a campaign that no file declares. If it comes back, it starts from then.
    mutating func passVanished() {
        let declared = Set(desired.sends.map(\.campaign.name.value))
        for (campaign, mark) in state.watermarks where !declared.contains(campaign) && mark.at < now {
            plan.watermarks[campaign] = Watermark(at: now, schedule: mark.schedule, next: nil)
        }
    }

    /// The occurrences to send now. The others are noted as missed or superseded.
    private mutating func dueOccurrences(of campaign: Campaign, after mark: Date) -> [Date] {
        let schedule = campaign.schedule
        guard schedule.latest(after: mark, through: now) != nil else { return [] }
        var patience = schedule.maxLateness
        var reason = "it is \(Self.late)"
        // A run comes every `run_every`. What came due since the run before the last is on time, not late.
        if schedule.catchUp == .none, settings.runEvery * 2 < patience {
            patience = settings.runEvery * 2
            reason = "it came due while nothing ran, and catch_up is none"
        }
        // Occurrences are whole seconds, so this is the latest one that is too late.
        var cutoff = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - patience.seconds).rounded(.up) - 1)
        if let span = campaign.delivery.expiresAfter, now.addingTimeInterval(-span.seconds) > cutoff {
            cutoff = now.addingTimeInterval(-span.seconds)
            reason = "it is \(Self.expired)"
        }
        let late = schedule.occurrences(after: mark, through: cutoff, limit: Self.shownMissed + 1)
        for instant in late.prefix(Self.shownMissed) { leaveOut(campaign, instant, reason, in: \.missed) }
        if late.count > Self.shownMissed {
            overview.warnings.append(
                "campaign '\(campaign.name.value)' missed more occurrences than the \(Self.shownMissed) listed")
        }
        var fresh = schedule.occurrences(after: max(mark, cutoff), through: now, limit: Self.caughtUp + 1)
        if schedule.catchUp != .all, let last = schedule.latest(after: max(mark, cutoff), through: now) {
            for instant in fresh.prefix(Self.shownMissed) where instant != last {
                leaveOut(campaign, instant, "a later occurrence takes its place", in: \.superseded)
            }
            fresh = [last]
        }
        return fresh
    }

    private mutating func leaveOut(
        _ campaign: Campaign, _ instant: Date, _ reason: String, in list: WritableKeyPath<Plan, [Plan.Missed]>
    ) {
        // An occurrence that has begun is accounted for elsewhere.
        let isKnown = (occurrences[campaign.name.value] ?? []).contains { $0.occurrence.due == instant }
        guard !isKnown else { return }
        let id = OccurrenceID(campaign: campaign.name.value, due: instant, revision: campaign.revision)
        plan[keyPath: list].append(.init(occurrence: id, due: instant, reason: reason))
    }

    /// Occurrences after this time can be due. It is the recorded watermark, or now for a campaign without one.
    private func watermark(of campaign: Campaign) -> Date {
        guard let recorded = state.watermarks[campaign.name.value] else { return now }
        guard recorded.schedule != campaign.schedule.text else { return recorded.at }
        return max(recorded.at, movedOccurrence(of: campaign, recorded) ?? recorded.at)
    }

    /// The new time of an occurrence that was already sent, after its schedule was edited: on the same day, and before
    /// the old schedule would have fired again.
    private func movedOccurrence(of campaign: Campaign, _ recorded: Watermark) -> Date? {
        let sent = (occurrences[campaign.name.value] ?? []).filter { $0.occurrence.hasTried }
        guard let last = sent.compactMap(\.occurrence.due).max() else { return nil }
        // After a crash the watermark may be older than the last send, and its next time may be that send.
        let next = recorded.next.flatMap { $0 > last ? $0 : nil } ?? .distantFuture
        let end = min(next, campaign.schedule.zone.endOfDay(of: last)) - 1
        return end > recorded.at ? campaign.schedule.latest(after: recorded.at, through: end) : nil
    }
}

extension Schedule {
    fileprivate func fires(at instant: Date) -> Bool { latest(after: instant - 1, through: instant) != nil }
}

extension Zone {
    /// The first instant of the next local day.
    fileprivate func endOfDay(of instant: Date) -> Date {
        var noon = local(at: instant)
        (noon.hour, noon.minute, noon.second) = (12, 0, 0)
        var midnight = local(at: first(of: noon) + 86_400)
        (midnight.hour, midnight.minute, midnight.second) = (0, 0, 0)
        return first(of: midnight)
    }

    private func first(of local: LocalTime) -> Date {
        switch instants(of: local) {
        case .one(let instant), .gap(let instant), .overlap(let instant, _): instant
        }
    }
}
