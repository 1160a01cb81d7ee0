internal import FCM

/// The guard against sending a campaign again that was only renamed.
extension Planner {
    /// Refuses what was sent under another name that no file declares any more. The target may have another name by now,
    /// too: then the message alone shows it.
    mutating func checkTwins(of send: Plan.Send, _ campaign: Campaign) {
        // Under its own name the revision says what is sent again.
        let isKnown = (occurrences[send.campaign] ?? []).contains {
            $0.occurrence.hasTried
                && ($0.occurrence.revision == send.revision || $0.occurrence.contentDigest == send.contentDigest)
        }
        guard !isKnown else { return }
        let tried = state.occurrences.filter { $0.value.hasTried && $0.value.campaign != send.campaign }
        guard !tried.isEmpty else { return }
        // Another campaign had this name before. If its message was changed since, only a person knows whether it is that one.
        let claimed = CampaignNames.claimed(by: desired.sends.map(\.campaign))
        let hasOwn = (occurrences[send.campaign] ?? []).contains { $0.occurrence.hasTried }
        let later = hasOwn ? [] : state.laterNames(of: send.campaign, besides: claimed)
        if let name = later.first(where: { name in tried.contains { $0.value.campaign == name } }) {
            refuseTwin(
                send, "a former name of '\(name)', which was sent and which no file declares any more")
            return
        }
        let declared = Dictionary(desired.sends.map { ($0.campaign.name.value, $0.campaign) }) { first, _ in first }
        // A file that was renamed, and whose old name has other content now, is no longer declared under that name.
        let whole = tried.filter {
            $0.value.contentDigest == send.contentDigest
                && declared[$0.value.campaign]?.contentDigest != send.contentDigest
        }
        if let twin = whole.keys.min(), let occurrence = whole[twin] {
            refuseTwin(
                send,
                "the message and the target of \(twin), which was sent, and no file declares that under "
                    + "'\(occurrence.campaign)' any more")
            return
        }
        let digests = Set(vanishedTargets.flatMap { campaign.contentDigests(sentTo: $0) })
        // Where its campaign goes to others now, this may be for those it went to before.
        let others = tried.filter { _, occurrence in
            let keeper = declared[occurrence.campaign].map {
                $0.content == send.content && !occurrence.isForOthers(in: $0, desired.audiencePreviousNames)
            }
            return digests.contains(occurrence.contentDigest) && keeper != true
        }
        if let twin = others.keys.min() {
            refuseTwin(send, "the message of \(twin), which was sent to a target that no file declares any more")
        } else if sizes != nil, tried.contains(where: { declared[$0.value.campaign] == nil }) {
            // The targets that a snapshot names are not all that there were.
            leaveUnjudged(.looksRenamed, "campaign '\(send.campaign)'")
        }
    }

    private mutating func refuseTwin(_ send: Plan.Send, _ what: String) {
        refuse(.looksRenamed, send.campaign, limit: 0, actual: 1, "campaign '\(send.campaign)' has \(what)")
    }

    /// The targets that the state knows and no file declares, as it records them. A snapshot has no targets, but the
    /// names of audiences and topics.
    private var vanishedTargets: Set<String> {
        let recorded = Set(state.occurrences.values.map(\.target))
        let audiences = state.audienceSizes.keys.map { Campaign.Target.audience($0).recordedText }
        let topics = state.topics.keys.map { Campaign.Target.topic($0).recordedText }
        return recorded.union(audiences).union(topics).filter(hasVanished)
    }

    /// Registrations that stand in a file never do: what was tried on some of them is often sent to an audience next.
    private func hasVanished(_ target: String) -> Bool {
        let parts = target.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        let isGone = { (topic: TopicName) in topicMembers[topic] == nil }
        switch parts[0] {
        case "audience": return desired.audienceSizes[parts[1]] == nil
        case "topic": return TopicName(rawValue: parts[1]).map(isGone) ?? false
        case "condition": return (try? Condition(parsing: parts[1]))?.topics.contains(where: isGone) ?? false
        case "group": return GroupName(rawValue: parts[1]).map { groupMembers[$0] == nil } ?? false
        default: return false
        }
    }
}

extension Campaign {
    /// SHA-256 of message, target and how the target is reached: what recipients would notice.
    package var contentDigest: String {
        // The registrations are left out, because a list may change while it is being sent to.
        let to: JSONValue =
            if case .registrations = target.value { ["registrations": true] } else { target.value.json }
        if case .group = target.value { return digest(sentTo: to, delivery.members) }
        return digest(sentTo: to)
    }

    /// What the digest may have been when the message went to another target.
    ///
    /// - Parameter target: as the state records it.
    fileprivate func contentDigests(sentTo target: String) -> [String] {
        let parts = target.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return [] }
        let to: JSONValue = .object([parts[0]: .string(parts[1])])
        return parts[0] == "group" ? Members.allCases.map { digest(sentTo: to, $0) } : [digest(sentTo: to)]
    }

    private func digest(sentTo target: JSONValue, _ members: Members = .key) -> String {
        var parts = ["target": target, "message": content.json]
        // The usual way is left out, so that the digests in older states still hold.
        if members != .key { parts["members"] = .string(members.rawValue) }
        return JSONValue.object(parts).digest
    }
}
