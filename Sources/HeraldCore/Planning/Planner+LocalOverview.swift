internal import FCM

/// What readers see of a campaign in local time.
extension Planner {
    mutating func notePassed(_ sorting: WaveSorting, _ id: OccurrenceID, _ progress: WaveSorting.Progress) {
        if progress.isFieldNew, sorting.waves.joinedLate > 0 {
            overview.warnings.append(
                "\(id) leaves out \(count(sorting.waves.joinedLate, "recipient")) whose clock had passed it when its schedule got a time zone field: \(sorting.zonesOfLate)"
            )
        }
        if !sorting.leftToNextDay.isEmpty {
            overview.warnings.append(
                "\(id) goes to \(count(sorting.leftToNextDay.count, "recipient")) a day later, because their clock had passed it when the campaign was first seen (if_passed: next_day)"
            )
        }
        guard !sorting.passed.isEmpty else { return }
        overview.warnings.append(
            "\(id) leaves out \(count(sorting.passed.count, "recipient")) whose clock had passed it when the campaign was first seen (if_passed)"
        )
    }

    /// No step says how many of another target joined too late where nobody else is left or to come.
    mutating func noteLeftOut(_ sorting: WaveSorting, _ id: OccurrenceID) {
        guard sorting.leavesOut, sorting.waves.ahead.isEmpty, sorting.waves.unrecorded.isEmpty else { return }
        overview.warnings.append(
            "\(id) goes to nobody more: \(count(sorting.waves.joinedLate, "recipient")) joined too late to get it")
    }

    /// - Parameter isNext: whether no earlier occurrence of the campaign is ahead.
    mutating func noteAhead(
        _ sorting: WaveSorting, _ id: OccurrenceID, _ wanted: DesiredSend, isNext: Bool = true
    ) {
        var waves = sorting.waves.wavesAhead
        guard let first = waves.first, let last = waves.last else { return }
        if isNext {
            for place in waves.indices { waves[place].take(wanted) }
            explain(id, to: sorting.waves.coming, "their clock comes to it then")
            explain(id, to: sorting.skippedAhead.all, "their clock leaves it out: it is not sent to them", until: nil)
        }
        var occurring = Occurring(of: wanted.campaign, at: sorting.waves.local)
        (occurring.occurrence, occurring.at, occurring.last) = (id, first.at, last.at)
        occurring.note = ([occurring.note] + sorting.wordsOfSkipped).filter { !$0.isEmpty }.joined(separator: "; ")
        overview.upcoming.append(
            .init(
                occurring: occurring, target: wanted.campaign.target.value,
                recipients: waves.reduce(0) { $0 + $1.recipients }, isCounted: wanted.isCounted, waves: waves,
                coming: isNext ? sorting.waves.coming : Partition()))
    }

    /// Occurrences that no clock has reached yet.
    ///
    /// - Parameter moved: what is left out of them.
    mutating func noteComing(
        _ wanted: DesiredSend, _ schedule: LocalSchedule, _ progress: WaveSorting.Progress,
        besides moved: Set<LocalTime>
    ) {
        let begin = max(LocalTime(latestAt: now), LocalTime(latestAt: progress.first))
        // A fast clock may have begun or ended some.
        let begun = (occurrences[wanted.campaign.name.value] ?? []).map(\.occurrence).filter { !$0.isUnbegun }
        let others = moved.union(begun.compactMap(\.local)).filter { $0 > begin }
        var times = schedule.times(
            after: begin, through: LocalTime(latestAt: max(now, horizon)), limit: .max)
        times.removeAll(where: others.contains)
        // The next one is shown even if it is far away.
        if times.isEmpty { times = [schedule.next(after: begin, besides: others)].compactMap(\.self) }
        let listed = times.prefix(upcomingLimit.ofEach)
        for local in listed {
            let id = OccurrenceID(
                campaign: wanted.campaign.name.value, local: local, revision: wanted.campaign.revision)
            let sorting = sorting(local, wanted, nil, progress)
            if sorting.waves.ahead.isEmpty {
                noteUncounted(local, id, wanted)
            } else {
                noteAhead(sorting, id, wanted, isNext: local == times.first)
            }
        }
        if let last = times.dropFirst(listed.count).last, let place = overview.upcoming.indices.last {
            overview.upcoming[place].further = PlanOverview.Further(
                count: times.count - listed.count, last: last)
        }
    }

    /// Without a list, an occurrence is shown from the first clock of the world to the last.
    mutating func noteUncounted(_ local: LocalTime, _ id: OccurrenceID, _ wanted: DesiredSend) {
        guard wanted.campaign.schedule.lastInstant(of: local) > now else { return }
        var occurring = Occurring(of: wanted.campaign, at: local)
        occurring.occurrence = id
        overview.upcoming.append(.init(occurring: occurring, target: wanted.campaign.target.value, recipients: 0))
    }
}

extension Plan.Wave {
    /// Notes what becomes of one that is ahead where its window is closed then. All of it have the same clock.
    fileprivate mutating func take(_ wanted: DesiredSend) {
        guard let window = wanted.campaign.windowOfTarget else { return }
        var zone = window.zone
        if let field = window.field?.value {
            // By another field they may have any zone.
            guard field == wanted.campaign.schedule.local?.field else { return }
            zone = wanted.zones[field]?.keys.first { $0.name == zones.first } ?? zone
        }
        let standing = window.hours.standing(at: at, in: zone)
        guard !standing.isOpen else { return }
        if window.whenClosed == .skip { skipped = recipients } else { opens = standing.until }
    }
}
