internal import FCM

/// Which times of a campaign in local time a plan looks at.
extension Planner {
    /// The times that somebody's clock may have reached since the last run, or that are not over everywhere.
    ///
    /// - Parameters:
    ///   - begin: the time of a cron from which on that may be so.
    ///   - unbegun: what tried nobody yet. The last run may have passed it.
    /// - Returns: them, and what is left out because it only moves what was sent, also if it is still to come.
    mutating func dueTimes(
        of campaign: Campaign, _ schedule: LocalSchedule, _ progress: WaveSorting.Progress, since begin: LocalTime,
        _ unbegun: [RecordedOccurrence]
    ) -> (due: [LocalTime], moved: Set<LocalTime>) {
        let known = (occurrences[campaign.name.value] ?? []).map(\.occurrence)
        if case .at(let time, _) = schedule.times {
            return (campaign.hasEnded(in: known) || time.firstInstant > now ? [] : [time], [])
        }
        let begin = max(begin, LocalTime(latestAt: progress.first))
        let latest = LocalTime(latestAt: now)
        let lost = takenOut(of: campaign, schedule, since: begin)
        let end = lost.last.map { max(latest, $0.startOfDay.nextDay) } ?? latest
        var times = schedule.times(after: begin, through: end, limit: Self.looked)
        let passed = unbegun.compactMap(\.local).filter { $0 <= latest && schedule.has($0) && !times.contains($0) }
        times = Set(passed).sorted() + times
        // Compared by time, because a rename leaves the ids as they are and a new revision must not send them again.
        let begun = known.filter { !$0.isUnbegun }
        let zone = formerZone(of: campaign)
        let sent = Set(begun.compactMap { $0.localTime(in: zone) })
        times.removeAll(where: sent.contains)
        let moved = noteMoved(&times, campaign, besides: lost)
        return (times.filter { $0 <= latest }, moved)
    }

    /// Takes out the first new time of each day on which an occurrence was sent whose time the schedule does not have any
    /// more: it counts as that one, moved. What the schedule had beside that one is none that moved.
    ///
    /// - Parameter lost: the times that were sent and that it does not have any more.
    private mutating func noteMoved(
        _ times: inout [LocalTime], _ campaign: Campaign, besides lost: [LocalTime]
    ) -> Set<LocalTime> {
        let former = formerSchedule(of: campaign).flatMap(LocalSchedule.cron(ofText:))
        var moved: Set<LocalTime> = []
        for last in lost {
            let others = former.flatMap { $0.has(last) ? $0 : nil }
            guard
                let place = times.firstIndex(where: { time in
                    time.startOfDay == last.startOfDay && others?.has(time) != true
                })
            else { continue }
            let time = times.remove(at: place)
            moved.insert(time)
            overview.warnings.append(
                "\(campaign.name.value)@\(time.shortText) is left out: the schedule was changed, and \(last.shortText) of the same day was sent already"
            )
        }
        return moved
    }

    /// The times at which an occurrence was sent, from the day of `begin` on, and which the schedule does not have any more.
    /// Ascending.
    private func takenOut(of campaign: Campaign, _ schedule: LocalSchedule, since begin: LocalTime) -> [LocalTime] {
        let zone = formerZone(of: campaign)
        return (occurrences[campaign.name.value] ?? []).map(\.occurrence).filter(\.hasTried)
            .compactMap { $0.localTime(in: zone) }
            .filter { $0 >= begin.startOfDay && !schedule.has($0) }.sorted()
    }

    /// The schedule as the watermark notes it. The one from before is on a second line while a day is looked at on which
    /// something was sent at a time that it lost, or by the clock of another zone. Where some wait for the next day, the
    /// limits that decided so are there.
    func markedSchedule(
        of campaign: Campaign, _ schedule: LocalSchedule, _ progress: WaveSorting.Progress, since begin: LocalTime
    ) -> String {
        let text = campaign.markedSchedule
        if campaign.schedule.mayWaitADay { return "\(text)\n\(SeenLimits(progress.seen))" }
        guard schedule.isCron, let former = formerSchedule(of: campaign) else { return text }
        let zone = formerZone(of: campaign)
        let isOfOtherZone =
            zone != campaign.schedule.zone
            && (occurrences[campaign.name.value] ?? []).map(\.occurrence).contains { occurrence in
                occurrence.local == nil && occurrence.hasTried
                    && occurrence.localTime(in: zone).map { $0 >= begin.startOfDay } ?? false
            }
        let isNeeded = isOfOtherZone || !takenOut(of: campaign, schedule, since: begin).isEmpty
        return isNeeded ? "\(text)\n\(former)" : text
    }

    /// By whose clock went what was sent at the same instant for all.
    private func formerZone(of campaign: Campaign) -> Zone {
        formerSchedule(of: campaign).flatMap(Schedule.zone(ofText:)) ?? campaign.schedule.zone
    }

    /// The schedule before the last edit, as the watermark notes it. `nil` if that is not known.
    private func formerSchedule(of campaign: Campaign) -> String? {
        guard let (text, former) = state.watermarks[campaign.name.value]?.lines else { return nil }
        return text == campaign.markedSchedule ? former : text
    }
}

extension Watermark {
    /// What it has of the schedule, and what it notes beside that.
    var lines: (schedule: String, more: String?) {
        let lines = schedule.split(separator: "\n", maxSplits: 1).map(String.init)
        return (lines.first ?? "", lines.dropFirst().first)
    }
}

extension LocalSchedule {
    /// The first time after another one that is none of some others.
    func next(after begin: LocalTime, besides others: Set<LocalTime>) -> LocalTime? {
        times(after: begin, through: .far, limit: others.count + 1).first { !others.contains($0) }
    }

    func has(_ time: LocalTime) -> Bool {
        !times(after: LocalTime(secondsAsUTC: time.secondsAsUTC - 1), through: time, limit: 1).isEmpty
    }
}
