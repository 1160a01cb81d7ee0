internal import FCM

/// What a plan can foresee and nobody has asked for.
extension Planner {
    mutating func advise() {
        adviseOnEndingServices()
        adviseOnLeftGroups()
        adviseOnFanOuts()
        adviseOnRows()
        adviseOnUpcoming()
        adviseOnSuppressed()
    }

    /// A topic that keeps people from one campaign and brings them another loses those who are suppressed.
    private mutating func adviseOnSuppressed() {
        let targets = desired.sends.map(\.campaign.target.value)
        let both = Set(targets.flatMap(\.excludedTopics)).intersection(targets.flatMap(\.includedTopics))
        for topic in desired.topics where both.contains(topic.name) {
            let lost = topic.leftOut.intersection(suppressed).count
            guard lost > 0 else { continue }
            overview.warnings.append(
                "topic '\(topic.name)' keeps people from one campaign and is the target of another, so it does not have "
                    + "\(count(lost, "recipient")) whom 'suppress' leaves out; use a topic of its own for each")
        }
    }

    // MARK: Services that Google ends

    private mutating func adviseOnEndingServices() {
        if !desired.groups.isEmpty || desired.sends.contains(where: { !$0.campaign.target.value.groups.isEmpty }) {
            overview.warnings.append(
                "device groups \(hasEnded ? "ended" : "end") on \(EndOfService.day); send to an audience instead")
        }
        guard !desired.topics.isEmpty, usesBatches else { return }
        overview.warnings.append(
            "the Instance ID service \(hasEnded ? "ended" : "ends") on \(EndOfService.day); "
                + "use the Topic Subscription API instead (fcm.topic_api: registrations)")
    }

    private var hasEnded: Bool { now >= EndOfService.begin && state.identity.endpoint == .fcm }

    /// The project's number may be gone from the settings before the last group is deleted.
    private mutating func adviseOnLeftGroups() {
        // A snapshot does not have the names of groups.
        guard settings.senderID == nil, !hasEnded, sizes == nil else { return }
        for case .group(let change) in plan.steps.map(\.work) where change.action == .delete {
            overview.undeletable.append(change.group)
            overview.warnings.append(
                "group '\(change.group)' is still at FCM, and herald cannot delete it without sender_id: put that back "
                    + "into herald.yaml for one apply, or let herald forget the group with "
                    + "'herald state rm \("group:\(change.group)".shellWord)'")
        }
    }

    private var usesBatches: Bool {
        switch settings.fcm.topicAPI {
        case .iid: true
        case .registrations: false
        case .auto: state.topicAPI?.api == .iid
        }
    }

    // MARK: Fan-outs

    /// FCM recommends that one send to a topic or condition is under way at a time
    /// (docs/reference/fcm-errors.md#quotas-and-retries).
    private mutating func adviseOnFanOuts() {
        let due = sends.compactMap { step -> String? in
            guard case .send(let send) = step.work, send.target.fansOut, !send.members.isEmpty else { return nil }
            return send.campaign
        }
        warn(ofFanOuts: due, "are due now")
        let coming = Dictionary(grouping: overview.upcoming.filter(\.target.fansOut), by: \.occurring.at)
        for (instant, upcoming) in coming.sorted(by: { $0.key < $1.key }) where upcoming.count > 1 {
            warn(ofFanOuts: upcoming.map(\.occurring.campaign), "are due together at \(instant.rfc3339)")
            // One is enough: campaigns that meet once usually meet again.
            break
        }
    }

    private mutating func warn(ofFanOuts campaigns: [String], _ when: String) {
        guard campaigns.count > 1 else { return }
        let named = campaigns.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        let rest = campaigns.count > 5 ? " and \(campaigns.count - 5) more" : ""
        overview.warnings.append(
            "campaigns \(named)\(rest) send to topics or conditions and \(when); "
                + "FCM recommends one such send at a time: give them different times")
    }

    // MARK: Time

    /// Notes how long each step takes, and which sends are too slow.
    mutating func time() {
        var timing = StepTiming(settings.fcm, quota: state.sendQuota)
        let wanted = wantedSends
        var begin = now
        for index in plan.steps.indices {
            let time = timing.next(plan.steps[index].work)
            plan.steps[index].seconds = Int(time.whole.seconds.rounded(.up))
            plan.steps[index].rampSeconds = Int(time.ramp.seconds.rounded())
            if case .send(let send) = plan.steps[index].work, !send.members.isEmpty {
                checkTime(of: send, wanted[send.campaign], from: begin, taking: time.whole)
            }
            begin = begin.adding(time.whole)
        }
    }

    var wantedSends: [String: DesiredSend] {
        Dictionary(desired.sends.map { ($0.campaign.name.value, $0) }) { first, _ in first }
    }

    private mutating func checkTime(
        of send: Plan.Send, _ wanted: DesiredSend?, from begin: Date, taking time: Duration
    ) {
        let limits = send.limits(begun: now)
        if case .late(let deadline)? = limits.late(at: begin) {
            overview.warnings.append(
                "campaign '\(send.campaign)' cannot begin before max_lateness ends at \(deadline.rfc3339): the steps "
                    + "before it last until about \(begin.wholeSecond.rfc3339)")
        }
        guard let expiry = limits.expiry else { return }
        var end =
            wanted?.end(with: send.members.subtracting(send.seeds), after: time, from: begin) ?? begin.adding(time)
        // Each stage that is to come waits for the one before it. Later waves get it all at once.
        if send.waves == nil, let staging = send.staging, case .time(let soak) = staging.soak, !staging.ahead.isEmpty {
            var timing = StepTiming(settings.fcm, quota: state.sendQuota)
            let rest = timing.send(staging.ahead.all.count, send.delivery.rate).whole
            let opening = end.adding(soak * staging.ahead.states.count)
            end = wanted?.end(with: staging.ahead.all, after: rest, from: opening) ?? opening.adding(rest)
        }
        if end > expiry { warn(of: send.campaign, lasting: end, beyond: expiry) }
    }

    private mutating func adviseOnUpcoming() {
        var told = Set(sends.compactMap { if case .send(let send) = $0.work { send.campaign } else { nil } })
        let wanted = wantedSends
        for upcoming in overview.upcoming {
            guard told.insert(upcoming.occurring.campaign).inserted, let wanted = wanted[upcoming.occurring.campaign]
            else { continue }
            checkSize(of: upcoming, wanted.campaign)
            checkTime(of: upcoming, wanted)
        }
    }

    /// A guard refuses a send only when it is due. A reviewer should know before.
    private mutating func checkSize(of upcoming: PlanOverview.Upcoming, _ campaign: Campaign) {
        let limit = max(settings.guards.maxRecipients, campaign.acknowledged.maxRecipients ?? 0)
        guard sizes == nil, upcoming.recipients > limit else { return }
        overview.warnings.append(
            "campaign '\(upcoming.occurring.campaign)' is to reach \(upcoming.recipients.grouped) recipients, and "
                + "max_recipients refuses more than \(limit.grouped) when it is due: correct the target, or raise "
                + "'max_recipients' in the campaign's 'acknowledge'")
    }

    private mutating func checkTime(of upcoming: PlanOverview.Upcoming, _ wanted: DesiredSend) {
        let (campaign, due) = (wanted.campaign, upcoming.occurring.at)
        let expiry = campaign.delivery.expiry(from: due)
        // Each clock comes to a local time at another instant.
        let isOneInstant = upcoming.occurring.last == nil
        let lost = isOneInstant ? wanted.missed(byWindowAt: due, until: expiry).subtracting(unreachable) : []
        if !lost.isEmpty, wanted.hasWindowForEach {
            overview.warnings.append(
                "\(upcoming.occurring.occurrence): the windows of \(count(lost.count, "recipient")) are closed when it "
                    + "is due, and do not open in time: it is not sent to them")
        }
        let rest = wanted.members.subtracting(unreachable).subtracting(lost)
        guard let expiry, !rest.isEmpty else { return }
        var timing = StepTiming(settings.fcm, quota: state.sendQuota)
        let time = timing.send(rest.count, campaign.delivery.rate).whole
        // The last stage opens after all others have soaked.
        let opening = due.adding(campaign.delivery.stages?.soaking ?? .zero)
        let end =
            isOneInstant
            ? wanted.end(with: rest.subtracting(wanted.seeds), after: time, from: opening) : due.adding(time)
        if end > expiry { warn(of: campaign.name.value, lasting: end, beyond: expiry) }
    }

    private mutating func warn(of campaign: String, lasting end: Date, beyond expiry: Date) {
        overview.warnings.append(
            "campaign '\(campaign)' is too slow: it expires at \(expiry.rfc3339), and at the allowed rates its last "
                + "requests would start at about \(end.wholeSecond.rfc3339); those are not sent. Raise the rate or "
                + "expires_after")
    }
}

extension DesiredSend {
    /// Whether each recipient has a window of their own.
    fileprivate var hasWindowForEach: Bool { campaign.windowOfTarget?.field != nil }

    /// When a send to these ends that takes so long while their windows are open.
    fileprivate func end(with members: RecipientSet, after time: Duration, from begin: Date) -> Date {
        guard let hours = campaign.delivery.window?.hours else { return begin.adding(time) }
        return windowZones(of: members).keys.map { hours.end(ofOpen: time, from: begin, in: $0) }.max()
            ?? begin.adding(time)
    }

    /// Those who are sent nothing, because their window is closed when it is due and does not open in time.
    fileprivate func missed(byWindowAt due: Date, until expiry: Date?) -> RecipientSet {
        guard let window = campaign.delivery.window else { return [] }
        let zones = windowZones(of: members.intersection(reached).subtracting(seeds))
        return zones.reduce(into: RecipientSet()) { lost, entry in
            let standing = window.hours.standing(at: due, in: entry.key)
            let opens = window.whenClosed == .wait ? standing.until ?? .distantFuture : .distantFuture
            if !standing.isOpen, opens >= expiry ?? .distantFuture { lost.formUnion(entry.value) }
        }
    }
}

extension Campaign.Target {
    /// Whether FCM sends one request on to everybody who follows a topic.
    fileprivate var fansOut: Bool {
        switch self {
        case .topic, .condition: true
        case .group, .audience, .registrations: false
        }
    }
}

extension Date {
    fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.up)) }
}
