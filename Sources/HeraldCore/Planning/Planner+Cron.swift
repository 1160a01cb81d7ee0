internal import FCM

/// Cron campaigns. Only times between the recorded watermark and now can be due.
extension Planner {
    /// How many occurrences of one campaign that are not sent are named one by one.
    private static let listed = 100
    /// How many are counted at most: those of every minute in almost two years.
    private static let counted = 1_000_000
    /// How many occurrences of one campaign one plan can catch up on.
    private static let caughtUp = 1000
    /// In seconds. Clocks that differ less than this are right.
    static let clockTolerance = 60.0
    /// In seconds. Two sends of a campaign that an edit brought so close together are pointed out.
    private static let soonAgain = 3600.0
    private static let replaced = "a later occurrence takes its place"
    private static let tooLateWithoutField = "it is too late since its schedule has no time zone field any more"

    mutating func cronSends(_ wanted: DesiredSend) -> [Plan.Send] {
        let campaign = wanted.campaign
        let schedule = campaign.schedule
        var recorded = state.watermarks[campaign.name.value]
        var mark = recorded?.at ?? now
        // How far one that was due once got says nothing about a cron.
        if let text = recorded?.schedule, LocalSchedule.isOnce(text) { (recorded, mark) = (nil, max(mark, now)) }
        let leftOut = leaveOutMoved(campaign, recorded)
        // Only later times can be due.
        let start = max(mark, leftOut ?? mark)
        var (end, dealt) = (max(start, now), max(mark, now))
        var due = campaign.enabled ? dueOccurrences(of: wanted, after: start) : []
        if due.count > Self.caughtUp {
            due.removeLast(due.count - Self.caughtUp)
            (end, dealt) = (due[due.count - 1], due[due.count - 1])
        }
        noteFastClock(campaign, mark)
        missPassedByField(campaign, recorded)
        // Compared by time, because a rename leaves the ids as they are and a new revision must not send them again.
        let entries = occurrences[campaign.name.value] ?? []
        let all = entries.map(\.occurrence)
        let known = Set(all.filter { !$0.isUnbegun }.compactMap { $0.due(in: schedule.zone) })
        // All of these come first: one in local time may have the same instant, and a smaller id. A raised revision takes
        // over what tried nobody before.
        for occurrence in all where campaign.enabled && occurrence.isUnbegun && occurrence.local == nil {
            guard let instant = occurrence.due, instant <= now, schedule.fires(at: instant) else { continue }
            if !due.contains(instant) { due.append(instant) }
        }
        var result: [Plan.Send] = []
        for (id, occurrence) in entries {
            // An open occurrence that has tried no recipient counts as not begun, whatever its message was then. A fast
            // clock may have opened it before its time.
            if occurrence.isUnbegun {
                // One in local time is due when the first clock of the world shows it.
                guard let first = occurrence.due, first <= now, let instant = occurrence.due(in: schedule.zone) else {
                    continue
                }
                // Else it would come again once the one in its place is pruned.
                if known.contains(instant) { plan.over.append(id) }
                if !campaign.enabled || known.contains(instant) { continue }
                let isPlanned = schedule.fires(at: instant)
                if isPlanned, occurrence.local == nil { continue }
                if !isPlanned, all.contains(where: { occurrence.isReplaced(by: $0, in: schedule.zone) }) {
                    plan.over.append(id)
                } else if !isPlanned {
                    // It was due, and edits of the schedule must not make it vanish without a word.
                    let reason = "the schedule does not have its time any more"
                    plan.missed.append(.init(occurrence: id, due: first, reason: reason))
                } else if instant <= min(end, now), !due.contains(instant) {
                    let isReplaced =
                        instant > start && due.contains { $0 > instant }
                        && lateness(of: wanted, id, due: instant) == nil
                    if isReplaced {
                        plan.superseded.append(.init(occurrence: id, due: first, reason: Self.replaced))
                        plan.over.append(id)
                    } else {
                        plan.missed.append(.init(occurrence: id, due: first, reason: Self.tooLateWithoutField))
                    }
                }
            } else if occurrence.revision == campaign.revision {
                result += planBegun(wanted, id, occurrence)
            }
        }
        let unbegun = all.filter(\.isUnbegun)
        for instant in due.sorted() where !known.contains(instant) {
            let id = freeID(of: campaign, due: instant)
            if let lateness = lateness(of: wanted, id, due: instant) {
                let missed = RecordedOccurrence(campaign, due: instant)
                plan.missed.append(
                    .init(occurrence: id, due: instant, reason: "it is \(lateness)", unrecorded: missed))
            } else {
                let earlier = unbegun.filter { $0.due(in: schedule.zone) == instant }
                let sends = begin(wanted, id, due: instant, after: earlier)
                // What a pause or an empty audience holds back is still to be sent. If the watermark has passed it, the
                // next plan finds it in the state.
                if sends.isEmpty, instant > mark { dealt = min(dealt, instant - 1) }
                result += sends
            }
        }
        if campaign.schedule.catchUp != .all { supersede(&result) }
        dealt = max(dealt, mark)
        var next = Watermark(at: dealt, schedule: schedule.text, next: schedule.next(after: dealt))
        // Until then the old schedule stays recorded, so that every plan sees that there was an edit.
        if let recorded, let leftOut, leftOut > dealt {
            (next.schedule, next.next) = (recorded.schedule, recorded.next)
        }
        plan.watermarks[campaign.name.value] = next
        if campaign.enabled {
            overview.upcoming += upcoming(wanted, after: end, besides: known)
        }
        return result
    }

    /// Nobody is missed where what came of campaigns left nobody until it was too late.
    mutating func notePassing(_ id: OccurrenceID, _ wanted: DesiredSend) {
        overview.warnings.append(
            "\(id) goes to nobody: by the outcomes of other sends, nobody is in \(wanted.campaign.target.value.words)")
    }

    /// - Parameter mark: until when its occurrences are dealt with.
    mutating func noteFastClock(_ campaign: Campaign, _ mark: Date) {
        guard campaign.enabled, mark > latest + Self.clockTolerance else { return }
        noteFastClock(Plan.Silenced(campaign: campaign.name.value, until: mark))
    }

    /// The same for a campaign that is due once for all, which has no watermark.
    ///
    /// - Parameter own: its occurrences.
    mutating func noteFastClock(
        _ campaign: Campaign, _ own: [(id: OccurrenceID, occurrence: RecordedOccurrence)]
    ) {
        let (name, clock) = (campaign.name.value, latest + Self.clockTolerance)
        // What is too late by now is lost anyway.
        let lost = own.first { _, occurrence in
            occurrence.wasPassed(after: clock) && occurrence.revision == campaign.revision
                && occurrence.hasTime(of: campaign.schedule)
                && occurrence.due.map { campaign.lateness(due: $0, at: now) == nil } ?? true
        }
        if campaign.enabled, let lost {
            let kind: Plan.Silenced.Kind = lost.occurrence.finished == nil ? .leftOut : .ended
            noteFastClock(Plan.Silenced(campaign: name, until: lost.occurrence.due ?? now, kind: kind))
        } else if !settings.frequencyCaps.isEmpty,
            let start = own.compactMap({ state.start(of: $0.id, after: clock) }).max()
        {
            noteFastClock(Plan.Silenced(campaign: name, until: start, kind: .starts))
        }
    }

    private mutating func noteFastClock(_ silenced: Plan.Silenced) {
        plan.silenced.append(silenced)
        overview.warnings.append(silenced.sentence)
    }

    /// A schedule that lost its time zone field has one instant for all. Where that has passed, it is too late for those whose
    /// clock was still ahead.
    private mutating func missPassedByField(_ campaign: Campaign, _ recorded: Watermark?) {
        let schedule = campaign.schedule
        guard campaign.enabled, let recorded, let first = recorded.first, case .cron(let cron, _, _) = schedule.times,
            recorded.schedule.hasPrefix(LocalSchedule.text(of: cron))
        else { return }
        let known = Set(
            (occurrences[campaign.name.value] ?? []).compactMap { $0.occurrence.localTime(in: schedule.zone) })
        let passed = schedule.occurrences(
            after: recorded.at - 2 * 86_400, through: min(recorded.at, now), limit: Self.listed)
        for instant in passed {
            let local = schedule.zone.local(at: instant)
            guard local.lastInstant > recorded.at, local > LocalTime(latestAt: first), !known.contains(local) else {
                continue
            }
            // Its instant may have been told as missed before the schedule got the field.
            plan.missed.append(
                .init(
                    occurrence: freeID(of: campaign, local: local), due: local.firstInstant,
                    reason: Self.tooLateWithoutField, unrecorded: RecordedOccurrence(campaign, local: local)))
        }
    }

    /// Nothing of a cron is due for a campaign that no file declares, or that is due once. If it is a cron again, it starts
    /// from then. One that is due once on each clock comes back as it was.
    mutating func passVanished() {
        let marked = Set(desired.sends.map(\.campaign).filter(\.schedule.hasMark).map(\.name.value))
        for (campaign, mark) in state.watermarks where !marked.contains(campaign) && mark.at < now {
            let isOnce = LocalSchedule.isOnce(mark.schedule)
            plan.watermarks[campaign] = Watermark(
                at: isOnce ? mark.at : now, schedule: mark.schedule, next: nil, first: mark.first)
        }
    }

    /// The occurrences to send now. The others are noted as missed or superseded.
    private mutating func dueOccurrences(of wanted: DesiredSend, after mark: Date) -> [Date] {
        let (campaign, schedule) = (wanted.campaign, wanted.campaign.schedule)
        guard schedule.latest(after: mark, through: now) != nil else { return [] }
        let patience = schedule.patience(settings)
        var reason =
            patience == nil ? "it is \(Lateness.tooLate)" : "it came due while nothing ran, and catch_up is none"
        let (cutoff, isExpiry) = campaign.cutoff(at: now, patience ?? schedule.maxLateness, in: windowZones(of: wanted))
        if isExpiry { reason = "it is \(Lateness.tooOld)" }
        let passed = schedule.occurrences(after: mark, through: cutoff, limit: Self.counted)
        // Those whose window was another one until now.
        let kept = patience != nil || waits.recorded.isEmpty ? [] : passed.filter { keepsWaiting($0, wanted) }
        let late = kept.isEmpty ? passed : passed.filter { !kept.contains($0) }
        if wanted.isForNobody, let last = late.last {
            notePassing(freeID(of: campaign, due: last), wanted)
        } else {
            leaveOut(late, of: campaign, reason, as: "missed", in: \.missed, beyond: \.missed)
        }
        let start = max(mark, cutoff)
        guard schedule.catchUp != .all, let last = schedule.latest(after: start, through: now) ?? kept.last else {
            return kept + schedule.occurrences(after: start, through: now, limit: Self.caughtUp + 1)
        }
        let earlier =
            kept.filter { $0 < last }
            + schedule.occurrences(after: start, through: last - 1, limit: Self.counted)
        leaveOut(
            earlier, of: campaign, Self.replaced, as: "superseded", in: \.superseded, beyond: \.superseded)
        return [last]
    }

    /// Whether nobody could start what was due then, and it is in time since.
    private func keepsWaiting(_ instant: Date, _ wanted: DesiredSend) -> Bool {
        let id = freeID(of: wanted.campaign, due: instant)
        return waits.recorded[id] != nil && lateness(of: wanted, id, due: instant) == nil
    }

    /// Names the first ones and counts the others.
    private mutating func leaveOut(
        _ instants: [Date], of campaign: Campaign, _ reason: String, as word: String,
        in list: WritableKeyPath<Plan, [Plan.Missed]>, beyond others: WritableKeyPath<Plan.Unlisted, [String: Int]>
    ) {
        let name = campaign.name.value
        // An occurrence that has begun is accounted for elsewhere.
        let known = Set((occurrences[name] ?? []).compactMap { $0.occurrence.due(in: campaign.schedule.zone) })
        let unknown = known.isEmpty ? instants : instants.filter { !known.contains($0) }
        for instant in unknown.prefix(Self.listed) {
            plan[keyPath: list].append(
                .init(occurrence: freeID(of: campaign, due: instant), due: instant, reason: reason))
        }
        let rest = unknown.count - Self.listed
        guard rest > 0 else { return }
        plan.unlisted[keyPath: others][name] = rest
        overview.warnings.append(
            "campaign '\(name)' has \(count(rest, "more \(word) occurrence")) than the \(Self.listed) listed")
    }

    /// The first firing after an edit of the schedule, if it only moves what was sent.
    private mutating func leaveOutMoved(_ campaign: Campaign, _ recorded: Watermark?) -> Date? {
        let name = campaign.name.value
        guard let moved = MovedFiring(of: campaign, after: recorded, occurrences[name] ?? []) else { return nil }
        let id = OccurrenceID(campaign: name, due: moved.first, revision: campaign.revision)
        if campaign.enabled, moved.isLeftOut {
            overview.warnings.append(
                "\(id) is left out: the schedule was changed, and \(moved.last) of the same day was sent already")
        } else if campaign.enabled, moved.first.timeIntervalSince(moved.lastDue) <= Self.soonAgain {
            overview.warnings.append(
                "\(id) comes soon after \(moved.last): the schedule was changed, and herald sends both, because they are on different days"
            )
        }
        return moved.isLeftOut ? moved.first : nil
    }
}

extension RecordedOccurrence {
    /// Whether the other one of that time tried nobody either, and a raised revision opened it.
    func isReplaced(by other: RecordedOccurrence, in zone: Zone) -> Bool {
        other.isUnbegun && other.revision > revision && other.localTime(in: zone) == localTime(in: zone)
    }
}

extension Schedule {
    /// Whether runs note how far it is dealt with.
    fileprivate var hasMark: Bool { isCron || local != nil }

    func fires(at instant: Date) -> Bool { latest(after: instant - 1, through: instant) != nil }
}
