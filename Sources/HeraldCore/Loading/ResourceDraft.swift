internal import FCM

/// The text of a new file, before it is written.
package struct ResourceDraft: Sendable {
    let name: String
    package let text: String

    /// What the loader would report about the file in that workspace. Errors forbid writing it, warnings do not.
    package func check(in workspace: Workspace?) -> (errors: [Diagnostic], warnings: [Diagnostic]) {
        let source = SourceText(file: "\(name).yaml", bytes: Array(text.utf8))
        var findings = Findings(file: source.file)
        var campaigns: [Campaign] = []
        var topics: [Topic] = []
        var audiences: [Audience] = []
        YAMLComposer.compose(source, &findings) { document, findings in
            let defaults = workspace.map { ResourceReader.Defaults($0.settings) } ?? .init()
            switch ResourceReader.resource(from: document, defaults, &findings) {
            case .campaign(let campaign)?:
                campaigns.append(campaign)
                if let settings = workspace?.settings {
                    CampaignRules(campaign, in: document).check(with: settings, &findings)
                }
            case .topic(let topic)?: topics.append(topic)
            case .audience(let audience)?: audiences.append(audience)
            default: break
            }
        }
        if var workspace {
            workspace.campaigns += campaigns
            workspace.topics += topics
            workspace.audiences += audiences
            let ranges =
                audiences.map(\.name.range)
                + campaigns.flatMap { [$0.target.range, $0.name.range] + $0.conditionTopics.map(\.range) }
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
