/// What one file of resources holds. It knows nothing of the other files, so that all may be read side by side.
struct ResourceFile: Sendable {
    private(set) var source: SourceText?
    /// What its documents say they are, those too that could not be read.
    private(set) var declared: [References.Name] = []
    private(set) var resources: [ResourceReader.Resource] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// The warnings it silences.
    private(set) var allowances: Allowances?

    init(_ file: WorkspaceFolder.Listed, in folder: WorkspaceFolder, settings: Settings) {
        switch folder.read(file) {
        case .success(let text): read(text, settings)
        case .failure(let problem): diagnostics = [problem.diagnostic]
        }
    }

    private mutating func read(_ text: SourceText, _ settings: Settings) {
        source = text
        var (documents, problems) = YAMLComposer.documents(in: text)
        SyntaxAdvice(text)?.improve(&problems)
        var findings = Findings(file: text.file)
        allowances = Allowances(text, documents)
        CutTexts(text)?.check(documents, &findings)
        for document in documents {
            guard findings.diagnostics.count < YAMLComposer.maximumMistakes else {
                findings.error(
                    .yamlLimit, "the file holds more than \(YAMLComposer.maximumMistakes) mistakes", at: document.range)
                break
            }
            if let name = References.Name(of: document) { declared.append(name) }
            guard let resource = ResourceReader.resource(from: document, defaultZone: settings.timezone, &findings)
            else { continue }
            if case .campaign(let campaign) = resource {
                CampaignRules(campaign, in: document).check(runEvery: settings.runEvery, &findings)
            }
            resources.append(resource)
        }
        diagnostics = problems + findings.diagnostics
        LeftoverSyntax(text).explain(&diagnostics)
    }
}
