internal import FCM

/// Reads one YAML document as the kind of resource that it declares. List files are only named here, not read.
enum ResourceReader {
    /// The kinds of resources and their keys.
    static let keys: [String: KeyTable] = [
        "audience": KeyTable(
            [
                "kind", "name", "source", "tokens", "fids", "from", "where", "outcome", "exclude", "previous_names",
                "fields", "samples",
            ],
            required: ["name"]),
        "topic": KeyTable(
            ["kind", "name", "subscribers", "exclude", "prune", "drift", "adopt", "previous_names"],
            required: ["name"]),
        "group": KeyTable(["kind", "name", "members"], required: ["name", "members"]),
        "campaign": KeyTable(
            [
                "kind", "name", "description", "owner", "enabled", "revision", "previous_names", "target", "exclude",
                "message", "personal", "locales", "variants", "split", "schedule", "delivery", "acknowledge",
                "tags", "priority", "frequency_caps",
            ], required: ["name", "target", "message"]),
    ]

    enum Resource {
        case audience(Audience)
        case topic(Topic)
        case group(Group)
        case campaign(Campaign)
    }

    /// What campaigns get from the workspace where they say nothing.
    struct Defaults {
        /// The IANA name of a schedule's zone.
        var zone = "UTC"
        var window: WrittenWindow?
        var caps: [FrequencyCap] = []
        var suppressions: [Suppression] = []

        init() {}

        init(_ settings: Settings) {
            (zone, window, caps) = (settings.timezone, settings.window, settings.frequencyCaps)
            suppressions = settings.suppressedByTag
        }
    }

    static func resource(from document: Node, _ defaults: Defaults, _ findings: inout Findings) -> Resource? {
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
            let kinds = Self.keys.keys.sorted()
            let near = findings.advice.nearest(to: name, among: kinds)
            findings.error(
                .unknownKind, "there is no kind '\(name)'", at: kind.value.range,
                help: near.map { "did you mean '\($0)'?" } ?? "one of: \(kinds.joined(separator: ", "))",
                replacement: near)
            return nil
        }
        let article = name.hasPrefix("a") ? "an" : "a"
        guard let fields = Fields(document, "\(article) \(name)", table, &findings) else { return nil }
        switch name {
        case "audience": return audience(fields, &findings).map(Resource.audience)
        case "topic": return topic(fields, &findings).map(Resource.topic)
        case "group": return group(fields, &findings).map(Resource.group)
        default: return campaign(fields, defaults, &findings).map(Resource.campaign)
        }
    }

    private static func topic(_ fields: Fields, _ findings: inout Findings) -> Topic? {
        let name = fields.string("name", &findings).flatMap { topicName($0, &findings) }
        let previous = (fields.strings("previous_names", &findings) ?? []).compactMap { topicName($0, &findings) }
        let isOfApp = fields["subscribers"] == nil
        if isOfApp {
            for key in ["exclude", "prune", "drift", "adopt"] where fields[key] != nil {
                findings.error(
                    .missingKey, "'\(key)' has no meaning without 'subscribers'", at: fields.keyRange(key),
                    help: "name the audiences to subscribe, or take '\(key)' out if the app subscribes its users itself"
                )
            }
        }
        let subscribers = isOfApp ? [] : fields.strings("subscribers", &findings)
        let exclude = fields.strings("exclude", &findings) ?? []
        let prune = fields.bool("prune", &findings) ?? !isOfApp
        let (drift, adopt): (Topic.Drift?, Bool?) = (fields.choice("drift", &findings), fields.bool("adopt", &findings))
        guard let name, let subscribers else { return nil }
        return Topic(
            name: name, subscribers: subscribers, exclude: exclude, prune: prune, drift: drift ?? .keep,
            adopt: adopt ?? false, previousNames: previous)
    }

    private static func campaign(_ fields: Fields, _ defaults: Defaults, _ findings: inout Findings) -> Campaign? {
        let name = resourceName(fields, &findings)
        let target = fields["target"].flatMap { Self.target($0, &findings) }
        let errors = findings.errors
        let message = fields["message"].flatMap {
            Campaign.message(from: $0, as: fields["personal"] == nil ? .plain : .personal, &findings)
        }
        let personal = personal(fields, message: message?.value ?? [:], &findings)
        let isReadable = findings.errors == errors
        let description = fields.string("description", &findings)?.value
        let owner = fields.string("owner", &findings)?.value
        let enabled = fields.bool("enabled", &findings) ?? true
        let revision = fields.int("revision", in: 1...Int(Int32.max), &findings) ?? 1
        let previous = previousNames(fields, &findings)
        let exclude = fields.strings("exclude", &findings) ?? []
        let acknowledged = acknowledgement(fields, &findings)
        let timing = ScheduleReader.timing(fields["schedule"], defaultZone: defaults.zone, &findings)
        var delivery = delivery(fields["delivery"], timing, defaults, &findings)
        delivery.frequency = frequency(fields, defaults, &findings)
        // A campaign with a mistake in its message is kept, so that the rest of it is checked too.
        guard let name, let target,
            let message = message ?? fields["message"].map({ Located([:], at: findings.at($0.range)) })
        else { return nil }
        var campaign = Campaign(
            name: name, description: description, owner: owner, enabled: enabled, revision: revision,
            previousNames: previous, target: target, exclude: exclude, message: message, schedule: timing.schedule,
            zoneField: timing.zoneField, delivery: delivery, acknowledged: acknowledged, personal: personal)
        campaign.suppressed = defaults.suppressions.filter { $0.isFor(delivery.frequency.tags) }.map(\.audience)
        if case .condition(let condition) = target.value {
            campaign.conditionTopics =
                ConditionPlaces(fields["target"], condition, file: findings.file)?.terms.map(\.topic)
                ?? condition.topics.map { Located($0, at: target.range) }
        }
        checkKeys(fields, of: campaign, &findings)
        checkPersonal(fields, of: campaign, isReadable: isReadable, &findings)
        // For now without the fields of the target's audience, which may stand in another file.
        campaign.resolveFields(in: nil)
        return campaign
    }

    /// A campaign's or audience's name: `[a-z0-9][a-z0-9._-]{0,62}`.
    static func resourceName(_ fields: Fields, _ findings: inout Findings) -> Located<String>? {
        fields.string("name", &findings).flatMap { isResourceName($0, &findings) ? $0 : nil }
    }

    static func previousNames(_ fields: Fields, _ findings: inout Findings) -> [Located<String>] {
        (fields.strings("previous_names", &findings) ?? []).filter { isResourceName($0, &findings) }
    }

    static func isResourceName(_ name: Located<String>, _ findings: inout Findings) -> Bool {
        let isWellFormed =
            1...63 ~= name.value.utf8.count && name.value.utf8.first.map("._-".utf8.contains) == false
            && name.value.utf8.allSatisfy { $0.isDigit || $0.isLowercaseLetter || "._-".utf8.contains($0) }
        guard isWellFormed else {
            findings.diagnostics.append(
                .error(
                    .resourceName, "'\(name.value)' cannot be a name", at: name.range,
                    help: "up to 63 lower-case letters, digits, points, dashes and underscores, a letter or digit first"
                ))
            return false
        }
        return true
    }

    static func topicName(_ text: Located<String>, _ findings: inout Findings) -> Located<TopicName>? {
        if let name = TopicName(rawValue: text.value) { return Located(name, at: text.range) }
        let help: String
        var bareName: String?
        if text.value.hasPrefix("/topics/") {
            let bare = String(text.value.dropFirst("/topics/".count))
            help = "write the bare name: \(bare)"
            bareName = TopicName(rawValue: bare)?.rawValue
        } else if text.value.hasPrefix("private/") {
            help = "private topics cannot be sent to"
        } else {
            help = "1 to 900 characters of A-Z a-z 0-9 - _ . ~ %"
        }
        findings.diagnostics.append(
            .error(
                .topicName, "'\(text.value)' is not a topic name", at: text.range, help: help,
                replacement: bareName?.inYAML))
        return nil
    }
}
