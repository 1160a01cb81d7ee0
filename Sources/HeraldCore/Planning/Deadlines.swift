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
        let open = own.filter { !$0.value.isOver && $0.value.hasBegun && $0.value.halt == nil }
        let patience = campaign.schedule.patience(settings)
        var deadlines = open.sorted { $0.key < $1.key }.compactMap { id, occurrence in
            Deadline(id, of: campaign, occurrence.local, patience: occurrence.local == nil ? nil : patience) {
                campaign.limits(of: occurrence, in: $0)
            }
        }
        guard campaign.enabled, campaign.schedule.local == nil, let due = nextDue(of: campaign, at: now) else {
            return deadlines
        }
        let isKnown = own.values.contains { $0.revision == campaign.revision && $0.due == due && !$0.isUnbegun }
        if !isKnown {
            let id = OccurrenceID(campaign: campaign.name.value, due: due, revision: campaign.revision)
            var unseen = campaign
            if let patience { unseen.schedule.maxLateness = patience }
            let deadline = Deadline(id, of: unseen, patience: patience) { unseen.limits(due: due, in: $0) }
            deadlines += [deadline].compactMap(\.self)
        }
        return deadlines
    }

    /// When the first occurrence is due that no run has dealt with.
    private func nextDue(of campaign: Campaign, at now: Date) -> Date? {
        if let due = campaign.schedule.at { return due }
        return campaign.schedule.next(after: watermarks[campaign.name.value]?.at ?? now)
    }
}

extension Deadline {
    /// - Parameters:
    ///   - patience: how long it is waited for what no run has seen, if that is shorter.
    ///   - limits: those by windows in these zones.
    fileprivate init?(
        _ occurrence: OccurrenceID, of campaign: Campaign, _ local: LocalTime? = nil, patience: Duration?,
        limits: ([Zone]) -> TimeLimits
    ) {
        // No list is read, so people may be anywhere.
        let all = limits([])
        let (late, expiry) = (all.deadline, all.expiry)
        guard let end = [late, expiry].compactMap(\.self).min() else { return nil }
        let lateness: Lateness = end == late ? .late(since: end) : .expired(at: end)
        let isUnseen = local == nil && patience != nil && end == late
        self.init(occurrence: occurrence, end: end, setting: isUnseen ? "catch_up" : lateness.setting)
        let span: Duration? = end == late ? campaign.schedule.maxLateness : campaign.delivery.expiresAfter
        guard let span else { return }
        if let local {
            let unnoted = patience.flatMap { $0 < span ? $0 : nil }
            onEachClock = OnEachClock(span: span, unnoted: unnoted, first: local.firstInstant.adding(unnoted ?? span))
        } else if end == late, campaign.delivery.window?.field != nil,
            let first = Zone.everywhere.compactMap({ limits([$0]).deadline }).min()
        {
            onEachClock = OnEachClock(span: span, first: first)
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
