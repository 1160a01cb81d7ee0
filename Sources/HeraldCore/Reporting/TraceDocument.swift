package import FCM

/// What the state knows about one registration, and about its owner.
package struct TraceDocument: Document {
    private let trace: Trace
    private let asked: Asked
    /// How full the workspace's caps are, in the order of its file.
    private let caps: [CapStanding]
    /// What the next plan has for the owner. `nil` if that is not known.
    private let plan: PlanOverview?

    /// The registration that it is about.
    package struct Asked: Hashable, Sendable {
        /// Its fingerprint, or the registration itself.
        var name: String
        /// `nil` if it is not dead.
        var died: Date?
        /// The name of the one that its owner has, if that is another one.
        var current: String?

        package init(_ name: String, died: Date?, current: String?) {
            (self.name, self.died, self.current) = (name, died, current)
        }
    }

    package init(_ trace: Trace, of asked: Asked, caps: [CapStanding] = [], plan: PlanOverview? = nil) {
        (self.trace, self.asked, self.caps, self.plan) = (trace, asked, caps, plan)
    }

    package var json: JSONValue {
        [
            "schema": "herald.trace/1",
            "registration": .string(asked.name), "dead": .bool(asked.died != nil),
            "died": asked.died.map { .string($0.rfc3339) } ?? .null,
            "current": current,
            "observed": trace.observed.map { .string($0.rfc3339) } ?? .null,
            "topics": .array(
                trace.topics.map { ["topic": .string($0.name.rawValue), "relation": .string($0.membership.word)] }),
            "groups": .array(
                trace.groups.map { ["group": .string($0.name.rawValue), "relation": .string($0.membership.word)] }),
            "occurrences": .array(
                trace.occurrences.map {
                    [
                        "occurrence": .string($0.id.rawValue), "outcome": .string($0.outcome),
                        "code": $0.code.map { .string($0) } ?? .null,
                        "locale": $0.text.map { .string($0.localeName(default: nil)) } ?? .null,
                        "variant": $0.text?.variant.map { .string($0) } ?? .null,
                    ]
                }),
            "counts": .array(
                trace.starts.map {
                    [
                        "occurrence": .string($0.occurrence.rawValue), "at": .string($0.start.until.rfc3339),
                        "tags": .array($0.start.tags.map { .string($0) }),
                    ]
                }),
            "caps": .array(
                caps.map {
                    [
                        "cap": .string($0.cap.name), "max": .int(Int64($0.cap.max)),
                        "per": .string($0.cap.per.written),
                        "filled_by": .array($0.messages.map { .string($0.occurrence.rawValue) }),
                        "full_until": $0.fullUntil.map { .string($0.rfc3339) } ?? .null,
                    ]
                }),
            "waits": plan.map { plan in
                .array(
                    plan.waits.map {
                        [
                            "occurrence": .string($0.occurrence.rawValue), "reason": .string($0.reason),
                            "until": $0.until.map { .string($0.rfc3339) } ?? .null,
                        ]
                    })
            } ?? .null,
        ]
    }

    package func text(_ style: TextStyle) -> String {
        var text = asked.name + (asked.died.map { ": dead since \($0.rfc3339)" } ?? "") + "\n"
        if let current = asked.current {
            text += "  its owner has \(current)\(trace.isDead ? ", which is dead" : "")\n"
        }
        if let standing { text += "  \(standing)\n" }
        if let observed = trace.observed { text += "  FCM was asked about its topics at \(observed.rfc3339)\n" }
        for topic in trace.topics { text += "  topic \(topic.name): \(topic.membership.word)\n" }
        for group in trace.groups { text += "  group \(group.name): \(group.membership.word)\n" }
        for occurrence in trace.occurrences {
            text += "  \(occurrence.id): \(occurrence.outcome)\(occurrence.code.map { " (\($0.printable))" } ?? "")"
            if let message = occurrence.text {
                text += ", locale \(message.localeName(default: nil))"
                if let variant = message.variant { text += ", variant \(variant)" }
            }
            text += "\n"
        }
        for place in trace.starts {
            let tags = place.start.tags.isEmpty ? "" : " with \(place.start.tags.joined(separator: ", "))"
            text += "  counts for caps as sent by \(place.start.until.rfc3339): \(place.occurrence)\(tags)\n"
        }
        for standing in caps where !standing.messages.isEmpty {
            let names = standing.messages.map(\.occurrence.rawValue).joined(separator: ", ")
            let end = standing.fullUntil.map { ", full until \($0.rfc3339)" } ?? ""
            text += "  cap '\(standing.cap.name)' (\(standing.cap.words)): \(names)\(end)\n"
        }
        for wait in plan?.waits ?? [] {
            let next = wait.until.map { "; next \($0.rfc3339)" } ?? ""
            text += "  waits for \(wait.occurrence): \(wait.reason)\(next)\n"
        }
        return text
    }
}

extension TraceDocument {
    private var current: JSONValue {
        guard let current = asked.current else { return .null }
        return ["registration": .string(current), "dead": .bool(trace.isDead)]
    }

    /// Whether the owner is left out. `nil` if nothing needs to be said.
    private var standing: String? {
        guard let plan else {
            return trace.isDead ? "left out until a list names a living registration of its owner" : nil
        }
        if plan.isPersonDead { return "left out: no list names a living registration of its owner" }
        return trace.isDead ? "a list names a living registration of its owner, and the next run takes that" : nil
    }
}

extension Trace.OccurrencePlace {
    fileprivate var outcome: String { entry?.word ?? "not tried" }

    /// `nil` for the message itself, which everybody gets unless a campaign is personal.
    fileprivate var text: MessageClass? { messageClass == MessageClass() ? nil : messageClass }
}

extension Membership {
    fileprivate var word: String {
        switch self {
        case .subscribing: "asked for"
        case .managed: "subscribed"
        case .preexisting: "subscribed by others"
        case .forgotten: "subscribed until the registration died"
        case .left: "left by itself"
        case .adopted: "adopted"
        }
    }
}

extension GroupMembership {
    fileprivate var word: String {
        switch self {
        case .adding: "asked for"
        case .member: "member"
        case .forgotten: "member until the registration died"
        }
    }
}

extension LedgerEntry {
    /// The word that reports use for it.
    fileprivate var word: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .unknown, .intended: "unknown"
        case .abandoned: "abandoned"
        case .deferred, .again: "pending"
        case .skipped: "skipped"
        }
    }
}
