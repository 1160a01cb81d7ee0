internal import FCM

/// What comes due later.
extension Planner {
    func upcoming(_ wanted: DesiredSend, after: Date, through: Date) -> [PlanOverview.Upcoming] {
        upcoming(wanted, Occurring.coming(of: wanted.campaign, after: after, through: through, limit: 1))
    }

    /// What comes of a cron. The next one is shown even if it is far away.
    ///
    /// - Parameter known: a fast clock may have sent what is still to come.
    func upcoming(_ wanted: DesiredSend, after: Date, besides known: Set<Date>) -> [PlanOverview.Upcoming] {
        let schedule = wanted.campaign.schedule
        let soon = schedule.occurrences(after: after, through: horizon, limit: .max)
        let instants = (soon.isEmpty ? [schedule.next(after: after)].compactMap(\.self) : soon)
            .filter { !known.contains($0) }
        let listed = instants.prefix(upcomingLimit.ofEach)
        var result = upcoming(wanted, listed.map { Occurring(of: wanted.campaign, at: $0) })
        if let last = instants.dropFirst(listed.count).last, let place = result.indices.last {
            result[place].further = PlanOverview.Further(
                count: instants.count - listed.count, last: schedule.zone.local(at: last))
        }
        return result
    }

    private func upcoming(_ wanted: DesiredSend, _ coming: [Occurring]) -> [PlanOverview.Upcoming] {
        // Counted once for all of them, because conditions take long to count.
        let members = coming.isEmpty ? [] : wanted.members.intersection(wanted.reached).subtracting(unreachable)
        let count = coming.isEmpty || !wanted.isCounted ? 0 : reached(by: wanted.campaign, members).upperBound
        let target = wanted.campaign.target.value
        let isCounted = isCounted(target) && wanted.isCounted
        return coming.map { .init(occurring: $0, target: target, recipients: count, isCounted: isCounted) }
    }

    mutating func limitUpcoming() {
        overview.upcoming.sort(by: PlanOverview.Upcoming.isBefore)
        // The next send of each campaign comes before any campaign's second one, and none of them is left out: readers
        // count campaigns by what is listed.
        var seen: Set<String> = []
        let next = overview.upcoming.filter { seen.insert($0.occurring.campaign).inserted }
        var passed: Set<String> = []
        let others = overview.upcoming.filter { !passed.insert($0.occurring.campaign).inserted }
        let ranked = next + others
        var kept = ranked.prefix(max(upcomingLimit.ofAll, next.count)).sorted(by: PlanOverview.Upcoming.isBefore)
        var further: [String: PlanOverview.Further] = [:]
        let note = { (upcoming: PlanOverview.Upcoming, more: PlanOverview.Further) in
            further.merge([upcoming.occurring.campaign: more], uniquingKeysWith: +)
        }
        for upcoming in ranked { if let more = upcoming.further { note(upcoming, more) } }
        for upcoming in ranked.dropFirst(kept.count) {
            note(upcoming, PlanOverview.Further(count: 1, last: upcoming.occurring.local))
        }
        overview.upcomingOmitted = further.values.reduce(0) { $0 + $1.count }
        for place in kept.indices.reversed() {
            kept[place].further = further.removeValue(forKey: kept[place].occurring.campaign)
        }
        overview.upcoming = kept
        forgetZonesOfEnded()
        plan.nextDue = ([overview.upcoming.first?.occurring.at] + plan.waiting.map(\.until)).compactMap(\.self).min()
    }

    /// Notes whom caps stop of what is to come, and how it opens up.
    ///
    /// - Parameter book: what counts for caps once all of this plan is sent.
    mutating func foresee(after book: CapBook) {
        foreseeCaps(book)
        foreseeStages()
    }

    /// Notes how the next send of each campaign opens up, unless the plan shows that beside what has begun.
    private mutating func foreseeStages() {
        guard !listsSkipped else { return }
        let byCampaign = wantedSends
        var seen: Set<String> = []
        for place in overview.upcoming.indices {
            let upcoming = overview.upcoming[place]
            let id = upcoming.occurring.occurrence
            guard seen.insert(upcoming.occurring.campaign).inserted, upcoming.isCounted,
                let wanted = byCampaign[upcoming.occurring.campaign], let stages = wanted.campaign.delivery.stages,
                state.occurrences[id]?.hasBegun != true
            else { continue }
            let seeds = wanted.seeds.intersection(wanted.members).subtracting(unreachable).count
            overview.upcoming[place].stages = stages.expected(
                of: upcoming.recipients, seeds: min(seeds, upcoming.recipients), isCapped: upcoming.capped != nil,
                from: upcoming.occurring.at, upcoming.start(in: wanted.campaign.delivery.window))
        }
    }

    /// Of a campaign with nothing left to send, nobody has to know whose row names no zone.
    private mutating func forgetZonesOfEnded() {
        var going = Set(overview.upcoming.map(\.occurring.campaign) + plan.waiting.map(\.campaign))
        // An id has the name that its campaign had when it began.
        going.formUnion(plan.held.map { state.occurrences[$0.occurrence]?.campaign ?? $0.occurrence.campaign })
        for case .send(let send) in sends.map(\.work) { going.insert(send.campaign) }
        overview.zonesDefaulted = overview.zonesDefaulted.filter { going.contains($0.key) }
    }
}

extension PlanOverview.Upcoming {
    /// When the first of its people may start: no seeds, for whom no window counts.
    fileprivate func start(in window: SendWindow?) -> Date {
        if let first = waves.map(\.start).min() { return first }
        guard let window, window.field == nil, window.whenClosed == .wait else { return occurring.at }
        let standing = window.hours.standing(at: occurring.at, in: window.zone)
        return standing.isOpen ? occurring.at : standing.until ?? occurring.at
    }
}
