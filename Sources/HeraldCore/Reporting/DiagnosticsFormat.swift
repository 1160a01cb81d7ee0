/// How `validate` shows its diagnostics.
package enum DiagnosticsFormat: String, CaseIterable, Sendable {
    case text, json
    /// Annotations of a GitHub Actions workflow.
    case github
    /// SARIF 2.1.0, which code scanning reads.
    case sarif
}

/// Translates a file's path within the workspace to its path for programs outside.
package struct RepositoryPaths: Sendable {
    private let root: String
    private let workspace: String

    /// - Parameters:
    ///   - root: The git repository's root, absolute.
    ///   - workspace: The folder that diagnostics name files from, absolute.
    package init(root: String, workspace: String) {
        (self.root, self.workspace) = (root == "/" ? "" : root, workspace == "/" ? "" : workspace)
    }

    /// Relative to the repository's root, or absolute if the file is outside it.
    func path(of file: String) -> String {
        let absolute = file.hasPrefix("/") ? file : "\(workspace)/\(file)"
        return absolute.hasPrefix("\(root)/") ? String(absolute.dropFirst(root.count + 1)) : absolute
    }
}

extension DiagnosticsDocument {
    /// Ends with a line break unless there is nothing to say.
    package func rendered(as format: DiagnosticsFormat, _ style: TextStyle = .plain, in paths: RepositoryPaths)
        -> String
    {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .github: annotations(in: paths)
        case .sarif: sarif(in: paths).prettyText
        }
    }
}
