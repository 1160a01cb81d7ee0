internal import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Works out what turns the recorded state into the desired one, and which sends are due. A pure function: it asks
/// nobody and keeps nothing.
package struct Planner {
    private let desired: Desired
    private let record: Record
    private let settings: Settings
    private let now: Date
    /// What the record has of each campaign, by id.
    private let occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]]
    private var plan: Plan

    package struct Input: Sendable {
        package var desired: Desired
        package var record: Record
        /// Whether the record exists, or stands for a missing one.
        package var hasRecord: Bool
        package var settings: Settings
        package var workspaceDigest: String
        /// Only these campaigns and the topics they target; empty for everything.
        package var onlyCampaigns: Set<String>

        package init(
            desired: Desired, record: Record, hasRecord: Bool = true, settings: Settings, workspaceDigest: String = "",
            onlyCampaigns: Set<String> = []
        ) {
            self.desired = desired
            self.record = record
            self.hasRecord = hasRecord
            self.settings = settings
            self.workspaceDigest = workspaceDigest
            self.onlyCampaigns = onlyCampaigns
        }
    }

    package static func plan(_ input: Input, at now: Date) -> Plan {
        var planner = Planner(input, now)
        planner.planTopics(selected: input.onlyCampaigns)
        planner.planSends(selected: input.onlyCampaigns)
        planner.checkAudiences()
        return planner.plan
    }

    private init(_ input: Input, _ now: Date) {
        desired = input.desired
        record = input.record
        settings = input.settings
        self.now = now
        occurrences = Dictionary(
            grouping: record.occurrences.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }, by: \.1.campaign)
        let mark = Plan.StateMark(lineage: record.identity.lineage, serial: record.serial)
        plan = Plan(at: now, workspaceDigest: input.workspaceDigest, state: input.hasRecord ? mark : nil)
        plan.collapsed = desired.collapsed
        plan.deadListed = RecipientSet(desired.registrations.keys.sorted()).intersection(record.dead).count
    }

    // MARK: Topics

    private mutating func planTopics(selected campaigns: Set<String>) {
        let targets = Set(
            desired.sends.filter { campaigns.contains($0.campaign.name.value) }.compactMap { send -> TopicName? in
                if case .topic(let name) = send.campaign.target.value { name } else { nil }
            })
        let wanted = Dictionary(desired.topics.map { ($0.name, $0) }) { first, _ in first }
        for name in Set(wanted.keys).union(record.topics.keys).sorted() {
            if !campaigns.isEmpty, !targets.contains(name) { continue }
            planTopic(name, wanted[name])
        }
    }

    /// Leaves come before joins, so that nobody is in both of two topics they are moved between for long.
    private mutating func planTopic(_ name: TopicName, _ wanted: DesiredTopic?) {
        let recorded = record.topics[name] ?? RecordedTopic()
        let members = (wanted?.members ?? []).subtracting(record.dead)
        let mine = recorded.owned.union(recorded.subscribing)
        let leaving = wanted?.prune ?? true ? mine.subtracting(members) : []
        let joining = members.subtracting(recorded.owned).subtracting(recorded.found)
        if !leaving.isEmpty {
            let reason =
                wanted == nil ? "no file declares the topic any more" : "the files no longer list them"
            append(.unsubscribe(name, leaving), reason: reason)
            checkUnsubscribes(name, leaving: leaving.count, of: mine.count, isDeleted: wanted == nil)
        }
        if !joining.isEmpty {
            let isNew = recorded.isEmpty
            append(.subscribe(name, joining), reason: isNew ? "the topic is new" : "the files list them")
        }
    }

    private mutating func checkUnsubscribes(_ name: TopicName, leaving: Int, of members: Int, isDeleted: Bool) {
        let limit = settings.guards.maxUnsubscribePercent
        // Rounded up, so that what is refused shows a figure above the limit.
        let percent = isDeleted ? 100 : (leaving * 100 + members - 1) / members
        guard members >= 10, isDeleted ? limit < 100 : leaving * 100 > limit * members else { return }
        refuse(
            .maxUnsubscribePercent, name.rawValue, limit: limit, actual: percent,
            "\(leaving) of topic '\(name)' would be unsubscribed, \(percent) % of the \(members) herald subscribed")
    }

    // MARK: Sends

    private mutating func planSends(selected campaigns: Set<String>) {
        let isSelected = { (name: String) in campaigns.isEmpty || campaigns.contains(name) }
        var due: [Plan.Send] = []
        for send in desired.sends where isSelected(send.campaign.name.value) {
            if let planned = planSend(send) { due.append(planned) }
        }
        holdAbandoned(isSelected)
        for send in due.sorted(by: { ($0.due ?? now, $0.occurrence) < ($1.due ?? now, $1.occurrence) }) {
            let reason =
                send.isResumed
                ? "it is half done" : send.due == nil ? "it has no schedule and was never sent" : "it is due"
            append(.send(send), reason: reason)
            checkSend(send)
        }
        plan.upcoming.sort { ($0.due, $0.occurrence) < ($1.due, $1.occurrence) }
        plan.upcomingOmitted = max(0, plan.upcoming.count - 100)
        plan.upcoming.removeLast(plan.upcomingOmitted)
    }

    /// Half-done occurrences that no file asks for any more are shown, and wait for a person.
    private mutating func holdAbandoned(_ isSelected: (String) -> Bool) {
        let revisions = Dictionary(desired.sends.map { ($0.campaign.name.value, $0.campaign.revision) }) { one, _ in one
        }
        let halfDone = record.occurrences.filter { $0.value.finished == nil && !$0.value.tried.isEmpty }
        for (id, occurrence) in halfDone.sorted(by: { $0.key < $1.key }) where isSelected(occurrence.campaign) {
            if let revision = revisions[occurrence.campaign] {
                if revision != occurrence.revision {
                    hold(id, "it is half done and the campaign is at revision \(revision)")
                }
            } else {
                hold(id, "it is half done and no file declares campaign '\(occurrence.campaign)' any more")
            }
        }
    }

    /// The campaign's send, if one is to be made now; everything else about it is noted in the plan.
    private mutating func planSend(_ wanted: DesiredSend) -> Plan.Send? {
        let campaign = wanted.campaign
        let id = OccurrenceID(campaign: campaign.name.value, due: campaign.schedule.at, revision: campaign.revision)
        let ofRevision = (occurrences[campaign.name.value] ?? []).filter { $0.occurrence.revision == campaign.revision }
        // One occurrence per revision: whichever began, whatever became of its time since.
        guard let begun = ofRevision.first(where: { !$0.occurrence.tried.isEmpty }) else {
            let isOver = ofRevision.contains { $0.id == id && $0.occurrence.finished != nil }
            guard campaign.enabled, !isOver, isDue(wanted, id) else { return nil }
            return send(wanted, id, occurrence: nil)
        }
        return planBegun(wanted, begun.id, begun.occurrence)
    }

    private mutating func planBegun(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ occurrence: RecordedOccurrence
    ) -> Plan.Send? {
        let campaign = wanted.campaign
        noteUnknowns(id, occurrence, campaign)
        let isChanged =
            occurrence.contentDigest != campaign.contentDigest || occurrence.due != campaign.schedule.at
        let remaining = send(wanted, id, occurrence: occurrence)
        if occurrence.finished != nil || remaining.members.isEmpty && remaining.discovered.isEmpty {
            if isChanged {
                plan.warnings.append(
                    "campaign '\(campaign.name.value)' was changed after \(id) was sent; to send it again, set revision: \(campaign.revision + 1)"
                )
            }
            return nil
        }
        if isChanged {
            hold(id, "it is half done and its message, target or time changed since")
        } else if !campaign.enabled {
            hold(id, "it is half done and the campaign is disabled")
        } else if let deadline = remaining.deadline, now > deadline {
            miss(id, campaign, "it is half done and later than max_lateness allows", recorded: nil)
        } else {
            return remaining
        }
        return nil
    }

    private mutating func isDue(_ wanted: DesiredSend, _ id: OccurrenceID) -> Bool {
        let campaign = wanted.campaign
        guard let due = campaign.schedule.at else { return true }
        if now < due {
            plan.upcoming.append(
                .init(
                    campaign: campaign.name.value, occurrence: id, due: due, timezone: settings.timezone,
                    target: campaign.target.value, recipients: recipients(of: campaign.target.value, wanted.members)))
            return false
        }
        if now > due.adding(campaign.schedule.maxLateness) {
            miss(id, campaign, "it is later than max_lateness allows", recorded: RecordedOccurrence(campaign))
            return false
        }
        return true
    }

    private func send(_ wanted: DesiredSend, _ id: OccurrenceID, occurrence: RecordedOccurrence?) -> Plan.Send {
        let campaign = wanted.campaign
        let members = wanted.members.subtracting(record.dead)
        let uncertain = (occurrence?.unknown ?? []).union(occurrence?.intended ?? [])
        let repeated = campaign.delivery.onUnknown == .resend ? uncertain.intersection(members) : []
        let remaining = members.subtracting(occurrence?.tried ?? []).union(repeated)
        return Plan.Send(
            campaign: campaign.name.value, occurrence: id, revision: campaign.revision, due: campaign.schedule.at,
            target: campaign.target.value, contentDigest: campaign.contentDigest, message: campaign.message.value,
            deadline: campaign.schedule.at?.adding(campaign.schedule.maxLateness),
            expiresAfter: campaign.delivery.expiresAfter, rate: campaign.delivery.rate,
            stopWhenRejectedPercent: campaign.delivery.stopWhenRejectedPercent,
            onUnknown: campaign.delivery.onUnknown,
            members: remaining,
            discovered: (occurrence?.intended ?? []).subtracting(repeated), repeated: repeated,
            recipients: recipients(of: campaign.target.value, remaining),
            isResumed: occurrence != nil)
    }

    private mutating func noteUnknowns(_ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign) {
        let count = occurrence.unknown.count
        guard count > 0, campaign.delivery.onUnknown == .hold || occurrence.finished != nil else { return }
        hold(id, "\(count) \(count == 1 ? "outcome is" : "outcomes are") unknown; they are not sent again")
    }

    private mutating func hold(_ id: OccurrenceID, _ reason: String) {
        plan.held.append(.init(occurrence: id, reason: reason, resolve: "herald state show \(id)"))
    }

    private mutating func miss(
        _ id: OccurrenceID, _ campaign: Campaign, _ reason: String, recorded: RecordedOccurrence?
    ) {
        guard let due = campaign.schedule.at else { return }
        plan.missed.append(.init(occurrence: id, due: due, reason: reason, unrecorded: recorded))
    }

    // MARK: Guards

    private mutating func checkSend(_ send: Plan.Send) {
        let count = send.recipients
        if count > settings.guards.maxRecipients {
            refuse(
                .maxRecipients, send.campaign, limit: settings.guards.maxRecipients, actual: count,
                "campaign '\(send.campaign)' would reach \(count) recipients")
        }
        if record.identity.endpoint == .fcm, record.occurrences.isEmpty {
            refuse(
                .freshRecord, send.campaign, limit: 0, actual: count,
                "the record has no sends, so herald cannot know whether '\(send.campaign)' was sent before")
        }
        let isNew = (occurrences[send.campaign] ?? []).allSatisfy(\.occurrence.tried.isEmpty)
        guard isNew else { return }
        let declared = Set(desired.sends.map(\.campaign.name.value))
        let twin = record.occurrences
            .filter { $0.value.contentDigest == send.contentDigest && !$0.value.tried.isEmpty }
            .filter { !declared.contains($0.value.campaign) && $0.value.campaign != send.campaign }
            .min { $0.key < $1.key }
        if let twin {
            refuse(
                .looksRenamed, send.campaign, limit: 0, actual: 1,
                "campaign '\(send.campaign)' has message and target of \(twin.key), which was sent and whose file is gone"
            )
        }
    }

    private mutating func checkAudiences() {
        for (name, size) in desired.audienceSizes.sorted(by: { $0.key < $1.key }) {
            guard let before = record.audienceSizes[name] else { continue }
            if before >= 100, size * 10 < before {
                refuse(
                    .audienceCollapse, name, limit: (before + 9) / 10, actual: size,
                    "audience '\(name)' shrank from \(before) to \(size) recipients")
            } else if size >= 100, before > 0, size > before * 10 {
                refuse(
                    .audienceGrowth, name, limit: before * 10, actual: size,
                    "audience '\(name)' grew from \(before) to \(size) recipients")
            }
        }
    }

    private mutating func refuse(_ kind: Guard, _ name: String, limit: Int, actual: Int, _ message: String) {
        plan.refusals.append(.init(kind: kind, name: name, limit: limit, actual: actual, message: message))
    }

    // MARK: Figures

    private func recipients(of target: Campaign.Target, _ members: RecipientSet) -> Int {
        switch target {
        case .audience: members.count
        case .topic(let name):
            subscribers(of: name).count
        }
    }

    /// Those the record will have once the topic's own steps are done, whoever subscribed them.
    private func subscribers(of name: TopicName) -> RecipientSet {
        let wanted = desired.topics.first { $0.name == name }
        let recorded = record.topics[name] ?? RecordedTopic()
        let members = (wanted?.members ?? []).subtracting(record.dead).union(recorded.found)
        return wanted?.prune ?? true ? members : members.union(recorded.owned).union(recorded.subscribing)
    }

    private mutating func append(_ work: Plan.Work, reason: String) {
        let rate: Rate
        var ramp = Duration.zero
        switch work {
        case .subscribe, .unsubscribe: rate = settings.fcm.subscriptionRate
        case .send(let send):
            rate = settings.fcm.rate.combined(with: send.rate)
            ramp = settings.fcm.ramp
        }
        plan.steps.append(.init(work: work, reason: reason, seconds: rate.seconds(for: work.requests, ramp: ramp)))
    }
}

extension RecordedOccurrence {
    fileprivate init(_ campaign: Campaign) {
        self.init(
            campaign: campaign.name.value, revision: campaign.revision, due: campaign.schedule.at,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
    }
}

extension Campaign.Target {
    /// As the record keeps it: `topic:NAME` or `audience:NAME`.
    package var recordedText: String {
        switch self {
        case .topic(let name): "topic:\(name)"
        case .audience(let name): "audience:\(name)"
        }
    }
}

extension Campaign {
    /// SHA-256 of target and message: what recipients would notice.
    package var contentDigest: String {
        let target: JSONValue =
            switch target.value {
            case .topic(let name): ["topic": .string(name.rawValue)]
            case .audience(let name): ["audience": .string(name)]
            }
        return JSONValue.object(["target": target, "message": .object(message.value)]).digest
    }
}

extension Rate {
    /// The least time that many starts take, rounded up; the rate grows from 0 over the ramp.
    func seconds(for count: Int, ramp: Duration) -> Int {
        guard case .limited(let limit) = self, count > 0 else { return 0 }
        let (starts, perSecond, ramp) = (Double(count), Double(limit), ramp.seconds)
        let duringRamp = perSecond * ramp / 2
        let seconds =
            starts <= duringRamp
            ? (2 * starts * ramp / perSecond).squareRoot() : ramp + (starts - duringRamp) / perSecond
        return Int(seconds.rounded(.up))
    }
}
