internal import FCM

extension Definition {
    /// What `herald.yaml` says, as it is written: variables are not replaced, so it holds nothing of the environment.
    /// Mistakes in it are reported where the workspace is loaded.
    ///
    /// - Parameter statement: what others are told with, if it is in a file of its own or in herald.yaml.
    package init(settingsIn source: SourceText, telling statement: String? = nil) {
        var findings = Findings(file: source.file)
        var written: JSONValue?
        YAMLComposer.compose(source, &findings) { document, findings in
            written = written ?? document.verbatimJSON("herald.yaml", &findings)
        }
        let statements = statement.map { [Field(path: "feedback.dead.statement", value: .json(.string($0)))] } ?? []
        self.init(
            kind: .settings, name: "", previousNames: [], fields: Self.leaves(of: written, at: "") + statements,
            uses: [])
    }

    /// The keys that decide neither who gets what nor whether somebody must approve it. What `resources`, `ignore`,
    /// `timezone` and `runner` lead to is in the definitions of the files.
    private static let others: Set = ["herald", "timezone", "resources", "ignore", "runner.every", "state.snapshot"]

    private static func leaves(of value: JSONValue?, at path: String) -> [Field] {
        guard let value else { return [] }
        guard case .object(let members) = value else {
            return [Field(path: path, value: .json(value), isDecision: !others.contains(path))]
        }
        return members.sorted { $0.key < $1.key }.flatMap { key, member in
            leaves(of: member, at: path.path(to: key))
        }
    }
}

extension WorkspaceLoader.Loaded {
    /// What all of its files decide, the settings included.
    package var definitions: [Definition] {
        let settings =
            sources[WorkspaceFolder.settingsFile].map {
                [Definition(settingsIn: $0, telling: workspace?.settings.feedback?.dead.text)]
            } ?? []
        return (workspace?.definitions ?? []) + settings
    }
}
