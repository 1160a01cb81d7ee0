internal import FCM

/// Reads one YAML document as the resource it says it is. List files are named, not read.
enum ResourceReader {
    /// The kinds of the file format, and the keys each has.
    static let keys: [String: KeyTable] = [
        "audience": KeyTable(
            ["kind", "name", "source", "tokens", "fids", "exclude"], required: ["name"], later: ["from", "where"]),
        "topic": KeyTable(
            ["kind", "name", "subscribers", "exclude", "prune"], required: ["name", "subscribers"],
            later: ["drift", "previous_names"]),
        "campaign": KeyTable(
            [
                "kind", "name", "description", "owner", "enabled", "revision", "target", "message", "schedule",
                "delivery",
            ], required: ["name", "target", "message"], later: ["previous_names", "exclude", "acknowledge"]),
    ]
    static let laterKinds = ["group"]
    static let sourceKeys = KeyTable(["file"], required: ["file"])
    static let targetKeys = KeyTable(
        ["topic", "audience"], later: ["condition", "topics", "group", "tokens", "fids"])
    static let deliveryKeys = KeyTable(
        ["rate", "expires_after", "on_unknown", "stop_when_rejected_percent"], later: ["members"])

    enum Resource {
        case audience(Audience)
        case topic(Topic)
        case campaign(Campaign)
    }

    /// - Parameter defaultZone: of campaigns whose schedule names none.
    static func resource(from document: Node, defaultZone: String, _ findings: inout Findings) -> Resource? {
        guard let entries = document.mapping else {
            findings.error(
                .wrongType, "a resource must be a mapping, not \(document.kindName)", at: document.range)
            return nil
        }
        guard let kind = entries.first(where: { $0.key == "kind" }) else {
            let place = entries.first?.keyRange ?? document.range
            findings.error(
                .missingKey, "a resource needs 'kind'", at: place,
                help: "one of: \(Self.keys.keys.sorted().joined(separator: ", "))")
            return nil
        }
        guard let name = kind.value.string("'kind'", &findings)?.value else { return nil }
        guard let table = Self.keys[name] else {
            if Self.laterKinds.contains(name) {
                findings.error(.unsupported, "kind '\(name)' is not supported by this version", at: kind.value.range)
            } else {
                let kinds = Self.keys.keys.sorted()
                let near = suggestion(for: name, among: kinds).map { "did you mean '\($0)'?" }
                findings.error(
                    .unknownKind, "there is no kind '\(name)'", at: kind.value.range,
                    help: near ?? "one of: \(kinds.joined(separator: ", "))")
            }
            return nil
        }
        let article = name.hasPrefix("a") ? "an" : "a"
        guard let fields = Fields(document, "\(article) \(name)", table, &findings) else { return nil }
        switch name {
        case "audience": return audience(fields, &findings).map(Resource.audience)
        case "topic": return topic(fields, &findings).map(Resource.topic)
        default: return campaign(fields, defaultZone: defaultZone, &findings).map(Resource.campaign)
        }
    }

    private static func audience(_ fields: Fields, _ findings: inout Findings) -> Audience? {
        let name = resourceName(fields, &findings)
        let exclude = fields.strings("exclude", &findings) ?? []
        let sources = ["source", "tokens", "fids"].filter { fields[$0] != nil }
            .sorted { fields.keyRange($0).start < fields.keyRange($1).start }
        guard sources.count == 1 else {
            let place = sources.count > 1 ? fields.keyRange(sources[1]) : fields.keyRange("kind")
            findings.error(
                .oneSource,
                sources.isEmpty
                    ? "the audience has no registrations" : "an audience has one source, not \(sources.count)",
                at: place, help: "one of: source, tokens, fids")
            return nil
        }
        let source: Audience.Source?
        if let node = fields["source"] {
            let inner = Fields(node, "'source'", Self.sourceKeys, &findings)
            source = inner?.string("file", &findings).map { .list(ListFile(path: $0)) }
        } else {
            let kind: Registration.Kind = sources == ["fids"] ? .fid : .token
            source = .inline(inlineRegistrations(fields, kind, &findings))
        }
        guard let name, let source else { return nil }
        return Audience(name: name, source: source, exclude: exclude)
    }

    private static func inlineRegistrations(
        _ fields: Fields, _ kind: Registration.Kind, _ findings: inout Findings
    ) -> [Registration] {
        guard let node = fields["\(kind.rawValue)s"] else { return [] }
        guard let items = node.sequence else {
            findings.error(
                .wrongType, "'\(kind.rawValue)s' must be a list, not \(node.kindName)", at: node.range)
            return []
        }
        return items.compactMap { item in
            if let text = item.scalar?.text, let registration = Registration(text, kind: kind) { return registration }
            findings.error(
                .registrationForm, "the entry is not a \(kind.rawValue)", at: item.range,
                help: kind.form)
            return nil
        }
    }

    private static func topic(_ fields: Fields, _ findings: inout Findings) -> Topic? {
        let name = fields.string("name", &findings).flatMap { topicName($0, &findings) }
        let subscribers = fields.strings("subscribers", &findings)
        let exclude = fields.strings("exclude", &findings) ?? []
        let prune = fields.bool("prune", &findings) ?? true
        guard let name, let subscribers else { return nil }
        return Topic(name: name, subscribers: subscribers, exclude: exclude, prune: prune)
    }

    private static func campaign(
        _ fields: Fields, defaultZone: String, _ findings: inout Findings
    ) -> Campaign? {
        let name = resourceName(fields, &findings)
        let target = fields["target"].flatMap { Self.target($0, &findings) }
        let message = fields["message"].flatMap { Campaign.message(from: $0, &findings) }
        let description = fields.string("description", &findings)?.value
        let owner = fields.string("owner", &findings)?.value
        let enabled = fields.bool("enabled", &findings) ?? true
        let revision = fields.int("revision", in: 1...Int(Int32.max), &findings) ?? 1
        let schedule = ScheduleReader.schedule(fields["schedule"], defaultZone: defaultZone, &findings)
        let delivery = fields["delivery"].map { Self.delivery($0, &findings) }
        guard let name, let target, let message else { return nil }
        return Campaign(
            name: name, description: description, owner: owner, enabled: enabled, revision: revision, target: target,
            message: message, schedule: schedule, delivery: delivery ?? .init())
    }

    private static func target(_ node: Node, _ findings: inout Findings) -> Located<Campaign.Target>? {
        guard let fields = Fields(node, "'target'", Self.targetKeys, &findings) else { return nil }
        let written = (node.mapping ?? []).filter {
            Self.targetKeys.known.contains($0.key) || Self.targetKeys.later.contains($0.key)
        }
        guard written.count == 1 else {
            let place = written.count > 1 ? written[1].keyRange : node.range
            findings.error(
                .oneTarget, "a campaign has exactly one target, not \(written.count)", at: place,
                help: "keep one of: topic, audience")
            return nil
        }
        if let topic = fields.string("topic", &findings) {
            return topicName(topic, &findings).map { Located(.topic($0.value), at: $0.range) }
        }
        return fields.string("audience", &findings).map { Located(.audience($0.value), at: $0.range) }
    }

    private static func delivery(_ node: Node, _ findings: inout Findings) -> Campaign.Delivery {
        var delivery = Campaign.Delivery()
        guard let fields = Fields(node, "'delivery'", Self.deliveryKeys, &findings) else { return delivery }
        delivery.rate = fields.rate("rate", &findings)
        delivery.expiresAfter = fields.duration("expires_after", &findings)
        delivery.onUnknown = fields.choice("on_unknown", &findings) ?? delivery.onUnknown
        if let percent = fields.int("stop_when_rejected_percent", in: 1...100, &findings) {
            delivery.stopWhenRejectedPercent = percent
        }
        return delivery
    }

    /// A campaign's or audience's name: `[a-z0-9][a-z0-9._-]{0,62}`.
    private static func resourceName(_ fields: Fields, _ findings: inout Findings) -> Located<String>? {
        guard let name = fields.string("name", &findings) else { return nil }
        guard name.value.wholeMatch(of: #/[a-z0-9][a-z0-9._\-]{0,62}/#) != nil else {
            findings.diagnostics.append(
                .error(
                    .resourceName, "'\(name.value)' cannot be a name", at: name.range,
                    help: "up to 63 lower-case letters, digits, points, dashes and underscores, a letter or digit first"
                ))
            return nil
        }
        return name
    }

    private static func topicName(_ text: Located<String>, _ findings: inout Findings) -> Located<TopicName>? {
        if let name = TopicName(rawValue: text.value) { return Located(name, at: text.range) }
        let help: String
        if text.value.hasPrefix("/topics/") {
            help = "write the bare name: \(text.value.dropFirst("/topics/".count))"
        } else if text.value.hasPrefix("private/") {
            help = "private topics cannot be sent to"
        } else {
            help = "1 to 900 characters of A-Z a-z 0-9 - _ . ~ %"
        }
        findings.diagnostics.append(
            .error(.topicName, "'\(text.value)' is not a topic name", at: text.range, help: help))
        return nil
    }
}

extension Registration.Kind {
    /// How such a registration looks, for people.
    var form: String {
        switch self {
        case .fid: "a fid is 22 characters of A-Z a-z 0-9 _ - and begins with c, d, e or f"
        case .token: "a token is 100 to 4096 characters of A-Z a-z 0-9 _ - :"
        }
    }
}
