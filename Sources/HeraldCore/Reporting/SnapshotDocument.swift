package import FCM

/// A snapshot as a file.
package struct SnapshotDocument {
    /// What every version of its `schema` begins with.
    static let family = "herald.snapshot/"
    static let schema = "\(family)1"

    package let snapshot: StateSnapshot

    package init(_ snapshot: StateSnapshot) { self.snapshot = snapshot }

    package var json: JSONValue {
        let (identity, sizes) = (snapshot.identity, snapshot.sizes)
        var members: [String: JSONValue] = [
            "schema": .string(Self.schema), "time": .string(snapshot.time.rfc3339),
            "lineage": .string(identity.lineage), "serial": .int(snapshot.serial),
            "project": .string(identity.project), "endpoint": .string(identity.endpoint.rawValue),
            "created": .string(identity.created.rfc3339),
            "workspace": identity.workspace.map { .string($0) } ?? .null,
            "registrations": .int(Int64(sizes.known)), "dead": .int(Int64(sizes.dead)),
            "tombstones": .int(Int64(sizes.tombstones)),
            "topics": list(sizes.topics, "topic") { $0.json },
            "groups": list(sizes.groups, "group") { $0.json },
            "audiences": list(snapshot.audienceSizes, "audience") { ["size": .int(Int64($0))] },
            "gone_audiences": list(snapshot.goneAudiences, "audience") { ["size": .int(Int64($0))] },
            "watermarks": list(snapshot.watermarks, "campaign") { $0.json },
            "occurrences": list(snapshot.occurrences, "occurrence") { $0.json },
            "former_names": list(snapshot.formerNames, "campaign") { ["names": names($0)] },
            "paused": [
                "everything": .bool(snapshot.pauses.everything), "campaigns": names(snapshot.pauses.campaigns),
            ],
            "tested": names(snapshot.tested),
            "last_run": snapshot.lastRun?.json ?? .null,
            "runs": .array(snapshot.runs.map(\.json)),
            "lists": list(snapshot.lists, "audience") {
                ["fetched": .string($0.fetched.exactText), "since": .string($0.since.exactText)]
            },
            "doctor": snapshot.checkup?.json ?? .null,
            "workers": snapshot.workers.map { .array($0.map { .string($0) }) } ?? .null,
            "topic_api": snapshot.topicAPI.map { ["api": .string($0.api.rawValue), "at": .string($0.at.exactText)] }
                ?? .null,
            "send_quota": snapshot.sendQuota.map { $0.json(at: $0.at.exactText) } ?? .null,
        ]
        if !snapshot.waited.isEmpty {
            members["waited"] = list(snapshot.waited, "occurrence") { ["at": .string($0.rfc3339)] }
        }
        if let approvals = snapshot.approvals { members["approvals"] = list(approvals, "resource") { $0.json } }
        return .object(members)
    }

    private func names(_ names: Set<String>) -> JSONValue { .array(names.sorted().map { .string($0) }) }

    /// One object for each value, with its name under `key`.
    private func list<Name: CustomStringConvertible, Value>(
        _ values: [Name: Value], _ key: String, _ members: (Value) -> [String: JSONValue]
    ) -> JSONValue {
        .array(
            values.map { ("\($0.key)", $0.value) }.sorted { $0.0 < $1.0 }.map { name, value in
                .object(members(value).merging([key: .string(name)]) { $1 })
            })
    }
}

extension StateSnapshot.Topic {
    fileprivate var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "owned": .int(Int64(managed)), "subscribing": .int(Int64(subscribing)), "found": .int(Int64(preexisting)),
            "earlier": .int(Int64(former)),
        ]
        if adopted > 0 { members["adopted"] = .int(Int64(adopted)) }
        if left > 0 { members["left"] = .int(Int64(left)) }
        if awaitsFile { members["awaits_file"] = true }
        return members
    }
}

extension StateSnapshot.Group {
    fileprivate var json: [String: JSONValue] {
        var counts: [String: JSONValue] = [
            "members": .int(Int64(members)), "adding": .int(Int64(adding)), "has_key": .bool(hasKey),
        ]
        if former > 0 { counts["earlier"] = .int(Int64(former)) }
        return counts
    }
}

extension StateSnapshot.Approved {
    fileprivate var json: [String: JSONValue] {
        var members: [String: JSONValue] = ["digest": .string(digest)]
        members["size"] = size.map { .int(Int64($0)) }
        return members
    }
}

extension Watermark {
    fileprivate var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "at": .string(at.exactText), "schedule": .string(schedule),
            "next": next.map { .string($0.exactText) } ?? .null,
        ]
        if let first { members["first"] = .string(first.exactText) }
        return members
    }
}

extension StateSnapshot.Occurrence {
    fileprivate var json: [String: JSONValue] {
        let counts = LedgerEntry.allCases.map { ($0.key, JSONValue.int(Int64(recorded.counts[$0]))) }
        var members: [String: JSONValue] = [
            "campaign": .string(recorded.campaign), "revision": .int(Int64(recorded.revision)),
            "due": recorded.due.map { .string($0.exactText) } ?? .null,
            "content_digest": .string(recorded.contentDigest),
            "finished": recorded.finished.map { .string($0.exactText) } ?? .null,
            "counts": .object(Dictionary(uniqueKeysWithValues: counts.filter { $0.1 != 0 })),
        ]
        if let whole { members["whole"] = .string(whole.key) }
        if let halt = recorded.halt { members["halted"] = .string(halt.rawValue) }
        if let suspended = recorded.suspended { members["suspended"] = .string(suspended.exactText) }
        if let unseen = recorded.unseen { members["unseen"] = .string(unseen.exactText) }
        if recorded.isDone { members["done"] = true }
        if recorded.isReopened { members["reopened"] = true }
        if recorded.endedUntried { members["untried"] = true }
        members["stages"] = RecordedStage.text(of: recorded.stages).map { .string($0) }
        if let local = recorded.local { members["local"] = .string(local.description) }
        if let begun = recorded.begun { members["begun"] = .string(begun.exactText) }
        return members
    }
}

extension LedgerEntry {
    /// Its key in a snapshot.
    var key: String {
        switch self {
        case .intended: "intended"
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .unknown: "unknown"
        case .abandoned: "abandoned"
        case .deferred: "deferred"
        case .skipped: "skipped"
        case .again: "again"
        }
    }
}

extension Date {
    /// Like `rfc3339`, with as many digits after the second as it needs to be read back as the same time.
    fileprivate var exactText: String {
        let nanoseconds = Int(
            ((timeIntervalSince1970 - timeIntervalSince1970.rounded(.down)) * 1_000_000_000).rounded())
        guard nanoseconds > 0 else { return rfc3339 }
        let digits = String(String(1_000_000_000 + nanoseconds).dropFirst().reversed().drop { $0 == "0" }.reversed())
        return "\(rfc3339.dropLast()).\(digits)Z"
    }
}
