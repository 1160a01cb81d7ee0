package import FCM

/// The plan as a file.
extension PlanDocument {
    package var json: JSONValue {
        var members = content
        members["id"] = .string(id)
        members["created"] = .string(created.rfc3339)
        members["digest"] = .string(digest)
        if let approval {
            members["approval"] = .string(approval.digest)
            members["definitions"] = approval.json
        }
        if let comparison { members["base"] = ["commit": .string(comparison.base)] }
        members["changes"] = .array((comparison?.changes ?? []).map(\.json))
        return .object(members)
    }

    var content: [String: JSONValue] {
        var warnings = overview.warnings
        if overview.upcomingOmitted > 0 {
            warnings.append("\(overview.upcomingOmitted.grouped) more upcoming sends are not listed")
        }
        if overview.figures == .unknown {
            warnings.append("lists were not read: memberships are not compared, and recipients not counted")
        }
        var members: [String: JSONValue] = [
            "schema": "herald.plan/1",
            "at": .string(plan.at.rfc3339),
            "expires": .string(expires.rfc3339),
            "workspace_digest": .string(plan.workspaceDigest),
            "state": plan.state.map { StateVersion(lineage: $0.lineage, serial: $0.serial).json } ?? .null,
            "summary": .object(marked(summary.mapValues { $0.map { .int(Int64($0)) } ?? .null })),
            "steps": .array(plan.steps.map { step($0) }),
            "upcoming": .array(overview.upcoming.map { upcoming($0) }),
            "missed": .array(plan.missed.map(\.json)), "superseded": .array(plan.superseded.map(\.json)),
            "held": .array(plan.held.map { held($0) }),
            "guards": .array(
                plan.refusals.map {
                    [
                        "guard": .string($0.kind.rawValue), "limit": .int(Int64($0.limit)),
                        "actual": .int(Int64($0.actual)), "override": .string($0.override),
                    ]
                }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
        if !plan.joinedLate.isEmpty { members["joined_late"] = .array(plan.joinedLate.map(\.json)) }
        if !plan.waiting.isEmpty { members["waiting"] = .array(plan.waiting.map { waiting($0) }) }
        if !overview.zonesDefaulted.isEmpty {
            members["zones_defaulted"] = .object(overview.zonesDefaulted.mapValues { .int(Int64($0)) })
        }
        if days != Self.usualDays { members["days"] = .int(Int64(days)) }
        if let snapshot = overview.snapshot { members["snapshot"] = ["time": .string(snapshot.rfc3339)] }
        if !overview.unjudged.isEmpty { members["unjudged"] = .array(overview.unjudged.map(\.json)) }
        if !overview.leftByThemselves.isEmpty {
            members["left_by_themselves"] = .array(
                overview.leftByThemselves.sorted { $0.key < $1.key }.map { topic, members in
                    .object(marked(["topic": .string(topic.rawValue), "members": figure(members)]))
                })
        }
        if !overview.leftOut.isEmpty { members["left_out"] = .array(overview.leftOut.map(\.json)) }
        if !overview.personal.isEmpty { members["personal"] = .array(overview.personal.map(\.json)) }
        if !plan.unapproved.isEmpty {
            members["not_approved"] = .array(
                plan.unapproved.map { ["resource": .string($0.resource.text), "reason": .string($0.reason)] })
        }
        if !campaigns.isEmpty { members["campaigns"] = .array(campaigns.map { .string($0) }) }
        return members
    }

    /// SHA-256 of what `apply` does of it: of the plan alone, and nothing of the overview, which has no effect.
    var workDigest: String { Self.workDigest(of: content) }

    static func workDigest(of document: [String: JSONValue]) -> String {
        let overview: Set<String> = [
            "summary", "upcoming", "warnings", "zones_defaulted", "unjudged", "left_by_themselves", "left_out",
            "personal",
        ]
        return digest(of: document.filter { !overview.contains($0.key) })
    }

    /// A number that is unknown when lists are skipped.
    private func figure(_ number: Int) -> JSONValue { overview.figures == .unknown ? .null : .int(Int64(number)) }

    /// With a mark if its figures are estimates.
    private func marked(_ members: [String: JSONValue], _ isEstimate: Bool = true) -> [String: JSONValue] {
        guard overview.figures == .estimated, isEstimate else { return members }
        return members.merging(["estimated": true]) { given, _ in given }
    }

    private func upcoming(_ upcoming: PlanOverview.Upcoming) -> JSONValue {
        let occurring = upcoming.occurring
        var members: [String: JSONValue] = [
            "campaign": .string(occurring.campaign), "occurrence": .string(occurring.occurrence.rawValue),
            "due": .string(occurring.at.rfc3339), "local": .string("\(occurring.local)"),
            "timezone": .string(occurring.zone.name), "target": upcoming.target.json,
            "recipients": upcoming.isCounted ? figure(upcoming.recipients) : .null, "note": .string(occurring.note),
        ]
        members["capped"] = upcoming.capped.map { .int(Int64($0)) }
        if let last = occurring.last {
            members["first"] = .string(occurring.at.rfc3339)
            members["last"] = .string(last.rfc3339)
            members["waves"] = upcoming.waves.isEmpty ? .null : .int(Int64(upcoming.waves.count))
        }
        members["stages"] = upcoming.stages?.json
        return .object(marked(members))
    }

    private func waiting(_ waiting: Plan.Waiting) -> JSONValue {
        var members: [String: JSONValue] = [
            "occurrence": .string(waiting.occurrence.rawValue), "reason": .string(waiting.reason),
            "until": .string(waiting.until.rfc3339),
            "recipients": waiting.isCounted ? figure(waiting.recipients) : .null,
        ]
        if let table = waiting.stages { members["stages"] = table.json }
        return .object(marked(members))
    }

    private func held(_ held: Plan.Held) -> JSONValue {
        var members: [String: JSONValue] = [
            "occurrence": .string(held.occurrence.rawValue), "reason": .string(held.reason),
            "resolve": .string(held.resolve),
        ]
        if let table = held.stages { members["stages"] = table.json }
        return .object(members)
    }

    private func step(_ step: Plan.Step) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(step.id.rawValue), "action": .string(step.work.action.description),
            "planned": step.work.isKnown ? figure(step.work.planned) : .null,
            "requests": step.work.isKnown ? figure(step.work.requests) : .null,
            "seconds": step.work.isKnown ? figure(step.seconds) : .null,
            "reason": .string(step.reason),
        ]
        switch step.work {
        case .subscribe(let topic, _), .unsubscribe(let topic, _):
            members["topic"] = .string(topic.rawValue)
            if step.adopts { members["adopts"] = true }
        case .adopt(let adoption):
            members["topic"] = .string(adoption.topic.rawValue)
            members["of"] = figure(adoption.all)
        case .group(let change): members["group"] = .string(change.group.rawValue)
        case .send(let send):
            members["campaign"] = .string(send.campaign)
            members["occurrence"] = .string(send.occurrence.rawValue)
            members["target"] = send.target.json
            members["skipped_because"] = send.shownLeftOut.json
            members["due"] = .string((send.due ?? plan.at).rfc3339)
            if let waves = send.waves {
                members["waves"] = .array(send.shownWaves.map(\.json))
                members["local"] = .string(waves.local.description)
                members["joined_late"] = figure(waves.joinedLate)
            }
            if let table = send.stageTable { members["stages"] = table.json }
        }
        return .object(marked(members, step.work.isEstimable))
    }
}

extension Plan.Wave {
    /// How many zones are named.
    static let namedZones = 3

    fileprivate var json: JSONValue {
        [
            "at": .string(at.rfc3339), "zones": .array(zones.prefix(Self.namedZones).map { .string($0) }),
            "more_zones": .int(Int64(max(0, zones.count - Self.namedZones))), "planned": .int(Int64(recipients)),
            "state": .string(state.rawValue),
        ]
    }
}

extension Plan.StageTable {
    fileprivate var json: JSONValue { .array(stages.map(\.json)) }
}

extension UnjudgedGuard {
    fileprivate var json: JSONValue {
        [
            "guard": .string(kind.rawValue), "names": .array(names.map { .string($0) }), "reason": .string(reason),
        ]
    }
}

extension Approval {
    /// By `kind:name`.
    fileprivate var json: JSONValue {
        .object(
            Dictionary(
                digests.map { key, digest in
                    let size = sizes[key].map { JSONValue.int(Int64($0)) } ?? .null
                    return (key.text, ["digest": .string(digest), "size": size])
                }, uniquingKeysWith: { first, _ in first }))
    }
}

extension Plan.Work {
    /// Whether a snapshot shows its figures as estimates only. One request to a whole target is one request.
    fileprivate var isEstimable: Bool { if case .send(let send) = self { send.members != .target } else { true } }

    /// Whether it is known whom the requests are for. One request to a whole target is one request.
    fileprivate var isKnown: Bool {
        if case .send(let send) = self { send.isCounted || send.members == .target } else { true }
    }
}

extension Plan.Missed {
    var json: JSONValue {
        [
            "occurrence": .string(occurrence.rawValue), "due": .string(due.rfc3339), "reason": .string(reason),
        ]
    }
}
