/// Until when a run may begin or resume an occurrence. After that it is missed.
package struct Deadline: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var end: Date
    /// The setting that ends it.
    package var setting: String
    /// Where each person has a deadline of their own: in local time, and with a window by each person's clock. Then `end`
    /// is that of the last clock of the world.
    package var onEachClock: OnEachClock?

    package struct OnEachClock: Hashable, Sendable {
        /// What the setting says.
        package var span: Duration
        /// What `expires_after` says, where it ends some before that: a window keeps them waiting for so long.
        package var expiry: Duration?
        /// With `catch_up: none`: how long a wave that no run has noted is in time. `nil` if that is as long as others are.
        package var unnoted: Duration?
        /// Nobody's deadline is earlier.
        package var first: Date
    }
}

extension RecordedState {
    /// The deadlines of what a pause of a campaign holds up: what has begun and is open, and what is due or comes next. In
    /// local time those of the last clock.
    package func deadlines(of campaign: Campaign, _ settings: Settings, at now: Date) -> [Deadline] {
        let own = occurrences.filter { $0.value.campaign == campaign.name.value }
            .map { (id: $0.key, occurrence: $0.value) }
        let open = own.filter { !$0.occurrence.isOver && $0.occurrence.hasBegun && $0.occurrence.halt == nil }
        let patience = campaign.schedule.patience(settings)
        let deadlines = open.sorted { $0.id < $1.id }.compactMap { id, occurrence in
            Deadline(id, of: campaign, occurrence.local, patience: occurrence.local == nil ? nil : patience) {
                campaign.limits(of: occurrence, in: $0)
            }
        }
        // Each revision of what is due once has one occurrence, and none after a higher one.
        let isDealtWith = own.map(\.occurrence).contains {
            $0.hasPassed(campaign)
                || $0.revision == campaign.revision && ($0.hasBegun || campaign.hasEnded(in: [$0]))
        }
        guard campaign.enabled, campaign.schedule.repeats || !isDealtWith else { return deadlines }
        // How far one that is due once got says nothing about a cron, nor the other way round.
        let mark = watermarks[campaign.name.value].flatMap {
            LocalSchedule.isOnce($0.schedule) == campaign.schedule.repeats ? nil : $0
        }
        var coming: [Deadline?] = []
        if let local = campaign.schedule.local {
            for time in nextDue(of: campaign, local, since: mark, own.map(\.occurrence), at: now) {
                let id = OccurrenceID(campaign: campaign.name.value, local: time, revision: campaign.revision)
                let occurrence = RecordedOccurrence(campaign, local: time)
                coming.append(
                    Deadline(id, of: campaign, time, since: mark?.at, patience: patience) {
                        campaign.limits(of: occurrence, in: $0)
                    })
            }
        } else {
            var unseen = campaign
            if let patience { unseen.schedule.maxLateness = patience }
            for due in nextDue(of: unseen, since: mark, own, at: now) {
                let id = OccurrenceID(campaign: campaign.name.value, due: due, revision: campaign.revision)
                coming.append(Deadline(id, of: unseen, patience: patience) { unseen.limits(due: due, in: $0) })
            }
        }
        return deadlines + coming.compactMap(\.self)
    }

    /// When the first occurrence is due that no run has dealt with, and the first one that is in time.
    private func nextDue(
        of campaign: Campaign, since mark: Watermark?, _ own: [(id: OccurrenceID, occurrence: RecordedOccurrence)],
        at now: Date
    ) -> [Date] {
        let schedule = campaign.schedule
        if let due = schedule.at { return [due] }
        let known = Set(own.filter { !$0.occurrence.isUnbegun }.compactMap { $0.occurrence.due(in: schedule.zone) })
        let moved = MovedFiring(of: campaign, after: mark, own).flatMap { $0.isLeftOut ? $0.first : nil }
        let begin = max(mark?.at ?? now, moved ?? .distantPast)
        let times = [begin, max(begin, campaign.cutoff(at: now))].compactMap { start in
            var due = schedule.next(after: start)
            while let time = due, known.contains(time) { due = schedule.next(after: time) }
            return due
        }
        return Set(times).sorted()
    }

    /// The same in local time.
    private func nextDue(
        of campaign: Campaign, _ schedule: LocalSchedule, since mark: Watermark?, _ own: [RecordedOccurrence],
        at now: Date
    ) -> [LocalTime] {
        if case .at(let time, _) = schedule.times { return [time] }
        // A cron begins with the first time that is ahead everywhere; one that had no field, with one that is so anywhere.
        let first = mark.map { $0.first ?? LocalTime(earliestAt: now).firstInstant } ?? now
        let (seen, dealt) = (LocalTime(latestAt: first), mark?.at ?? now)
        let begin = max(LocalTime(earliestAt: dealt), seen)
        let sent = Set(own.filter { !$0.isUnbegun }.compactMap { $0.localTime(in: campaign.schedule.zone) })
        let known = sent.filter { $0 > begin }
        // As plans look back.
        let early = max(LocalTime(earliestAt: dealt - 86_400), seen)
        let moved = MovedTimes(of: campaign, schedule, after: mark, own, since: early)
            .times(of: schedule, after: early, besides: sent)
        let times = [begin, max(begin, LocalTime(earliestAt: campaign.cutoff(at: now)))]
            .compactMap { schedule.next(after: $0, besides: known.union(moved.filter { $0 > begin })) }
        return Set(times).sorted()
    }
}

extension Campaign {
    /// The zones of its recipients' windows as the file says them, none if they may be anywhere: only rows of lists name
    /// zones.
    fileprivate var windowZones: [Zone] {
        guard let window = windowOfTarget else { return [] }
        return window.field == nil ? [window.zone] : []
    }

    /// All that was due until then is too late now.
    fileprivate func cutoff(at now: Date) -> Date { cutoff(at: now, schedule.maxLateness, in: windowZones).time }
}

extension Deadline {
    /// - Parameters:
    ///   - mark: until when whose clock came to it is dealt with.
    ///   - patience: how long it is waited for what no run has seen, if that is shorter.
    ///   - limits: those by windows in these zones.
    fileprivate init?(
        _ occurrence: OccurrenceID, of campaign: Campaign, _ local: LocalTime? = nil, since mark: Date? = nil,
        patience: Duration?, limits: ([Zone]) -> TimeLimits
    ) {
        let zones = campaign.windowZones
        let all = limits(zones)
        let late = all.deadline
        guard let end = all.end else { return nil }
        // A window keeps some waiting until the message expires. Others are late before that.
        let isOpenByClocks = campaign.delivery.window != nil && zones.isEmpty
        let firstLate = isOpenByClocks ? Zone.everywhere.compactMap { limits([$0]).deadline }.min() : nil
        let (maxLateness, expiresAfter) = (campaign.schedule.maxLateness, campaign.delivery.expiresAfter)
        let isEither =
            end != late && late != nil
            && (local == nil
                ? firstLate.map { $0 < end } ?? false
                : campaign.delivery.window != nil && expiresAfter.map { maxLateness < $0 } ?? false)
        let isLate = end == late || isEither
        let lateness: Lateness = isLate ? .late(since: end) : .expired(at: end)
        let isUnseen = local == nil && patience != nil && isLate
        self.init(occurrence: occurrence, end: end, setting: isUnseen ? "catch_up" : lateness.setting)
        guard let span = isLate ? maxLateness : expiresAfter else { return }
        let lifetime = isEither ? expiresAfter : nil
        if let local {
            let unnoted = patience.flatMap { $0 < span ? $0 : nil }
            let first = max(local.firstInstant, mark ?? local.firstInstant)
            onEachClock = OnEachClock(
                span: span, expiry: lifetime, unnoted: unnoted, first: first.adding(unnoted ?? span))
        } else if isLate, let firstLate {
            onEachClock = OnEachClock(span: span, expiry: lifetime, first: firstLate)
        }
    }
}

extension Schedule {
    /// For how long what no run has seen is not too late. `nil` if only `max_lateness` says that.
    func patience(_ settings: Settings) -> Duration? {
        // A run comes every `run_every`. What came due since the run before the last is on time, not late.
        let span = settings.runEvery * 2
        return catchUp == .none && span < maxLateness ? span : nil
    }
}
