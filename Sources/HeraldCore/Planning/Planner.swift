internal import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Works out what turns the recorded state into the desired one, and which sends are due. A pure function: it asks
/// nobody and keeps nothing.
package struct Planner {
    let desired: Desired
    let record: Record
    let settings: Settings
    let now: Date
    /// What the record has of each campaign, by id.
    let occurrences: [String: [(id: OccurrenceID, occurrence: RecordedOccurrence)]]
    var plan: Plan

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

    mutating func planTopics(selected campaigns: Set<String>) {
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

    /// A topic's leaves come before its joins.
    mutating func planTopic(_ name: TopicName, _ wanted: DesiredTopic?) {
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

    // MARK: Figures

    func recipients(of target: Campaign.Target, _ members: RecipientSet) -> Int {
        switch target {
        case .audience, .registrations: members.count
        case .topic(let name): subscribers(of: name).count
        case .group(let name): (desired.groups.first { $0.name == name }?.members ?? []).subtracting(record.dead).count
        }
    }

    /// Those the record will have once the topic's own steps are done, whoever subscribed them.
    func subscribers(of name: TopicName) -> RecipientSet {
        let wanted = desired.topics.first { $0.name == name }
        let recorded = record.topics[name] ?? RecordedTopic()
        let members = (wanted?.members ?? []).subtracting(record.dead).union(recorded.found)
        return wanted?.prune ?? true ? members : members.union(recorded.owned).union(recorded.subscribing)
    }

    mutating func append(_ work: Plan.Work, reason: String) {
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

extension Campaign {
    /// SHA-256 of target and message: what recipients would notice.
    package var contentDigest: String {
        // Who is on a list may change while it is being sent.
        let target: JSONValue = if case .registrations = target.value { ["registrations": true] } else { target.value.json }
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
