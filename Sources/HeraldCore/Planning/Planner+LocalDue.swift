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
        let recorded = state.watermarks[campaign.name.value]
        let moving = MovedTimes(of: campaign, schedule, after: recorded, known, since: begin)
        let end = moving.lost.last.map { max(latest, $0.startOfDay.nextDay) } ?? latest
        var times = schedule.times(after: begin, through: end, limit: Self.looked)
        let passed = unbegun.compactMap(\.local).filter { $0 <= latest && schedule.has($0) && !times.contains($0) }
        times = Set(passed).sorted() + times
        // Compared by time, because a rename leaves the ids as they are and a new revision must not send them again.
        let begun = known.filter { !$0.isUnbegun }
        let zone = campaign.formerZone(after: recorded)
        let sent = Set(begun.compactMap { $0.localTime(in: zone) })
        times.removeAll(where: sent.contains)
        let moved = moving.takeOut(of: &times)
        overview.warnings += moved.map { time, last in
            "\(campaign.name.value)@\(time.shortText) is left out: the schedule was changed, and \(last.shortText) of the same day was sent already"
        }
        return (times.filter { $0 <= latest }, Set(moved.map(\.time)))
    }

    /// The schedule as the watermark notes it. The one from before is on a second line while a day is looked at on which
    /// something was sent at a time that it lost, or by the clock of another zone. Where some wait for the next day, the
    /// limits that decided so are there.
    func markedSchedule(
        of campaign: Campaign, _ schedule: LocalSchedule, _ progress: WaveSorting.Progress, since begin: LocalTime
    ) -> String {
        let text = campaign.markedSchedule
        if campaign.schedule.mayWaitADay { return "\(text)\n\(SeenLimits(progress.seen))" }
        let recorded = state.watermarks[campaign.name.value]
        guard schedule.isCron, let former = campaign.formerSchedule(after: recorded) else { return text }
        let zone = campaign.formerZone(after: recorded)
        let own = (occurrences[campaign.name.value] ?? []).map(\.occurrence)
        let isOfOtherZone =
            zone != campaign.schedule.zone
            && own.contains { occurrence in
                occurrence.local == nil && occurrence.hasTried
                    && occurrence.localTime(in: zone).map { $0 >= begin.startOfDay } ?? false
            }
        let moving = MovedTimes(of: campaign, schedule, after: recorded, own, since: begin)
        let isNeeded = isOfOtherZone || !moving.lost.isEmpty
        return isNeeded ? "\(text)\n\(former)" : text
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
