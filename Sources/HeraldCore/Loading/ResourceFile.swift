/// The content of one file of resources. It does not depend on other files, so all files can be read in parallel.
struct ResourceFile: Sendable {
    private(set) var source: SourceText?
    /// The names that its documents declare, also in documents with mistakes, and the documents' places.
    private(set) var declared: [(name: References.Name, range: SourceRange)] = []
    // Arrays of their own, because a campaign takes several times the memory of the others.
    private(set) var audiences: [Audience] = []
    private(set) var topics: [Topic] = []
    private(set) var groups: [Group] = []
    private(set) var campaigns: [Campaign] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// The warnings that it silences.
    private(set) var allowances: Allowances?

    init(_ file: WorkspaceFolder.Listed, in folder: WorkspaceFolder, settings: Settings) {
        switch folder.read(file) {
        case .success(let text): read(text, settings)
        case .failure(let problem): diagnostics = [problem.diagnostic]
        }
    }

    private mutating func read(_ text: SourceText, _ settings: Settings) {
        source = text
        var findings = Findings(file: text.file)
        var allowances = Allowances(text)
        let cutTexts = CutTexts(text)
        YAMLComposer.compose(text, &findings) { document, findings in
            allowances?.spareTexts(of: document)
            cutTexts?.check(document, &findings)
            take(document, settings, &findings)
        }
        self.allowances = allowances
        findings.explainSyntax(of: text)
        diagnostics = findings.diagnostics
    }

    private mutating func take(_ document: Node, _ settings: Settings, _ findings: inout Findings) {
        if let name = References.Name(of: document) { declared.append((name, findings.at(document.range))) }
        switch ResourceReader.resource(from: document, .init(settings), &findings) {
        case .audience(let audience): audiences.append(audience)
        case .topic(let topic): topics.append(topic)
        case .group(let group): groups.append(group)
        case .campaign(let campaign):
            CampaignRules(campaign, in: document).check(with: settings, &findings)
            campaigns.append(campaign)
        case nil: break
        }
    }
}
