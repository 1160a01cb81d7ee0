internal import FCM

/// A small campaign file to start from.
package struct CampaignTemplate: Hashable, Sendable {
    package let name: String
    private let target: (kind: String, value: String)

    /// The kinds of targets that a name or an expression can describe. Registrations must be listed by hand.
    package static let kinds = ["topic", "audience", "group", "condition"]

    /// - Parameter target: in the form `topic:news`. The result is `nil` for any other form.
    package init?(name: String, target: String) {
        let parts = target.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, Self.kinds.contains(parts[0]) else { return nil }
        self.name = name
        self.target = (parts[0], parts[1])
    }

    package static func == (one: Self, other: Self) -> Bool { one.name == other.name && one.target == other.target }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(target.kind)
        hasher.combine(target.value)
    }

    /// - Parameter schema: the path from the file to the schema of campaigns, for editors.
    package func text(schema: String? = nil) -> String {
        let modeline = schema.map { "# yaml-language-server: $schema=\($0)\n" } ?? ""
        return modeline + """
            # 'herald preview' shows what phones will show of it, 'herald plan' what would be done.
            kind: campaign
            name: \(name.inYAML)
            description: Say here what it is for
            enabled: false             # true when it is ready; without a schedule it then goes out at the next apply
            target: {\(target.kind): \(target.value.inYAML)}
            message:
              notification:
                title: The title
                body: And what stands below it
              # data: {key: "value"}                  # for the app itself; values are text
              apns:
                headers: {apns-push-type: alert}      # Apple wants the type said
            # schedule: {at: 2030-01-31T09:00:00Z}    # without it: due at once, one time
            # delivery: {expires_after: 4h}           # for what is worth nothing later

            """
    }

    /// What the loader would report about the file in that workspace. Errors forbid writing it, warnings do not.
    package func check(in workspace: Workspace?) -> (errors: [Diagnostic], warnings: [Diagnostic]) {
        let source = SourceText(file: "\(name).yaml", bytes: Array(text().utf8))
        var findings = Findings(file: source.file)
        YAMLComposer.compose(source, &findings) { document, findings in
            let zone = workspace?.settings.timezone ?? "UTC"
            guard case .campaign(let campaign)? = ResourceReader.resource(from: document, defaultZone: zone, &findings),
                var workspace
            else { return }
            CampaignRules(campaign, in: document).check(runEvery: workspace.settings.runEvery, &findings)
            workspace.campaigns.append(campaign)
            let ranges = [campaign.target.range, campaign.name.range] + campaign.conditionTopics.map(\.range)
            findings.diagnostics += References(workspace, declared: workspace.declared).check()
                .filter { ranges.contains($0.range) }
        }
        let all = findings.diagnostics.map(\.presentable)
        // An unknown reference is an error too, because the file would stop every other command.
        return (all.filter { $0.severity == .error }, all.filter { $0.severity != .error })
    }
}

extension Workspace {
    fileprivate var declared: Set<References.Name> {
        Set(
            audiences.map { .init("audience", $0.name.value) } + topics.map { .init("topic", $0.name.value.rawValue) }
                + groups.map { .init("group", $0.name.value.rawValue) }
                + campaigns.map { .init("campaign", $0.name.value) })
    }
}

extension String {
    /// The text as it is, if YAML cannot read it as anything else. Otherwise in quotes.
    var inYAML: String {
        let isPlain = wholeMatch(of: #/[A-Za-z][A-Za-z0-9_-]*/#) != nil && PlainScalar(self) == .string
        guard !isPlain, let bytes = try? JSONValue.string(self).bytes() else { return self }
        return String(decoding: bytes, as: UTF8.self)
    }
}
