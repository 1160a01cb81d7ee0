internal import FCM

/// Whether a campaign says what kind of message it is, and whether everybody is left out who does not want that kind.
struct TagRules {
    private let campaign: Campaign
    private let document: Node

    init(_ campaign: Campaign, in document: Node) { (self.campaign, self.document) = (campaign, document) }

    func check(with settings: Settings, _ findings: inout Findings) {
        guard let node = document.value(at: "tags") else {
            if settings.requiresTags {
                findings.diagnostics.append(
                    .error(
                        .missingTags,
                        "campaign '\(campaign.name.value)' has no 'tags', and the workspace requires them",
                        at: campaign.name.range, help: "say what kind of message it is, as in tags: [news]"))
            }
            return
        }
        checkSpelling(of: node, with: settings, &findings)
        for audience in campaign.suppressed { checkTarget(without: audience.value, at: node.range, &findings) }
    }

    /// A tag that is one typing mistake away from one in the settings means no cap and no consent.
    private func checkSpelling(of node: Node, with settings: Settings, _ findings: inout Findings) {
        let known = settings.tags
        for item in node.sequence ?? [] {
            guard let tag = item.scalar?.text, !known.contains(tag), !known.isEmpty,
                let near = findings.advice.nearest(to: tag, among: known)
            else { continue }
            findings.warning(
                .tagSpelling, "\(WorkspaceFolder.settingsFile) has no rule for tag '\(tag)', and one for '\(near)'",
                at: item.range, help: "did you mean '\(near)'?", replacement: near.inYAML)
        }
    }

    private func checkTarget(without audience: String, at range: TextRange, _ findings: inout Findings) {
        let target = campaign.target.value
        if target.isOneRequest(campaign.delivery) {
            let help =
                if case .topic(let topic) = target { "; or let topic '\(topic)' exclude '\(audience)'" } else { "" }
            findings.warning(
                .suppressTarget,
                "'suppress' cannot leave out '\(audience)': one request reaches everybody of a \(target.named.key)",
                at: range, help: "send to an audience, where each person is left out\(help)")
        } else if case .audience(audience) = target {
            findings.warning(
                .suppressTarget, "the campaign reaches nobody: 'suppress' leaves '\(audience)' out for its tags",
                at: range, help: "take the tag out, or name another target")
        }
    }
}

extension Settings {
    /// The tags that it has rules for.
    fileprivate var tags: Set<String> {
        frequencyCaps.reduce(suppressedByTag.reduce(into: []) { $0.formUnion($1.tags) }) { $0.union($1.tags ?? []) }
    }
}
