/// What one file of resources holds. It knows nothing of the other files, so that all may be read side by side.
struct ResourceFile: Sendable {
    private(set) var source: SourceText?
    /// What its documents say they are, those too that could not be read.
    private(set) var declared: [References.Name] = []
    private(set) var resources: [ResourceReader.Resource] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ file: WorkspaceFolder.Listed, in folder: WorkspaceFolder, defaultZone: String) {
        switch folder.read(file) {
        case .success(let text): read(text, defaultZone)
        case .failure(let problem): diagnostics = [problem.diagnostic]
        }
    }

    private mutating func read(_ text: SourceText, _ defaultZone: String) {
        source = text
        let (documents, problems) = YAMLComposer.documents(in: text)
        var findings = Findings(file: text.file)
        for document in documents {
            guard findings.diagnostics.count < YAMLComposer.maximumMistakes else {
                findings.error(
                    .yamlLimit, "the file holds more than \(YAMLComposer.maximumMistakes) mistakes", at: document.range)
                break
            }
            if let name = References.Name(of: document) { declared.append(name) }
            if let resource = ResourceReader.resource(from: document, defaultZone: defaultZone, &findings) {
                resources.append(resource)
            }
        }
        diagnostics = problems + findings.diagnostics
    }
}
