package import FCM

/// The state as `state show` shows it: figures without registrations.
package struct StateDocument: Document {
    private let state: RecordedState
    /// Dead registrations, also of recipients who have a living one.
    private let tombstones: Int
    /// Shows only the topic or campaign with this name.
    private let only: String?
    /// The processes that send now.
    private let crew: [CrewMember]

    package init(_ state: RecordedState, tombstones: Int, only: String? = nil, crew: [CrewMember] = []) {
        self.state = state
        self.tombstones = tombstones
        self.only = only
        self.crew = crew.filter { member in
            guard let only else { return true }
            guard let name = member.occurrence else { return false }
            return name == only || state.occurrences[OccurrenceID(rawValue: name)]?.campaign == only
        }
    }

    /// Whether nothing has that name.
    package var isEmpty: Bool {
        topics.isEmpty && groups.isEmpty && occurrences.isEmpty && watermarks.isEmpty && tests.isEmpty
    }

    private var groups: [(name: GroupName, group: RecordedGroup)] {
        state.groups.filter { only == nil || $0.key.rawValue == only }.map { ($0.key, $0.value) }
            .sorted { $0.name < $1.name }
    }

    private var watermarks: [(campaign: String, mark: Watermark)] {
        state.watermarks.filter { only == nil || $0.key == only }.map { ($0.key, $0.value) }
            .sorted { $0.campaign < $1.campaign }
    }

    private var approvals: [(resource: String, approval: RecordedApproval)] {
        state.approvals.filter { only == nil || Definition.Key($0.key)?.name == only }
            .map { ($0.key, $0.value) }.sorted { $0.resource < $1.resource }
    }

    private var tests: [RecordedTest] { state.tests.filter { only == nil || $0.campaign == only } }

    private var pauses: [String] {
        (state.pauses.everything ? ["every campaign"] : []) + state.pauses.campaigns.sorted()
    }

    private var topics: [(name: TopicName, topic: RecordedTopic)] {
        state.topics.filter { only == nil || $0.key.rawValue == only }.map { ($0.key, $0.value) }
            .sorted { $0.name < $1.name }
    }

    private var occurrences: [(id: OccurrenceID, occurrence: RecordedOccurrence)] {
        state.occurrences.filter { only == nil || $0.value.campaign == only || $0.key.rawValue == only }
            .map { ($0.key, $0.value) }.sorted { $0.id < $1.id }
    }

    package var json: JSONValue {
        var members = figures.object ?? [:]
        members["approvals"] = .array(
            approvals.map { resource, approval in
                [
                    "resource": .string(resource), "digest": .string(approval.digest),
                    "size": approval.size.map { .int(Int64($0)) } ?? .null, "by": .string(approval.by),
                    "at": .string(approval.at.rfc3339),
                ]
            })
        if !crew.isEmpty { members["processes"] = .array(crew.map(\.json)) }
        return .object(members)
    }

    private var figures: JSONValue {
        [
            "schema": "herald.state/1",
            "lineage": .string(state.identity.lineage),
            "serial": .int(state.serial),
            "project": .string(state.identity.project),
            "endpoint": .string(state.identity.endpoint.rawValue),
            "created": .string(state.identity.created.rfc3339),
            "registrations": .int(Int64(state.knownCount)),
            "dead": .int(Int64(state.dead.count)), "tombstones": .int(Int64(tombstones)),
            "topics": .array(
                topics.map { name, topic in
                    [
                        "topic": .string(name.rawValue), "owned": .int(Int64(topic.managed.count)),
                        "found": .int(Int64(topic.preexisting.count)),
                        "adopted": .int(Int64(topic.adopted.count)), "left": .int(Int64(topic.left.count)),
                        "subscribing": .int(Int64(topic.subscribing.count)),
                        "awaits_file": .bool(topic.awaitsFile), "observed": observed(topic),
                    ]
                }),
            "groups": .array(
                groups.map { name, group in
                    [
                        "group": .string(name.rawValue), "members": .int(Int64(group.members.count)),
                        "adding": .int(Int64(group.adding.count)), "has_key": .bool(group.key != nil),
                    ]
                }),
            "watermarks": .array(
                watermarks.map { campaign, mark in
                    [
                        "campaign": .string(campaign), "at": .string(mark.at.rfc3339),
                        "next": mark.next.map { .string($0.rfc3339) } ?? .null,
                    ]
                }),
            "paused": .object([
                "everything": .bool(state.pauses.everything),
                "campaigns": .array(state.pauses.campaigns.sorted().map { .string($0) }),
            ]),
            "topic_api": state.topicAPI.map { .string($0.api.rawValue) } ?? .null,
            "send_quota": state.sendQuota.map { $0.json } ?? .null,
            "tests": .array(
                tests.map {
                    [
                        "campaign": .string($0.campaign), "at": .string($0.at.rfc3339),
                        "accepted": .int(Int64($0.accepted)), "rejected": .int(Int64($0.rejected)),
                        "unknown": .int(Int64($0.unknown)),
                    ]
                }),
            "occurrences": .array(occurrences.map(Self.json)),
        ]
    }

    /// When FCM was asked about the members that it has by the state.
    private func observed(_ topic: RecordedTopic) -> JSONValue {
        let times = state.observed(among: topic.subscribers)
        return [
            "never": .int(Int64(times.never)), "oldest": times.oldest.map { .string($0.rfc3339) } ?? .null,
            "newest": times.newest.map { .string($0.rfc3339) } ?? .null,
        ]
    }

    private static func json(_ id: OccurrenceID, _ occurrence: RecordedOccurrence) -> JSONValue {
        var members: [String: JSONValue] = [
            "occurrence": .string(id.rawValue), "campaign": .string(occurrence.campaign),
            "due": occurrence.due.map { .string($0.rfc3339) } ?? .null,
            "local": occurrence.local.map { .string($0.description) } ?? .null,
            "target": target(occurrence.target),
            "accepted": .int(Int64(occurrence.counts[.accepted])),
            "rejected": .int(Int64(occurrence.counts[.rejected])),
            "unknown": .int(Int64(occurrence.counts.uncertain)),
            "abandoned": .int(Int64(occurrence.counts[.abandoned])),
            "skipped": .int(Int64(occurrence.counts[.skipped])),
            "again": .int(Int64(occurrence.counts[.again])),
            "skipped_because": .object(occurrence.counts.skips.json),
            "codes": .object(occurrence.counts.rejections.mapValues { .int(Int64($0)) }),
            "suspended": occurrence.suspended.map { .string($0.rfc3339) } ?? .null,
            "halted": occurrence.halt.map { .string($0.rawValue) } ?? .null,
            "finished": occurrence.finished.map { .string($0.rfc3339) } ?? .null,
        ]
        if !occurrence.stages.isEmpty { members["stages"] = .array(occurrence.shownStages.map(\.json)) }
        return .object(members.merging(ClassCounts(occurrence.classes).members) { first, _ in first })
    }

    /// `topic:NAME` as an object with one key.
    private static func target(_ text: String) -> JSONValue {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.count == 2 ? .object([parts[0]: .string(parts[1])]) : .object([:])
    }

    package func text(_ style: TextStyle) -> String {
        let identity = state.identity
        var text = "State \(identity.lineage), serial \(state.serial)\n"
        text += "Project '\(identity.project)' at \(identity.endpoint.rawValue), since \(identity.created.rfc3339)\n"
        text +=
            "\(count(state.knownCount, "recipient")) known, \(state.dead.count.grouped) of them dead; \(count(tombstones, "dead registration"))\n"
        if !state.migratedDead.isEmpty {
            text +=
                "\(state.migratedDead.count.grouped) of the dead come from an older herald, which noted installations; 'herald state revive --migrated' takes them for living again\n"
        }
        if let quota = state.sendQuota {
            text +=
                "The project may send \(quota.perMinute.grouped) messages a minute, as FCM said at \(quota.at.rfc3339)\n"
        }
        let width = max(
            topics.map(\.name.rawValue.count).max() ?? 0, groups.map(\.name.rawValue.count).max() ?? 0,
            occurrences.map(\.id.rawValue.count).max() ?? 0)
        if !topics.isEmpty { text += "\n\(style.bold("Topics"))\n" }
        for (name, topic) in topics {
            text += "  \(name.rawValue.padded(to: width))  \(topic.managed.count.grouped) subscribed"
            if !topic.preexisting.isEmpty { text += ", \(topic.preexisting.count.grouped) subscribed by others" }
            if !topic.adopted.isEmpty { text += ", \(topic.adopted.count.grouped) adopted" }
            if !topic.left.isEmpty { text += ", \(topic.left.count.grouped) left by themselves" }
            if !topic.subscribing.isEmpty { text += ", \(topic.subscribing.count.grouped) asked for and not answered" }
            if topic.awaitsFile { text += ", imported and in no file yet" }
            text += observedWords(topic) + "\n"
        }
        if !groups.isEmpty { text += "\n\(style.bold("Groups"))\n" }
        for (name, group) in groups {
            text += "  \(name.rawValue.padded(to: width))  \(count(group.members.count, "member"))"
            if !group.adding.isEmpty { text += ", \(group.adding.count) asked for and not answered" }
            text += group.key == nil ? ", no key\n" : "\n"
        }
        if !occurrences.isEmpty { text += "\n\(style.bold("Occurrences"))\n" }
        for (id, occurrence) in occurrences {
            let unknown = occurrence.counts.uncertain
            text +=
                "  \(id.rawValue.padded(to: width))  \(Self.words(occurrence.target)), \(occurrence.counts[.accepted].grouped) accepted"
            if occurrence.counts[.rejected] > 0 {
                text += ", \(occurrence.counts[.rejected].grouped) rejected\(Self.codes(occurrence))"
            }
            if occurrence.counts[.abandoned] > 0 { text += ", \(occurrence.counts[.abandoned].grouped) abandoned" }
            if occurrence.counts[.skipped] > 0 { text += ", \(occurrence.counts.skips.words)" }
            if occurrence.counts[.again] > 0 { text += ", \(occurrence.counts[.again].grouped) to be tried again" }
            if unknown > 0 { text += ", \(style.yellow("\(unknown.grouped) unknown"))" }
            if let halt = occurrence.halt { text += ", \(style.yellow(Self.words(halt)))" }
            if occurrence.finished == nil, let closed = occurrence.suspended {
                text += ", its window closed at \(closed.rfc3339)"
            }
            if occurrence.finished != nil, !occurrence.hasTried { text += ", nobody was tried" }
            text += occurrence.finished.map { ", finished \($0.rfc3339)\n" } ?? ", unfinished\n"
            text += ClassCounts(occurrence.classes).text(indentedBy: 4)
            text += occurrence.shownStages.map { "    stage \($0.line)\n" }.joined()
        }
        if !watermarks.isEmpty { text += "\n\(style.bold("Dealt with until"))\n" }
        for (campaign, mark) in watermarks { text += "  \(campaign.padded(to: width))  \(mark.at.rfc3339)\n" }
        if !pauses.isEmpty { text += "\n\(style.bold("Paused"))\n" + pauses.map { "  \($0)\n" }.joined() }
        let approvers = Dictionary(grouping: approvals, by: \.approval.by).mapValues(\.count).sorted { $0.key < $1.key }
        if !approvers.isEmpty {
            text += "\n\(style.bold("Approved"))\n"
            text += approvers.map { "  \(count($0.value, "definition")) by \($0.key)\n" }.joined()
        }
        if !crew.isEmpty { text += "\n\(style.bold("Sending now"))\n" + crew.map { "  \($0.text)\n" }.joined() }
        if !tests.isEmpty { text += "\n\(style.bold("Tests"))\n" }
        for test in tests {
            text += "  \(test.campaign.padded(to: width))  \(test.at.rfc3339), \(test.accepted) accepted"
            text += ", \(test.rejected) rejected, \(test.unknown) unknown\n"
        }
        return text
    }

    /// Empty for a topic that nobody asked FCM about.
    private func observedWords(_ topic: RecordedTopic) -> String {
        let times = state.observed(among: topic.subscribers)
        guard let (oldest, newest) = times.oldest.flatMap({ oldest in times.newest.map { (oldest, $0) } }) else {
            return ""
        }
        let span = oldest == newest ? oldest.rfc3339 : "between \(oldest.rfc3339) and \(newest.rfc3339)"
        return "; observed \(span)" + (times.never > 0 ? ", \(times.never.grouped) never" : "")
    }

    private static func words(_ target: String) -> String {
        target == "registrations:" ? "listed registrations" : target
    }

    private static func words(_ halt: RecordedOccurrence.Halt) -> String {
        switch halt {
        case .failedOver: "in doubt since the database failed over"
        case .rejected: "stopped because too many were rejected"
        case .dead: "stopped because too many registrations looked dead"
        case .stage: "halted at a stage"
        }
    }

    private static func codes(_ occurrence: RecordedOccurrence) -> String {
        let codes = occurrence.counts.rejections.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.printable)" }
        return codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))"
    }
}
