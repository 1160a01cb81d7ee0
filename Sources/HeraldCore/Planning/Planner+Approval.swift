internal import FCM

/// What is blocked where approvals are required: by `approval: required`, or because somebody approved before.
extension Planner {
    mutating func holdUnapproved(_ approval: Approval) {
        defer {
            if !settings.approval.isRequired, !plan.unapproved.isEmpty {
                overview.warnings.append(
                    "herald.yaml does not require approvals, but this state does since somebody approved; "
                        + "'herald approve --end' ends that")
            }
        }
        plan.hasUnapprovedSettings =
            approval.digests[.settings] != state.approvals[Definition.Key.settings.text]?.digest
        for name in workspace.unfetched.sorted() {
            let resource = Definition.Key(kind: .audience, name: name)
            guard let reason = reason(against: resource, approval, size: nil) else { continue }
            plan.unapproved.append(.init(resource: resource, reason: "\(reason); its list was not fetched"))
        }
        plan.notes = plan.notes.filter { mayBeNoted($0, approval) }
        for index in plan.steps.indices {
            let (resource, size) = (plan.steps[index].resource, plan.steps[index].size(in: approval))
            guard let reason = reason(against: resource, approval, size: size) else {
                plan.steps[index].approver = state.approvals[resource.text]?.by
                continue
            }
            let unapproved = Plan.Unapproved(resource: resource, reason: reason)
            plan.steps[index].refusal = unapproved.sentence
            if !plan.unapproved.contains(unapproved) { plan.unapproved.append(unapproved) }
        }
        let refused = Set(plan.steps.filter { $0.refusal != nil }.map(\.resource))
        let held = plan.looks.keys.filter { name in
            let resource = Definition.Key(kind: .campaign, name: name)
            return refused.contains(resource) || reason(against: resource, approval, size: nil) != nil
        }
        // No step says of what is late by now that nobody approved it.
        for name in plan.forgetLooks(at: Set(held)).sorted() {
            let resource = Definition.Key(kind: .campaign, name: name)
            guard let reason = reason(against: resource, approval, size: nil) else { continue }
            let unapproved = Plan.Unapproved(resource: resource, reason: reason)
            if !plan.unapproved.contains(unapproved) { plan.unapproved.append(unapproved) }
        }
        holdRenames(approval)
        // Whatever it waits for, it is not sent before somebody approves it.
        let waiting = plan.waiting.map(\.occurrence) + plan.held.map(\.occurrence)
        for campaign in desired.sends.map(\.campaign) where campaign.enabled {
            let resource = Definition.Key(kind: .campaign, name: campaign.name.value)
            let listed = approval.sizes[resource]
            let own = waiting.filter { $0.isOf(campaign) }.map { id in
                listed.map { min($0, partakers(of: id) ?? $0) }
            }
            let sizes = (campaign.schedule.comesAfter(now) ? [listed] : []) + own
            let reasons = sizes.compactMap { self.reason(against: resource, approval, size: $0) }
            guard let reason = reasons.first else { continue }
            overview.add(Plan.Unapproved(resource: resource, reason: reason))
        }
    }

    /// Whether the files that decide about a note were approved.
    private func mayBeNoted(_ note: StateChange, _ approval: Approval) -> Bool {
        switch note {
        // The caps decide what is too old to count.
        case .counting, .forgetStarts: return !plan.hasUnapprovedSettings
        // The campaign's stages and limits decide what is over, and what is too much.
        case .halt(let id, _), .stages(let id, _):
            guard let campaign = state.occurrences[id]?.campaign else { return true }
            return reason(against: Definition.Key(kind: .campaign, name: campaign), approval, size: nil) == nil
        default:
            guard let topic = note.topic else { return true }
            let resource = Definition.Key(kind: .topic, name: (successors[topic] ?? topic).rawValue)
            return reason(against: resource, approval, size: approval.sizes[resource]) == nil
        }
    }

    /// A history stays under its earlier name, with its watermark, until somebody approves the new one: the files may be
    /// changed back. The plan itself looks at it under the new name.
    private mutating func holdRenames(_ approval: Approval) {
        let held = Set(plan.renames.map(\.new)).filter { name in
            reason(against: Definition.Key(kind: .campaign, name: name), approval, size: nil) != nil
        }
        plan.renames.removeAll { held.contains($0.new) }
        for name in held { plan.watermarks[name] = nil }
    }

    /// Whether a send is held back because nobody approved it.
    func isUnapproved(_ send: Plan.Send) -> Bool {
        let resource = Definition.Key(kind: .campaign, name: send.campaign)
        return approval.map { reason(against: resource, $0, size: send.size(in: $0)) != nil } ?? false
    }

    /// How many people an occurrence is for that has begun. `nil` if that is not known, as in local time, where later
    /// waves are open.
    private func partakers(of id: OccurrenceID) -> Int? {
        guard let occurrence = state.occurrences[id], occurrence.hasBegun, occurrence.local == nil,
            !occurrence.classes.isEmpty
        else { return nil }
        return occurrence.classes.members(where: { !$0.isHoldout }).count
    }

    /// Why it may not be done; `nil` if it may.
    ///
    /// - Parameter size: how many recipients it has. `nil` if they are not counted.
    private func reason(against resource: Definition.Key, _ approval: Approval, size: Int?) -> String? {
        let recorded = state.approvals[resource.text]
        let digest = approval.digests[resource]
        if digest == nil, recorded != nil || state.approvals.isEmpty {
            return "nobody approved that the files leave it out"
        }
        if digest != nil, recorded == nil { return "nobody approved it" }
        guard let common = state.approvals[Definition.Key.settings.text] else {
            return "it was approved with an older herald, whose approvals cover less; review and approve it again"
        }
        if approval.digests[.settings] != common.digest { return "herald.yaml changed since \(common.by) approved it" }
        // Whoever approves files without it approves that it goes.
        guard let digest, let recorded else { return nil }
        guard recorded.digest == digest else { return "the files changed since \(recorded.by) approved it" }
        guard let seen = recorded.size, let size else { return nil }
        return settings.approval.excess(of: size, over: seen)
    }
}

extension Approval {
    /// Whether somebody approved what the files decide about a resource, whatever is true of the settings.
    package func isCovered(_ resource: Definition.Key, by recorded: [String: RecordedApproval]) -> Bool {
        // Those of an older herald have no settings, and cover less.
        guard recorded[Definition.Key.settings.text] != nil, let digest = digests[resource] else { return false }
        return recorded[resource.text]?.digest == digest
    }
}

extension ApprovalSettings {
    /// What to say of a list that grew too much; `nil` if it did not.
    package func excess(of now: Int, over seen: Int) -> String? {
        now <= limit(approved: seen)
            ? nil
            : "it has \(count(now, "recipient")), and \(seen) were approved; \(band) % more is allowed (approval_band)"
    }
}

extension Plan.Step {
    /// What the files decide about it.
    package var resource: Definition.Key {
        switch work {
        case .subscribe(let name, _): Definition.Key(kind: .topic, name: name.rawValue)
        // What was renamed goes with its new name.
        case .unsubscribe(let name, _): Definition.Key(kind: .topic, name: (successor ?? name).rawValue)
        case .adopt(let adoption): Definition.Key(kind: .topic, name: adoption.declared.rawValue)
        case .group(let change): Definition.Key(kind: .group, name: change.group.rawValue)
        case .send(let send): Definition.Key(kind: .campaign, name: send.campaign)
        }
    }

    /// How many recipients it is judged by where lists may have grown. `nil` if they are not counted.
    func size(in approval: Approval) -> Int? {
        if case .send(let send) = work { send.size(in: approval) } else { approval.sizes[resource] }
    }
}

extension Plan.Send {
    /// Whoever is listed since an occurrence began is no part of it.
    fileprivate func size(in approval: Approval) -> Int? {
        let listed = approval.sizes[Definition.Key(kind: .campaign, name: campaign)]
        guard isResumed, !target.isOneRequest(delivery) else { return listed }
        return listed.map { min($0, whole.lowerBound) }
    }
}

extension Desired {
    /// How many recipients the files give to each. What only FCM or the state knows is left out.
    package var sizes: [Definition.Key: Int] {
        var sizes: [Definition.Key: Int] = [:]
        for (name, size) in audienceSizes { sizes[.init(kind: .audience, name: name)] = size }
        // Who goes by outcomes is another number with each occurrence.
        for topic in topics where !topic.isOfApp && !topic.goesByOutcomes {
            sizes[.init(kind: .topic, name: topic.name.rawValue)] = topic.members.count
        }
        for group in groups where !group.goesByOutcomes {
            sizes[.init(kind: .group, name: group.name.rawValue)] = group.members.count
        }
        for send in sends where !send.goesByOutcomes {
            let key = Definition.Key(kind: .campaign, name: send.campaign.name.value)
            switch send.campaign.target.value {
            case .topic(let name): sizes[key] = sizes[.init(kind: .topic, name: name.rawValue)]
            case .group where send.campaign.delivery.members == .each: sizes[key] = send.reached.count
            case .group(let name): sizes[key] = sizes[.init(kind: .group, name: name.rawValue)]
            case .condition: break
            // Who is in a holdout or has a bad row is sent nothing.
            case .audience, .registrations: sizes[key] = send.reached.count
            }
        }
        return sizes
    }
}
