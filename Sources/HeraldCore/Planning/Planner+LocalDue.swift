internal import FCM

/// Which times of a campaign in local time a plan looks at.
extension Planner {
    /// The times that somebody's clock may have reached since the last run, or that are not over everywhere.
    ///
    /// - Parameter begin: the time of a cron from which on that may be so.
    mutating func dueTimes(
        of campaign: Campaign, _ schedule: LocalSchedule, _ progress: WaveSorting.Progress, since begin: LocalTime
    ) -> [LocalTime] {
        let known = (occurrences[campaign.name.value] ?? []).map(\.occurrence)
        if case .at(let time, _) = schedule.times {
            let isOver = known.contains {
                $0.local == time && $0.revision == campaign.revision && $0.finished != nil
            }
            return isOver || time.firstInstant > now ? [] : [time]
        }
        let begin = max(begin, LocalTime(latestAt: progress.first))
        var times = schedule.times(after: begin, through: LocalTime(latestAt: now), limit: Self.looked)
        // Compared by time, because a rename leaves the ids as they are and a new revision must not send them again.
        let begun = known.filter { !$0.isUnbegun }
        let sent = Set(begun.compactMap { $0.localTime(in: campaign.schedule.zone) })
        times.removeAll(where: sent.contains)
        return leavingOutMoved(times, campaign, schedule, since: begin)
    }

    /// Without the first new time of a day on which an occurrence was sent whose time the schedule does not have any more:
    /// it counts as that one, moved. What the schedule had before is none that moved.
    private mutating func leavingOutMoved(
        _ times: [LocalTime], _ campaign: Campaign, _ schedule: LocalSchedule, since begin: LocalTime
    ) -> [LocalTime] {
        let recorded = state.watermarks[campaign.name.value]?.schedule
        let before = recorded == campaign.markedSchedule ? nil : recorded.flatMap(LocalSchedule.cron(ofText:))
        var times = times
        for last in takenOut(of: campaign, schedule, since: begin) {
            guard
                let place = times.firstIndex(where: { time in
                    time.startOfDay == last.startOfDay && before?.has(time) != true
                })
            else { continue }
            let moved = times.remove(at: place)
            overview.warnings.append(
                "\(campaign.name.value)@\(moved.shortText) is left out: the schedule was changed, and \(last.shortText) of the same day was sent already"
            )
        }
        return times
    }

    /// The times at which an occurrence was sent, from the day of `begin` on, and which the schedule does not have any more.
    /// Ascending.
    func takenOut(of campaign: Campaign, _ schedule: LocalSchedule, since begin: LocalTime) -> [LocalTime] {
        (occurrences[campaign.name.value] ?? []).map(\.occurrence).filter(\.hasTried)
            .compactMap { $0.localTime(in: campaign.schedule.zone) }
            .filter { $0 >= begin.startOfDay && !schedule.has($0) }.sorted()
    }
}

extension LocalSchedule {
    func has(_ time: LocalTime) -> Bool {
        !times(after: LocalTime(secondsAsUTC: time.secondsAsUTC - 1), through: time, limit: 1).isEmpty
    }
}
