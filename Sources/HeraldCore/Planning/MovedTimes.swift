/// The times of a cron in local time that only move what was sent: the first new time of each day on which an occurrence
/// was sent whose time the schedule does not have any more. What the schedule had beside that one is none that moved.
struct MovedTimes {
    /// The times that were sent and that it does not have any more. Ascending.
    let lost: [LocalTime]
    /// The schedule before the last edit. `nil` if that is not known.
    private let former: LocalSchedule?

    /// - Parameters:
    ///   - recorded: how far the campaign is dealt with.
    ///   - own: its occurrences.
    ///   - begin: what was sent before the day of that does not count.
    init(
        of campaign: Campaign, _ schedule: LocalSchedule, after recorded: Watermark?, _ own: [RecordedOccurrence],
        since begin: LocalTime
    ) {
        let zone = campaign.formerZone(after: recorded)
        lost = own.filter(\.hasTried).compactMap { $0.localTime(in: zone) }
            .filter { $0 >= begin.startOfDay && !schedule.has($0) }.sorted()
        former = campaign.formerSchedule(after: recorded).flatMap(LocalSchedule.cron(ofText:))
    }

    /// Takes them out, each with what it moves.
    func takeOut(of times: inout [LocalTime]) -> [(time: LocalTime, last: LocalTime)] {
        var moved: [(time: LocalTime, last: LocalTime)] = []
        for last in lost {
            let others = former.flatMap { $0.has(last) ? $0 : nil }
            guard
                let place = times.firstIndex(where: { time in
                    time.startOfDay == last.startOfDay && others?.has(time) != true
                })
            else { continue }
            moved.append((times.remove(at: place), last))
        }
        return moved
    }

    /// Those of a schedule after a time.
    ///
    /// - Parameter known: the times that were sent.
    func times(of schedule: LocalSchedule, after begin: LocalTime, besides known: Set<LocalTime>) -> Set<LocalTime> {
        guard let end = lost.last?.startOfDay.nextDay else { return [] }
        var times = schedule.times(after: begin, through: end, limit: Planner.looked).filter { !known.contains($0) }
        return Set(takeOut(of: &times).map(\.time))
    }
}

extension Campaign {
    /// The schedule before the last edit, as the watermark notes it. `nil` if that is not known.
    func formerSchedule(after recorded: Watermark?) -> String? {
        guard let (text, former) = recorded?.lines else { return nil }
        return text == markedSchedule ? former : text
    }

    /// By whose clock went what was sent at the same instant for all.
    func formerZone(after recorded: Watermark?) -> Zone {
        formerSchedule(after: recorded).flatMap(Schedule.zone(ofText:)) ?? schedule.zone
    }
}
