internal import FCM

extension WorkspaceLoader.Loaded {
    /// What was found in the settings, in a campaign's document, and in those of the topics, groups and audiences that
    /// it uses.
    package func diagnostics(about campaign: String) -> [Diagnostic] {
        guard let workspace else { return diagnostics }
        let used = workspace.names(usedBy: campaign).flatMap { documents[$0] ?? [] }
        return diagnostics.filter { diagnostic in
            diagnostic.range.file == WorkspaceFolder.settingsFile || used.contains { $0.holds(diagnostic.range) }
        }
    }
}

extension Workspace {
    /// A campaign, and everything that it is made of.
    fileprivate func names(usedBy name: String) -> Set<References.Name> {
        var names: Set<References.Name> = [.init("campaign", name)]
        var used = settings.suppress.map(\.value)
        for campaign in campaigns where campaign.name.value == name {
            let (topics, groups) = (campaign.target.value.topics, campaign.target.value.groups)
            names.formUnion(topics.map { .init("topic", $0.rawValue) } + groups.map { .init("group", $0.rawValue) })
            used += audiences(decidingOf: campaign)
        }
        return names.union((audiences.inOrder(from: used).map(\.name.value) + used).map { .init("audience", $0) })
    }
}

extension SourceRange {
    fileprivate func holds(_ other: SourceRange) -> Bool {
        guard file == other.file else { return false }
        guard let text, let inner = other.text else { return true }
        return text.start <= inner.start && inner.start <= text.end
    }
}
