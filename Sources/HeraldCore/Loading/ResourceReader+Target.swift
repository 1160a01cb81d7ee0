internal import FCM

extension ResourceReader {
    static let targetKeys = KeyTable(["topic", "condition", "topics", "group", "audience", "tokens", "fids"])

    static func target(_ node: Node, _ findings: inout Findings) -> Located<Campaign.Target>? {
        guard let fields = Fields(node, "'target'", targetKeys, &findings) else { return nil }
        let written = (node.mapping ?? []).filter { targetKeys.known.contains($0.key) }
        guard written.count == 1 else {
            // The unknown key was already reported with a suggestion.
            if written.isEmpty, node.mapping?.isEmpty == false { return nil }
            let place = written.count > 1 ? written[1].keyRange : node.range
            findings.error(
                .oneTarget, "a campaign has exactly one target, not \(written.count)", at: place,
                help: "keep one of: \(targetKeys.known.joined(separator: ", "))")
            return nil
        }
        switch written[0].key {
        case "topic":
            return fields.string("topic", &findings).flatMap { topicName($0, &findings) }
                .map { Located(.topic($0.value), at: $0.range) }
        case "condition": return condition(written[0].value, &findings)
        case "topics": return topics(written[0].value, &findings)
        case "group":
            return fields.string("group", &findings).flatMap { groupName($0, &findings) }
                .map { Located(.group($0.value), at: $0.range) }
        case "audience":
            return fields.string("audience", &findings).map { Located(.audience($0.value), at: $0.range) }
        case let key:
            return listed(key, in: fields, &findings)
        }
    }

    private static func listed(
        _ key: String, in fields: Fields, _ findings: inout Findings
    ) -> Located<Campaign.Target>? {
        guard let node = fields[key] else { return nil }
        if node.sequence?.isEmpty == true {
            findings.error(.invalidValue, "'\(key)' lists nobody to send to", at: node.range)
        }
        return Located(.registrations(registrations(key, in: fields, &findings)), at: findings.at(node.range))
    }

    /// Reports keys that have no meaning for the campaign's target, and a missing `acknowledge` for a broadcast.
    static func checkKeys(_ fields: Fields, of campaign: Campaign, _ findings: inout Findings) {
        let target = campaign.target.value
        if case .condition(let condition) = target, condition.matches({ _ in false }), !campaign.acknowledged.broadcast
        {
            findings.diagnostics.append(
                .error(
                    .broadcast, "the condition also matches every device that follows none of its topics",
                    at: campaign.target.range,
                    help: "ask for one topic too, or write acknowledge: [broadcast] if everybody is meant"))
        }
        if fields["exclude"] != nil, let help = target.helpInsteadOfExclude {
            findings.error(
                .excludeTarget, "'exclude' takes nobody out of a \(target.named.key)",
                at: fields.keyRange("exclude"), help: help)
        }
        if case .group = target { return }
        if let members = fields["delivery"]?.mapping?.first(where: { $0.key == "members" }) {
            findings.error(
                .invalidValue, "'members' says how a group is reached, and the target is none", at: members.keyRange)
        }
    }
}

extension Campaign.Target {
    /// How to leave recipients out if the target does not support the campaign's own `exclude`.
    fileprivate var helpInsteadOfExclude: String? {
        switch self {
        case .topic(let name):
            "give the topic an 'exclude', or write target: {condition: \"'\(name)' in topics && !('…' in topics)\"}"
        case .condition: "put && !('…' in topics) into the condition"
        case .group: "take them out of the group's 'members'"
        case .audience, .registrations: nil
        }
    }
}
