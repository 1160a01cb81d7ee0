internal import FCM

/// How a run without a person handles guards: it leaves out what they block, and does the rest.
extension Plan {
    /// The same plan, but blocked steps say why they are not done.
    package func withholding(_ refusals: [GuardRefusal], in workspace: Workspace) -> Plan {
        var plan = self
        plan.withheld = refusals
        // A size that was blocked once is blocked again until a person overrides the guard.
        let audiences = Set(refusals.filter(\.kind.isOfAudiences).map(\.name))
        plan.keptSizes.merge(refusedSizes.filter { audiences.contains($0.key) }) { $1 }
        plan.forgetLooks(at: workspace.campaignNames(affectedBy: refusals, renaming: successors))
        for refusal in refusals {
            let affected = workspace.affected(by: refusal, renaming: successors)
            // Who left an earlier name by themselves stays noted there until the new name may note it.
            let topics = affected.subjects.union(successors.earlierNames(of: affected.subjects))
            plan.notes.removeAll { $0.topic.map { topics.contains(.topic($0)) } ?? false }
            if !affected.lists.isEmpty {
                plan.notes.removeAll { workspace.saysWhoIsGone($0, from: affected.lists, renaming: successors) }
            }
            for index in plan.steps.indices where affected.contains(plan.steps[index]) {
                plan.steps[index].refusal = plan.steps[index].refusal ?? refusal.reason
            }
        }
        return plan
    }
}

extension Plan {
    /// What a plan decides about a campaign without a step: who is in its waves, what is missed, what is over. A list that
    /// nobody may send to, and files that nobody approved, must not decide it.
    struct Look: Hashable, Sendable {
        /// What the state notes instead of what was found. In local time that is since when the campaign is seen, but no
        /// wave. `nil` leaves what was found: of a disabled campaign, and of one that
        /// the state has nothing of yet.
        var mark: Watermark?
        /// Those that are open, and those that end without a step.
        var occurrences: Set<OccurrenceID>
        /// Whether the plan leaves it to a later one.
        var isForgotten = false
    }

    /// Leaves to a later run what is due of these campaigns: that run looks from where this one began.
    ///
    /// - Returns: those of which something was missed.
    @discardableResult
    mutating func forgetLooks(at campaigns: Set<String>) -> Set<String> {
        let late = Set(missed.map(\.occurrence))
        var (ids, result) = (Set<OccurrenceID>(), Set<String>())
        for campaign in campaigns {
            guard let look = looks[campaign] else { continue }
            if let mark = look.mark { watermarks[campaign] = mark }
            looks[campaign]?.isForgotten = true
            if !look.occurrences.isDisjoint(with: late) { result.insert(campaign) }
            ids.formUnion(look.occurrences)
            unlisted.missed[campaign] = nil
            unlisted.superseded[campaign] = nil
        }
        missed.removeAll { ids.contains($0.occurrence) }
        superseded.removeAll { ids.contains($0.occurrence) }
        joinedLate.removeAll { ids.contains($0.occurrence) }
        over.removeAll(where: ids.contains)
        notes.removeAll { note in
            switch note {
            case .unseen(let id, _), .done(let id, _): ids.contains(id)
            default: false
            }
        }
        return result
    }
}

extension StateChange {
    /// The topic that a plan notes something about.
    var topic: TopicName? {
        switch self {
        case .reclassify(let name, _, _), .awaitFile(let name, _): name
        default: nil
        }
    }
}

/// What a guard blocks.
private struct Affected {
    /// Topics and groups whose memberships must not change. Nobody joins either: with more members, the same leaves would
    /// be a smaller share, and the next run would let them through.
    var subjects: Set<Plan.Subject> = []
    var campaigns: Set<String> = []
    /// Lists that lost too many. Nobody counts as gone from them, whatever else they are for.
    var lists: Set<String> = []

    func contains(_ step: Plan.Step) -> Bool {
        if case .send(let send) = step.work { return campaigns.contains(send.campaign) }
        return step.work.subject.map(subjects.contains) ?? false
    }
}

extension Guard {
    fileprivate var isOfAudiences: Bool { self == .audienceCollapse || self == .audienceGrowth }
}

extension Workspace {
    /// The campaigns of which nothing is sent where these are left out.
    ///
    /// - Parameter successors: topics that were renamed, with the names they have now.
    func campaignNames(
        affectedBy refusals: [GuardRefusal], renaming successors: [TopicName: TopicName]
    ) -> Set<String> {
        refusals.reduce(into: []) { $0.formUnion(affected(by: $1, renaming: successors).campaigns) }
    }

    fileprivate func affected(by refusal: GuardRefusal, renaming successors: [TopicName: TopicName]) -> Affected {
        var affected = Affected()
        switch refusal.kind {
        case .maxRecipients, .personalRows, .freshRecord, .looksRenamed, .maxForgetPercent:
            affected.campaigns = [refusal.name]
        case .stateWentBack, .stateMoved, .olderFiles, .otherWorkspace:
            affected.campaigns = Set(campaigns.map(\.name.value))
            affected.subjects = Set(topics.map { .topic($0.name.value) } + groups.map { .group($0.name.value) })
        case .maxUnsubscribePercent, .foreignGroup:
            guard let subject = refusal.subject else { break }
            affected.subjects = [subject, successors.laterName(of: subject) ?? subject]
            affected.lists = lists(of: affected.subjects)
            // One request would reach those who stay because of it, or not those who may not join.
            for campaign in campaigns where campaign.target.value.isOneRequest(campaign.delivery) {
                if affected.subjects.isDisjoint(with: campaign.target.value.subjects) { continue }
                affected.campaigns.insert(campaign.name.value)
            }
        case .audienceCollapse, .audienceGrowth, .staleList:
            let names = dependents(of: [refusal.name])
            let uses = { (used: [Located<String>]) in used.contains { names.contains($0.value) } }
            let isSuppressed = uses(settings.suppress)
            for topic in topics where isSuppressed || uses(topic.subscribers + topic.exclude) {
                affected.subjects.insert(.topic(topic.name.value))
            }
            // Nobody leaves an earlier name either.
            affected.subjects.formUnion(successors.earlierNames(of: affected.subjects))
            for group in groups {
                let isUsed = if case .audience(let name) = group.members { uses([name]) } else { false }
                if isSuppressed || isUsed { affected.subjects.insert(.group(group.name.value)) }
            }
            for campaign in campaigns {
                let isTarget =
                    if case .audience(let name) = campaign.target.value { names.contains(name) } else { false }
                let isTouched = affected.subjects.contains { campaign.target.value.subjects.contains($0) }
                if isSuppressed || isTarget || isTouched || uses(campaign.otherAudiences) {
                    affected.campaigns.insert(campaign.name.value)
                }
            }
        }
        return affected
    }

    /// The audiences that say who is in these, and those that they are made from.
    private func lists(of subjects: Set<Plan.Subject>) -> Set<String> {
        var names = topics.filter { subjects.contains(.topic($0.name.value)) }.flatMap(\.subscribers).map(\.value)
        for group in groups where subjects.contains(.group(group.name.value)) {
            if case .audience(let name) = group.members { names.append(name.value) }
        }
        return Set(audiences.inOrder(from: names).map(\.name.value))
    }

    /// Whether a note says that somebody is gone from one of these lists.
    fileprivate func saysWhoIsGone(
        _ note: StateChange, from lists: Set<String>, renaming successors: [TopicName: TopicName]
    ) -> Bool {
        guard case .reclassify(let topic, _, .unlisted) = note else { return false }
        return !self.lists(of: [.topic(successors[topic] ?? topic)]).isDisjoint(with: lists)
    }
}

/// Topics that were renamed, with the names they have now.
extension [TopicName: TopicName] {
    fileprivate func earlierNames(of subjects: Set<Plan.Subject>) -> Set<Plan.Subject> {
        Set(filter { subjects.contains(.topic($0.value)) }.keys.map { .topic($0) })
    }

    fileprivate func laterName(of subject: Plan.Subject) -> Plan.Subject? {
        guard case .topic(let name) = subject else { return nil }
        return self[name].map { .topic($0) }
    }
}

extension Campaign.Target {
    /// The topics and groups whose members it reaches.
    var subjects: Set<Plan.Subject> {
        Set(topics.map { .topic($0) } + groups.map { .group($0) })
    }
}
