package import FCM

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A plan as it is shown and saved. It holds no registration.
package struct PlanDocument: Document {
    package var plan: Plan
    package var id: String
    package var created: Date
    private let campaigns: [String]

    /// A plan is good until its earliest send would be too late, and a day at most.
    private static let lifetime: Duration = .seconds(24 * 3600)

    /// - Parameter campaigns: what it was limited to; empty for all.
    package init(_ plan: Plan, id: String, created: Date, campaigns: [String] = []) {
        self.plan = plan
        self.campaigns = campaigns
        self.id = id
        self.created = created
    }

    package var expires: Date {
        let deadlines = plan.steps.compactMap { step -> Date? in
            if case .send(let send) = step.work { send.deadline } else { nil }
        }
        return min(plan.at.adding(Self.lifetime), deadlines.min() ?? .distantFuture)
    }

    /// SHA-256 of the whole document but for `id`, `created` and itself.
    package var digest: String { Self.digest(of: content) }

    static func digest(of document: [String: JSONValue]) -> String {
        let varying: Set<String> = ["id", "created", "digest"]
        return JSONValue.object(document.filter { !varying.contains($0.key) }).digest
    }

    package var json: JSONValue {
        var members = content
        members["id"] = .string(id)
        members["created"] = .string(created.rfc3339)
        members["digest"] = .string(digest)
        return .object(members)
    }

    private var content: [String: JSONValue] {
        var warnings = plan.warnings
        if plan.upcomingOmitted > 0 {
            warnings.append("\(plan.upcomingOmitted) more upcoming sends are not listed")
        }
        var members: [String: JSONValue] = [
            "schema": "herald.plan/1",
            "at": .string(plan.at.rfc3339),
            "expires": .string(expires.rfc3339),
            "workspace_digest": .string(plan.workspaceDigest),
            "state": plan.state.map { ["lineage": .string($0.lineage), "serial": .int($0.serial)] } ?? .null,
            "summary": .object(summary.mapValues { .int(Int64($0)) }),
            "steps": .array(plan.steps.map { step($0) }),
            "upcoming": .array(
                plan.upcoming.map {
                    [
                        "campaign": .string($0.campaign), "occurrence": .string($0.occurrence.rawValue),
                        "due": .string($0.due.rfc3339), "local": .string(String($0.due.rfc3339.dropLast())),
                        "timezone": "UTC",
                        "target": $0.target.json, "recipients": .int(Int64($0.recipients)), "note": "",
                    ]
                }),
            "missed": .array(
                plan.missed.map {
                    [
                        "occurrence": .string($0.occurrence.rawValue), "due": .string($0.due.rfc3339),
                        "reason": .string($0.reason),
                    ]
                }),
            "held": .array(
                plan.held.map {
                    [
                        "occurrence": .string($0.occurrence.rawValue), "reason": .string($0.reason),
                        "resolve": .string($0.resolve),
                    ]
                }),
            "changes": [],
            "guards": .array(
                plan.refusals.map {
                    [
                        "guard": .string($0.kind.rawValue), "limit": .int(Int64($0.limit)),
                        "actual": .int(Int64($0.actual)), "override": .string($0.override),
                    ]
                }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
        if !campaigns.isEmpty { members["campaigns"] = .array(campaigns.map { .string($0) }) }
        return members
    }

    private func step(_ step: Plan.Step) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(step.id), "action": .string(step.work.action), "planned": .int(Int64(step.work.planned)),
            "requests": .int(Int64(step.work.requests)), "seconds": .int(Int64(step.seconds)),
            "reason": .string(step.reason),
        ]
        switch step.work {
        case .subscribe(let topic, _), .unsubscribe(let topic, _): members["topic"] = .string(topic.rawValue)
        case .send(let send):
            members["campaign"] = .string(send.campaign)
            members["occurrence"] = .string(send.occurrence.rawValue)
            members["target"] = send.target.json
            members["due"] = .string((send.due ?? plan.at).rfc3339)
        }
        return .object(members)
    }

    private var summary: [String: Int] {
        var summary = [
            "subscribe": 0, "unsubscribe": 0, "group_create": 0, "group_add": 0, "group_remove": 0, "group_delete": 0,
            "send": 0, "recipients": 0, "collapsed": plan.collapsed, "dead_listed": plan.deadListed,
        ]
        for step in plan.steps {
            if case .send(let send) = step.work {
                summary["send", default: 0] += 1
                summary["recipients", default: 0] += send.recipients
            } else {
                summary[step.work.action, default: 0] += step.work.planned
            }
        }
        return summary
    }

    package func text(_ style: TextStyle) -> String {
        var text = ""
        let width = plan.steps.map { Self.subject($0).count }.max() ?? 0
        for step in plan.steps {
            let subject = Self.subject(step).padded(to: width)
            switch step.work {
            case .subscribe(_, let members):
                text += "  \(style.green("+ subscribe"))    \(subject)  \(count(members.count, "registration"))"
            case .unsubscribe(_, let members):
                text += "  \(style.red("- unsubscribe"))  \(subject)  \(count(members.count, "registration"))"
            case .send(let send):
                text += "  \(style.yellow("> send"))         \(subject)  to \(send.target.words)"
                text += ", \(count(send.recipients, "recipient"))"
            }
            text += style.faint("  (\(step.reason))") + "\n"
        }
        text += section("Coming up", plan.upcoming.map { "\($0.occurrence)  to \($0.target.words)" })
        text += section("Missed", plan.missed.map { "\($0.occurrence)  \($0.reason)" })
        text += section("Held", plan.held.map { "\($0.occurrence)  \($0.reason); see: \($0.resolve)" })
        text += section(
            "Guards that need an override",
            plan.refusals.map { "\($0.kind.rawValue): \($0.message); to allow it: \($0.override)" })
        text += section("Warnings", plan.warnings)
        if !text.isEmpty { text += "\n" }
        return text + conclusion + "\n"
    }

    /// The plan in one sentence.
    package var conclusion: String {
        if plan.isEmpty { return "Nothing to do: the record matches the files." }
        if plan.steps.isEmpty {
            return "Plan: nothing to send or change, \(count(plan.missed.count, "occurrence")) missed."
        }
        var parts: [String] = []
        let figures = summary
        if let number = figures["subscribe"], number > 0 { parts.append("\(number) to subscribe") }
        if let number = figures["unsubscribe"], number > 0 { parts.append("\(number) to unsubscribe") }
        if let number = figures["send"], number > 0 {
            parts.append("\(count(number, "send")) to \(count(figures["recipients"] ?? 0, "recipient"))")
        }
        var sentence = "Plan: \(parts.joined(separator: ", "))."
        if plan.collapsed > 0 {
            sentence += " \(count(plan.collapsed, "duplicate")) left out."
        }
        if plan.deadListed > 0 { sentence += " \(count(plan.deadListed, "dead registration")) left out." }
        if plan.state == nil { sentence += " There is no record yet." }
        return sentence
    }

    private static func subject(_ step: Plan.Step) -> String {
        switch step.work {
        case .subscribe(let topic, _), .unsubscribe(let topic, _): topic.rawValue
        case .send(let send): send.occurrence.rawValue
        }
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "\n\(title):\n" + lines.map { "  \($0)\n" }.joined()
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
