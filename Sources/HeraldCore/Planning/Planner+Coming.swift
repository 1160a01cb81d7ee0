internal import FCM

/// What comes due later.
extension Planner {
    func upcoming(_ wanted: DesiredSend, after: Date, through: Date, limit: Int) -> [PlanOverview.Upcoming] {
        let coming = Occurring.coming(of: wanted.campaign, after: after, through: through, limit: limit)
        // Counted once for all of them, because conditions take long to count.
        let members = wanted.members.subtracting(unreachable)
        let count = coming.isEmpty || !wanted.isCounted ? 0 : reached(by: wanted.campaign, members).upperBound
        let target = wanted.campaign.target.value
        let isCounted = isCounted(target) && wanted.isCounted
        return coming.map { .init(occurring: $0, target: target, recipients: count, isCounted: isCounted) }
    }

    mutating func limitUpcoming() {
        overview.upcoming.sort(by: PlanOverview.Upcoming.isBefore)
        // The next send of each campaign comes before any campaign's second one.
        var seen: Set<String> = []
        let next = overview.upcoming.filter { seen.insert($0.occurring.campaign).inserted }
        var passed: Set<String> = []
        let others = overview.upcoming.filter { !passed.insert($0.occurring.campaign).inserted }
        let kept = (next + others).prefix(upcomingLimit.ofAll)
        overview.upcomingOmitted = overview.upcoming.count - kept.count
        overview.upcoming = kept.sorted(by: PlanOverview.Upcoming.isBefore)
        plan.nextDue = ([overview.upcoming.first?.occurring.at] + plan.waiting.map(\.until)).compactMap(\.self).min()
    }
}
