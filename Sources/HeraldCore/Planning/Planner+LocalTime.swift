internal import FCM

/// Campaigns in local time: an occurrence is a time of day on every clock, and reaches people wave by wave.
extension Planner {
    /// How many occurrences of one campaign one plan looks at.
    static let looked = 1000

    mutating func localSends(
        _ wanted: DesiredSend, _ schedule: LocalSchedule,
        _ ofRevision: [(id: OccurrenceID, occurrence: RecordedOccurrence)]
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        let begun = ofRevision.filter(\.occurrence.hasBegun)
        let open = ofRevision.filter { $0.occurrence.finished == nil }
        // A raised revision takes over what tried nobody before.
        let untried = (occurrences[campaign.name.value] ?? []).filter(\.occurrence.isUnbegun)
        let unbegun = schedule.isCron ? untried : open.filter(\.occurrence.isUnbegun)
        if !schedule.isCron, !begun.isEmpty {
            plan.over += untried.filter {
                $0.occurrence.revision < campaign.revision && $0.occurrence.due ?? now <= now
            }.map(\.id)
        }
        // Each revision of a campaign that is due once has one occurrence. The one that has begun counts.
        if !schedule.isCron, let last = begun.last, !open.contains(where: \.occurrence.hasBegun) {
            return planBegun(wanted, last.id, last.occurrence)
        }
        var progress = progress(of: wanted, schedule)
        if !schedule.isCron, let begun = open.first(where: \.occurrence.hasBegun) { progress.takeUp(begun.occurrence) }
        // A day is for clocks that leave a whole one out.
        let begin = LocalTime(earliestAt: progress.mark - 86_400)
        let toldLate = plan.joinedLate.count
        var (result, dealt): ([Plan.Send], Date) = ([], max(progress.mark, now))
        // Nobody looks at whose clock reaches it while it is disabled.
        if !campaign.enabled, !schedule.isCron, begun.isEmpty { dealt = progress.mark }
        noteFastClock(campaign, progress.mark)
        for (id, occurrence) in open where occurrence.hasBegun {
            var sorting = occurrence.local.map { self.sorting($0, wanted, occurrence, progress) }
            if sorting?.isForOthers == true {
                // An older herald did not note when a person let it go on.
                let instant = state.continued[id].map { min($0, now) } ?? now
                sorting?.leaveOutLate(of: wanted, occurrence, waited: waits.recorded[id], by: instant)
            }
            let sends = planBegun(wanted, id, occurrence, sorting)
            let notesWaves = sends.contains { $0.waves?.unrecorded.isEmpty == false }
            if !notesWaves, let sorting { hold(&dealt, before: sorting.waves) }
            let undecided = sorting?.undecided ?? []
            // An empty list does not say that nobody is in the waves of now.
            let isEmpty = !listsSkipped && wanted.targeted(for: occurrence.classes).isEmpty
            let isOpen = isEmpty || !undecided.isEmpty
            if isOpen { dealt = min(dealt, progress.mark) }
            if campaign.enabled, !undecided.isEmpty { noteUndecided(wanted, id, undecided) }
            // Whose waves they are once it has another target, only a step says.
            let isForOthers = sorting?.isForOthers == true
            if let waves = sorting?.waves, isForOthers ? notesWaves : !isApart(id, occurrence, campaign) {
                let fixesAll = waves.fresh.isEmpty && !isForOthers && !isOpen && !listsSkipped
                see(id, occurrence, waves, fixesAll: fixesAll, until: progress.mark)
            }
            if campaign.enabled, let sorting { noteAhead(sorting, id, wanted) }
            if sends.isEmpty, let sorting { noteLeftOut(sorting, id) }
            result += sends
        }
        if campaign.enabled, schedule.isCron || begun.isEmpty {
            let (times, moved) = dueTimes(of: campaign, schedule, progress, since: begin, unbegun.map(\.occurrence))
            if times.count >= Self.looked, let last = times.last { dealt = min(dealt, last.firstInstant) }
            for local in times {
                let sends = start(local, wanted, after: unbegun.map(\.occurrence), progress, &dealt)
                result += sends
            }
            if schedule.isCron {
                // What the watermark does not pass yet, a later plan finds again and tells.
                let mark = max(dealt, progress.recorded)
                let again = Set(times.filter { $0.lastInstant > mark }.map(\.firstInstant))
                let told = plan.joinedLate[toldLate...].filter { !again.contains($0.due) }
                plan.joinedLate.replaceSubrange(toldLate..., with: told)
            }
            endPassed(unbegun, besides: times, of: campaign)
            noteComing(wanted, schedule, progress, besides: moved)
        }
        if campaign.schedule.catchUp != .all { supersede(&result) }
        let text = markedSchedule(of: campaign, schedule, progress, since: begin)
        let mark = { (dealt: Date) in
            Watermark(
                at: max(dealt, progress.recorded), schedule: text,
                next: schedule.times(after: LocalTime(latestAt: dealt), through: .far, limit: 1).first?.firstInstant,
                first: progress.first)
        }
        plan.watermarks[campaign.name.value] = mark(dealt)
        plan.looks[campaign.name.value] = Plan.Look(
            mark: campaign.enabled ? mark(progress.mark) : nil, occurrences: Set((open + unbegun).map(\.id)))
        return result
    }

    /// Whether no run decides who is in the waves of an occurrence that has begun: its campaign has another target or time
    /// by now, or nobody of it may start before a person says so. Who is listed meanwhile says nothing about its people.
    private func isApart(_ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign) -> Bool {
        if sizes != nil { return false }
        if state.pauses.include(campaign.name.value) { return true }
        if occurrence.isForOthers(in: campaign, desired.audiencePreviousNames) { return true }
        let waits = occurrence.isChanged(in: campaign) || !campaign.enabled || occurrence.halt != nil
        return waits && plan.held.contains { $0.occurrence == id && $0.kind != .unknown }
    }

    // MARK: How far it has got

    private func progress(of wanted: DesiredSend, _ schedule: LocalSchedule) -> WaveSorting.Progress {
        let campaign = wanted.campaign
        let recorded = state.watermarks[campaign.name.value]
        let members = wanted.members.subtracting(unreachable)
        var seeds = members.intersection(wanted.seeds)
        // Where all of the target are seeds, no other wave is there that they could start with.
        if seeds == members { seeds = seeds.intersection(wanted.guests) }
        let clocks = wanted.zones(
            of: members.subtracting(seeds), by: schedule.field, else: campaign.schedule.zone)
        let seedClocks = wanted.zones(
            of: seeds.subtracting(wanted.guests), by: schedule.field, else: campaign.schedule.zone)
        let isFieldNew = schedule.isCron && recorded?.first == nil && recorded != nil
        let seen = { (first: Date, mark: Date, limits: SeenLimits?) in
            // What had passed when it got the field stays so.
            WaveSorting.Progress(
                first: first, mark: mark, recorded: isFieldNew ? mark : recorded?.at ?? .distantPast,
                patience: campaign.schedule.patience(settings), isFieldNew: isFieldNew, clocks: clocks, seeds: seeds,
                seedClocks: seedClocks, seen: limits?.applied(to: campaign) ?? campaign)
        }
        if let recorded, let first = recorded.first {
            let (text, limits) = recorded.lines
            // What is due again and again begins as if it were new where it was due once before.
            if schedule.isCron {
                return seen(LocalSchedule.isOnce(text) ? max(now, recorded.at) : first, recorded.at, nil)
            }
            // An older herald noted no revision.
            if text == campaign.markedSchedule || text == campaign.schedule.text && hasBegun(campaign) {
                return seen(first, recorded.at, limits.flatMap(SeenLimits.init))
            }
        }
        // One that is due once is seen anew after its time was changed. Who has it stays in the occurrence. What a fast
        // clock took stays so until somebody rewinds it.
        if case .at(let time, _) = schedule.times {
            return seen(now, recorded.flatMap { $0.at > now ? $0.at : nil } ?? min(now, time.firstInstant - 1), nil)
        }
        // A cron begins with the first time that is still ahead everywhere. One that was due at the same instant for all
        // before goes on with the next time that is ahead anywhere.
        let first = recorded == nil ? now : LocalTime(earliestAt: now).firstInstant
        return seen(first, max(now, recorded?.at ?? now), nil)
    }

    /// Whether the campaign has begun at its revision.
    func hasBegun(_ campaign: Campaign) -> Bool {
        (occurrences[campaign.name.value] ?? []).map(\.occurrence)
            .contains { $0.hasBegun && $0.revision == campaign.revision }
    }

    // MARK: Occurrences

    func sorting(
        _ local: LocalTime, _ wanted: DesiredSend, _ recorded: RecordedOccurrence?, _ progress: WaveSorting.Progress
    ) -> WaveSorting {
        var recorded = recorded
        // Nobody knows who of a wave is still listed.
        if listsSkipped { recorded?.waves = Partition() }
        return WaveSorting(
            local, of: wanted, recorded, progress, isForecast: sizes != nil && !listsSkipped, at: now)
    }

    /// An occurrence that has tried nobody yet.
    ///
    /// - Parameters:
    ///   - unbegun: those of its revision that have tried nobody.
    ///   - dealt: until when all is dealt with. What is held back is not.
    private mutating func start(
        _ local: LocalTime, _ wanted: DesiredSend, after unbegun: [RecordedOccurrence],
        _ progress: WaveSorting.Progress, _ dealt: inout Date
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        let id = freeID(of: campaign, local: local)
        let earlier = unbegun.filter { $0.localTime(in: campaign.schedule.zone) == local }
        var recorded = earlier.first { $0.local == local }
        // After a rename two ids may have it, and each of them knows waves.
        for other in earlier where other.local == local {
            for wave in other.waves.states { recorded?.waves.move(other.waves[wave], to: wave) }
        }
        let sorting = sorting(local, wanted, recorded, progress)
        notePassed(sorting, id, progress)
        // A list may lack those for a while whose clock is ahead.
        let isOver = sorting.waves.ahead.isEmpty && now >= campaign.schedule.lastInstant(of: local)
        let isEmpty = wanted.members.subtracting(unreachable).subtracting(wanted.guests).isEmpty
        guard !sorting.reachesNobody else {
            if listsSkipped {
                noteUncounted(local, id, wanted)
            } else if isEmpty {
                waitForSomebody(local, id, wanted, progress, isKnown: recorded != nil, &dealt)
            } else {
                noteAhead(sorting, id, wanted)
                if isOver { endWithNobody(local, id, campaign, sorting, progress) }
            }
            return []
        }
        let isLate = sorting.waves.ahead.isEmpty && isLate(sorting, id, wanted)
        if isLate, isOver {
            checkEnded(wanted, id, due: local.firstInstant, sorting: sorting)
            // Nobody knows how many it was for.
            miss(local, id, campaign, of: wanted.undecided.isEmpty ? sorting.waves.reached.all.count : nil)
            return []
        }
        noteAhead(sorting, id, wanted)
        let due = sorting.waves.reached.states.min()
        let sends = begin(wanted, id, due: due, after: earlier, sorting)
        if sends.isEmpty {
            hold(&dealt, before: sorting.waves)
            // An empty list does not say that nobody is in the waves of now. What is undecided is looked at again.
            if isEmpty || !wanted.undecided.isEmpty { dealt = min(dealt, progress.mark) }
        } else if isLate {
            // A step accounts for its people, and it stays open.
            miss(local, id, campaign, of: sorting.waves.reached.all.count)
        }
        return sends
    }

    private func isLate(_ sorting: WaveSorting, _ id: OccurrenceID, _ wanted: DesiredSend) -> Bool {
        sorting.waves.reached.states.allSatisfy { lateness(of: wanted, id, due: $0) != nil }
    }

    private mutating func miss(_ local: LocalTime, _ id: OccurrenceID, _ campaign: Campaign, of people: Int?) {
        plan.missed.append(
            .init(
                occurrence: id, due: local.firstInstant,
                reason: "it is \(Lateness.tooLate)" + (people.map { ", for \(count($0, "recipient"))" } ?? ""),
                unrecorded: RecordedOccurrence(campaign, local: local)))
    }

    /// Whoever joined too late is no part of it, so nobody is missed where that is everybody. Of a cron only seeds are told
    /// of, by the first plan since it is over: what they waited for went to nobody.
    private mutating func endWithNobody(
        _ local: LocalTime, _ id: OccurrenceID, _ campaign: Campaign, _ sorting: WaveSorting,
        _ progress: WaveSorting.Progress
    ) {
        let (late, repeats, seeds) = (sorting.waves.joinedLate, campaign.schedule.repeats, sorting.wordsOfLeftSeeds)
        if repeats, seeds == nil || local.lastInstant <= progress.mark { return }
        guard late > 0, sorting.passed.isEmpty else { return miss(local, id, campaign, of: sorting.passed.count) }
        plan.joinedLate.append(
            .init(
                occurrence: id, due: local.firstInstant,
                reason: seeds
                    ?? "nobody was listed when their clock came to it; \(count(late, "recipient")) joined too late",
                // Follow-ups go by the last one that is finished, which stays the last one that somebody was sent.
                unrecorded: repeats ? nil : RecordedOccurrence(campaign, local: local)))
    }

    /// An empty list says nothing about those whom it should have.
    ///
    /// - Parameter isKnown: whether the state has it, so that no earlier plan told what became of it.
    private mutating func waitForSomebody(
        _ local: LocalTime, _ id: OccurrenceID, _ wanted: DesiredSend, _ progress: WaveSorting.Progress, isKnown: Bool,
        _ dealt: inout Date
    ) {
        let campaign = wanted.campaign
        // Nobody knows whose clock has reached it.
        let last = campaign.schedule.lastInstant(of: local)
        if last <= progress.mark, !isKnown { return }
        if campaign.lateness(due: last, at: now) != nil {
            let passes = campaign.schedule.repeats && !isKnown && wanted.isForNobody
            return passes ? notePassing(id, wanted) : miss(local, id, campaign, of: 0)
        }
        dealt = min(dealt, local.firstInstant - 1)
        let reaching = progress.reaching(local, in: campaign.schedule.zone)
        guard let instant = reaching?.instant, instant <= now, instant > progress.mark else { return }
        // Its list is empty because it was not fetched, or because others decide who is in it.
        if !wanted.undecided.isEmpty { return noteUndecided(wanted, id, []) }
        overview.warnings.append(
            "campaign '\(campaign.name.value)' is due and has nobody to send to (\(campaign.target.value.words)); it begins when there is somebody"
        )
    }

    /// The next run must find those again whose wave could not be begun.
    private func hold(_ dealt: inout Date, before waves: Plan.Waves) {
        if waves.hasOwnMark { return }
        let first = waves.reached.states.filter { !waves.reached[$0].intersection(waves.fresh).isEmpty }.min()
        if let first { dealt = min(dealt, first - 1) }
    }

    /// What was due and has tried nobody is over when the schedule does not have it any more, when another occurrence has its
    /// time, or when it is too late on every clock.
    ///
    /// - Parameter times: those that were looked at.
    private mutating func endPassed(
        _ unbegun: [(id: OccurrenceID, occurrence: RecordedOccurrence)], besides times: [LocalTime],
        of campaign: Campaign
    ) {
        let zone = campaign.schedule.zone
        let known = (occurrences[campaign.name.value] ?? []).map(\.occurrence).filter { !$0.isUnbegun }
            .compactMap { $0.localTime(in: zone) }
        for (id, occurrence) in unbegun {
            guard let due = occurrence.due, due <= now, let local = occurrence.localTime(in: zone),
                !times.contains(local)
            else { continue }
            let isReplaced = unbegun.contains { occurrence.isReplaced(by: $0.occurrence, in: zone) }
            if known.contains(local) || isReplaced {
                plan.over.append(id)
            } else {
                let isPlanned = campaign.schedule.local?.has(local) == true
                let reason = isPlanned ? "it is \(Lateness.tooLate)" : "the schedule does not have its time any more"
                plan.missed.append(.init(occurrence: id, due: due, reason: reason))
            }
        }
    }
}

extension LocalTime {
    /// The last day that a schedule may have.
    static let far = LocalTime(year: 9999, month: 12, day: 31)
}

extension RecordedOccurrence {
    /// Its time on the clock of a zone, for one that was due at the same instant for all.
    func localTime(in zone: Zone) -> LocalTime? { local ?? due.map { zone.local(at: $0) } }

    /// Whether its time is later. One in local time and one that is due at the same instant for all are compared on the
    /// clock of a zone.
    func isLater(than other: RecordedOccurrence, in zone: Zone) -> Bool {
        if local == nil, other.local == nil, let due, let time = other.due { return due > time }
        guard let own = localTime(in: zone), let time = other.localTime(in: zone) else { return false }
        return own > time
    }

    /// When it is due on the clock of a zone.
    func due(in zone: Zone) -> Date? {
        guard let local else { return due }
        return Schedule(zone: zone).reaching(local, in: zone).instant
    }

    init(_ campaign: Campaign, local: LocalTime) {
        self.init(
            campaign: campaign.name.value, revision: campaign.revision, due: local.firstInstant, local: local,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
    }
}
