internal import FCM

extension WorkspaceLoader.Loaded {
    /// The files that have errors, in order.
    package var mistakenFiles: [String] {
        Set(diagnostics.filter { $0.severity == .error }.map(\.range.file)).sorted()
    }

    /// What files without errors decide. Of others nobody knows what they mean: of the settings, which everything goes
    /// by, too.
    package var soundDefinitions: [Definition] {
        let files = Set(mistakenFiles)
        guard workspace != nil, !files.contains(WorkspaceFolder.settingsFile) else { return [] }
        return definitions.filter { definition in
            let places = documents[.init(definition.kind.rawValue, definition.name)] ?? []
            return !places.contains { files.contains($0.file) }
        }
    }

    /// Whether files of a folder are left out because the settings ignore them.
    package func ignores(folder: String) -> Bool {
        globs?.ignored.contains { $0.matches(folder) || $0.matches("\(folder)/file.yaml") } ?? false
    }
}
