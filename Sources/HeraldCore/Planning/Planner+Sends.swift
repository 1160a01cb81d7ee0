internal import FCM

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Which occurrences are due, and what is said about those that are not.
extension Planner {
    mutating func planSends(selected campaigns: Set<String>) {
        let isSelected = { (name: String) in campaigns.isEmpty || campaigns.contains(name) }
        var due: [Plan.Send] = []
        for send in desired.sends where isSelected(send.campaign.name.value) {
            if let planned = planSend(send) { due.append(planned) }
        }
        holdAbandoned(isSelected)
        for send in due.sorted(by: { ($0.due ?? now, $0.occurrence) < ($1.due ?? now, $1.occurrence) }) {
            let reason =
                send.isResumed
                ? "an earlier run did not finish it"
                : send.due != nil
                    ? "it is due"
                    : send.revision > 1
                        ? "revision \(send.revision) was not sent yet" : "it has no schedule and was never sent"
            append(.send(send), reason: reason)
            checkSend(send)
        }
        plan.upcoming.sort { ($0.due, $0.occurrence) < ($1.due, $1.occurrence) }
        plan.upcomingOmitted = max(0, plan.upcoming.count - 100)
        plan.upcoming.removeLast(plan.upcomingOmitted)
    }

    /// Half-done occurrences that no file asks for any more are shown, and wait for a person.
    mutating func holdAbandoned(_ isSelected: (String) -> Bool) {
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
    mutating func planSend(_ wanted: DesiredSend) -> Plan.Send? {
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

    mutating func planBegun(
        _ wanted: DesiredSend, _ id: OccurrenceID, _ occurrence: RecordedOccurrence
    ) -> Plan.Send? {
        let campaign = wanted.campaign
        noteUnknowns(id, occurrence, campaign)
        let isChanged =
            occurrence.contentDigest != campaign.contentDigest || occurrence.due != campaign.schedule.at
        let remaining = send(wanted, id, occurrence: occurrence)
        if occurrence.finished != nil || remaining.members.isEmpty && remaining.discovered.isEmpty {
            if occurrence.finished == nil { plan.over.append(id) }
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
            // What a crash left is still to be accounted for.
            let left = occurrence.intended
            if !left.isEmpty { return remaining.withoutRequests(leftByCrash: left) }
        } else {
            return remaining
        }
        return nil
    }

    mutating func isDue(_ wanted: DesiredSend, _ id: OccurrenceID) -> Bool {
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

    func send(_ wanted: DesiredSend, _ id: OccurrenceID, occurrence: RecordedOccurrence?) -> Plan.Send {
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
            discovered: (occurrence?.intended ?? []).subtracting(repeated),
            recipients: recipients(of: campaign.target.value, remaining),
            isResumed: occurrence != nil)
    }

    mutating func noteUnknowns(_ id: OccurrenceID, _ occurrence: RecordedOccurrence, _ campaign: Campaign) {
        let count = occurrence.unknown.union(occurrence.intended).count
        guard count > 0, campaign.delivery.onUnknown == .hold || occurrence.finished != nil else { return }
        hold(id, "\(count) may or may not have got it and are not sent it again")
    }

    mutating func hold(_ id: OccurrenceID, _ reason: String) {
        plan.held.append(.init(occurrence: id, reason: reason, resolve: "herald state show \(id)"))
    }

    mutating func miss(
        _ id: OccurrenceID, _ campaign: Campaign, _ reason: String, recorded: RecordedOccurrence?
    ) {
        guard let due = campaign.schedule.at else { return }
        plan.missed.append(.init(occurrence: id, due: due, reason: reason, unrecorded: recorded))
    }
}

extension RecordedOccurrence {
    fileprivate init(_ campaign: Campaign) {
        self.init(
            campaign: campaign.name.value, revision: campaign.revision, due: campaign.schedule.at,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
    }
}
