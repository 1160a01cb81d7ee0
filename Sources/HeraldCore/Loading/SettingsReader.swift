internal import FCM

/// Reads `herald.yaml`.
enum SettingsReader {
    static let keys = KeyTable(
        [
            "herald", "project", "sender_id", "timezone", "state", "workspace", "lists", "suppress", "resources",
            "ignore", "fcm",
            "runner", "guards", "approval", "approval_band", "delivery", "frequency_caps",
            "require_tags", "feedback", "heartbeat", "notify",
        ], required: ["herald", "project"])
    static let fcmKeys = KeyTable([
        "topic_api", "rate", "subscription_rate", "ramp", "settle", "timeout", "max_in_flight",
        "credentials", "token_hosts", "endpoint", "iid_endpoint", "ca",
    ])
    static let runnerKeys = KeyTable(["every"])
    static let deliveryKeys = KeyTable(["window"])
    static let guardKeys = KeyTable(["max_recipients", "max_unsubscribe_percent", "max_forget_percent"])

    /// The settings, and which other files belong to the workspace.
    struct Result {
        var settings: Settings
        /// Globs of the resource files. Empty means every YAML file.
        var resources: [Located<String>] = []
        var ignore: [String] = []
    }

    /// - Parameter environment: `nil` if variables stay as they are written. Their values are not checked then.
    static func settings(
        from document: Node, environment: [String: String]?, _ findings: inout Findings
    ) -> Result? {
        let written = document
        let document =
            environment.map { document.expandingVariables($0, except: secretKeys, &findings) } ?? document
        // A value with a missing variable cannot be checked further.
        var unexpanded = Set(findings.diagnostics.map(\.range))
        if environment == nil { unexpanded.formUnion(written.placesOfVariables.map { findings.at($0) }) }
        let known = findings.diagnostics.count
        defer {
            let later = findings.diagnostics[known...].filter { !unexpanded.contains($0.range) }
            findings.diagnostics.replaceSubrange(known..., with: later)
        }
        guard let fields = Fields(document, "herald.yaml", keys, &findings) else { return nil }
        var format: SettingsFormat?
        if let node = fields["herald"] {
            format = SettingsFormat(node, in: fields, &findings)
            if format == nil { return nil }
        }
        let project = fields.string("project", &findings)
        if let project, !project.value.isName(with: ":._-") {
            findings.diagnostics.append(
                .error(.invalidValue, "'\(project.value)' is not a project id", at: project.range))
        }
        var settings = Settings(project: project?.value ?? "")
        if let timezone = fields.string("timezone", &findings) {
            settings.timezone = findings.zone(timezone)?.name ?? settings.timezone
        }
        settings.senderID = senderID(fields, &findings)
        if let node = fields["state"] { settings.state = state(node, fields, format, &findings) }
        settings.workspace = workspace(fields, format, &findings)
        checkWorkspace(of: settings, fields, format, &findings)
        settings.lists = path("lists", in: fields, &findings)?.value ?? settings.lists
        (settings.suppress, settings.suppressedByTag) = suppressions(fields, format, &findings)
        settings.requiresTags = requiresTags(fields, format, &findings)
        if let node = fields["runner"] { settings.runEvery = runEvery(node, &findings) ?? settings.runEvery }
        if let node = fields["fcm"] { settings.fcm = fcm(node, format, &findings) }
        if let node = fields["guards"] { settings.guards = guards(node, &findings) }
        settings.approval = approval(fields, format, &findings)
        settings.window = window(fields, format, &findings)
        settings.frequencyCaps = caps(fields, format, &findings)
        settings.feedback = feedback(fields, format, &findings)
        settings.heartbeat = heartbeat(fields, format, &findings)
        settings.webhooks = webhooks(fields, format, &findings)
        return Result(
            settings: settings,
            resources: fields.strings("resources", &findings) ?? [],
            ignore: fields.strings("ignore", &findings)?.map(\.value) ?? [])
    }

    private static func fcm(
        _ node: Node, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> FCMSettings {
        var fcm = FCMSettings()
        guard let fields = Fields(node, "'fcm'", fcmKeys, &findings) else { return fcm }
        fcm.topicAPI = fields.choice("topic_api", &findings) ?? fcm.topicAPI
        if fcm.topicAPI == .iid {
            findings.warning(
                .fcmSunset, "the Instance ID service stops working on \(EndOfService.day)",
                at: fields["topic_api"]?.range ?? node.range,
                help: "write topic_api: registrations, or leave it out", replacement: "registrations")
        }
        fcm.rate = fields.rate("rate", &findings) ?? fcm.rate
        fcm.subscriptionRate = fields.rate("subscription_rate", &findings) ?? fcm.subscriptionRate
        fcm.ramp = fields.duration("ramp", &findings) ?? fcm.ramp
        if let delay = fields.duration("settle", &findings) {
            (fcm.propagationDelay, fcm.isPropagationDelayWritten) = (delay, true)
        }
        if let timeout = fields.duration("timeout", &findings) {
            if timeout < .milliseconds(100) || timeout > .seconds(600) {
                findings.error(
                    .invalidValue, "'timeout' must be from 100ms to 10m", at: fields["timeout"]?.range ?? fields.range)
            }
            fcm.timeout = timeout
        }
        fcm.maxInFlight = fields.int("max_in_flight", in: 1...10_000, &findings) ?? fcm.maxInFlight
        fcm.endpoint = fields.string("endpoint", &findings)?.value ?? fcm.endpoint
        fcm.iidEndpoint = fields.string("iid_endpoint", &findings)?.value
        EndpointRules(fields, fcm).check(&findings)
        fcm.credentials = path("credentials", in: fields, &findings)
        fcm.tokenHosts = tokenHosts(fields, format, &findings)
        fcm.ca = fields.string("ca", &findings)?.value
        return fcm
    }

    private static func tokenHosts(
        _ fields: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> [String] {
        guard let hosts = fields.strings("token_hosts", &findings) else { return [] }
        format?.require(2, for: "'token_hosts'", at: fields.keyRange("token_hosts"), &findings)
        for host in hosts where !FCMSettings.isHostName(host.value) {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(host.value)' is not a host name", at: host.range,
                    help: "write the name alone, in small letters: sts.example.com"))
        }
        return hosts.map(\.value)
    }

    private static func senderID(_ fields: Fields, _ findings: inout Findings) -> String? {
        guard let id = fields.string("sender_id", &findings) else { return nil }
        if !(1...20).contains(id.value.utf8.count) || !id.value.utf8.allSatisfy(\.isDigit) {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'sender_id' must be the project's number", at: id.range,
                    help: "its digits in quotes, as in \"123456789012\""))
        }
        return id.value
    }

    /// A name with variables that are not replaced is kept: what they stand for may be right.
    private static func workspace(
        _ fields: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> String? {
        guard let name = fields.string("workspace", &findings) else { return nil }
        format?.require(2, for: "'workspace'", at: fields.keyRange("workspace"), &findings)
        guard !Settings.isWorkspaceName(name.value) else { return name.value }
        findings.diagnostics.append(
            .error(
                .invalidValue, "'\(name.value)' is no name for a workspace", at: name.range,
                help: "use letters, digits, '.', '_' and '-'"))
        return name.value.contains("${") ? name.value : nil
    }

    static func path(
        _ key: String, in fields: Fields, _ findings: inout Findings
    ) -> Located<String>? {
        let path = fields.string(key, &findings)
        if let path, path.value.isEmpty {
            findings.diagnostics.append(.error(.invalidValue, "'\(key)' must not be empty", at: path.range))
        }
        return path
    }

    private static func runEvery(_ node: Node, _ findings: inout Findings) -> Duration? {
        guard let fields = Fields(node, "'runner'", runnerKeys, &findings),
            let every = fields.duration("every", &findings)
        else { return nil }
        if every < .seconds(10) {
            findings.error(.invalidValue, "'every' must be at least 10s", at: fields["every"]?.range ?? fields.range)
        }
        return every
    }

    private static func approval(
        _ fields: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> ApprovalSettings {
        var approval = ApprovalSettings()
        for key in ["approval", "approval_band"] where fields[key] != nil {
            format?.require(2, for: "'\(key)'", at: fields.keyRange(key), &findings)
        }
        if let text = fields.string("approval", &findings) {
            approval.isRequired = text.value == "required"
            if !approval.isRequired {
                findings.diagnostics.append(
                    .error(
                        .invalidValue, "'approval' takes 'required'", at: text.range,
                        help: "leave it out if nothing must be approved", replacement: "required"))
            }
        }
        guard let band = fields.string("approval_band", &findings) else { return approval }
        guard let match = band.value.wholeMatch(of: #/([0-9]{1,4})%/#), let percent = Int(match.1) else {
            findings.diagnostics.append(
                .error(.invalidValue, "'approval_band' takes a percentage", at: band.range, help: "write 10%"))
            return approval
        }
        approval.band = percent
        return approval
    }

    /// The window of every campaign that has none of its own.
    private static func window(
        _ settings: Fields, _ format: SettingsFormat?, _ findings: inout Findings
    ) -> WrittenWindow? {
        guard let node = settings["delivery"] else { return nil }
        format?.require(2, for: "'delivery'", at: settings.keyRange("delivery"), &findings)
        guard let fields = Fields(node, "'delivery'", deliveryKeys, &findings) else { return nil }
        return fields["window"].flatMap { WindowReader.window($0, &findings) }
    }

    private static func guards(_ node: Node, _ findings: inout Findings) -> GuardLimits {
        var guards = GuardLimits()
        guard let fields = Fields(node, "'guards'", guardKeys, &findings) else { return guards }
        guards.maxRecipients = fields.int("max_recipients", in: 1...Int.max, &findings) ?? guards.maxRecipients
        guards.maxUnsubscribePercent =
            fields.int("max_unsubscribe_percent", in: 0...100, &findings) ?? guards.maxUnsubscribePercent
        guards.maxForgetPercent =
            fields.int("max_forget_percent", in: 0...100, &findings) ?? guards.maxForgetPercent
        return guards
    }
}

extension Node {
    /// Replaces `${VAR}`, `${VAR:-default}` and `$$` in every scalar that is a value, except for addresses of
    /// databases (`PostgresSettings.address`).
    ///
    /// - Parameter keys: those of this mapping whose values stay as they are.
    fileprivate func expandingVariables(
        _ environment: [String: String], except keys: Set<String> = [], _ findings: inout Findings
    ) -> Node {
        var copy = self
        switch content {
        case .scalar(var scalar):
            guard scalar.text.utf8.contains(UInt8(ascii: "$")), !PostgresSettings.isAddress(scalar.text) else {
                return self
            }
            scalar.text = Self.expand(scalar.text, environment, at: range, &findings)
            scalar.isExpanded = true
            copy.content = .scalar(scalar)
        case .sequence(let items):
            copy.content = .sequence(items.map { $0.expandingVariables(environment, &findings) })
        case .mapping(let entries):
            copy.content = .mapping(
                entries.map { entry in
                    if keys.contains(entry.key) { return entry }
                    var entry = entry
                    entry.value = entry.value.expandingVariables(environment, &findings)
                    return entry
                })
        }
        return copy
    }

    /// The scalars in which `${…}` would be replaced.
    fileprivate var placesOfVariables: [TextRange] {
        switch content {
        case .scalar(let scalar): scalar.text.contains("${") ? [range] : []
        case .sequence(let items): items.flatMap(\.placesOfVariables)
        case .mapping(let entries): entries.flatMap(\.value.placesOfVariables)
        }
    }

    private static func expand(
        _ text: String, _ environment: [String: String], at range: TextRange, _ findings: inout Findings
    ) -> String {
        Variables.expand(text, environment) { problem in
            switch problem {
            case .undefined(let name):
                findings.error(
                    .undefinedVariable, "the environment has no \(name)", at: range,
                    help: "set it, or give a default: ${\(name):-…}")
            case .stray:
                findings.error(
                    .invalidValue, "a $ must begin a ${VARIABLE}", at: range, help: "write $$ for a dollar sign")
            }
        }
    }
}
