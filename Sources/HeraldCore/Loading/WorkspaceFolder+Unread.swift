/// Mistakes by which files are no part of the workspace. Their campaigns would be gone, and members would leave.
extension WorkspaceFolder.Unread {
    func diagnostic(of name: String) -> Diagnostic {
        let (words, help): (String, String) =
            switch self {
            case .unreadableFolder: ("folder '\(name)' cannot be read", "let the user who runs herald read it")
            case .linkedFolder:
                (
                    "'\(name)' is a link to a folder with YAML files, and herald does not follow it",
                    "move the folder into the workspace, or name '\(name)' under 'ignore'"
                )
            case .nameWithoutUTF8: ("the name of '\(name)' is not UTF-8", "rename it")
            case .capitalEnding:
                (
                    "'\(name)' is not read: only .yaml and .yml are",
                    "rename it, or name it under 'ignore'"
                )
            }
        return .error(.fileUnreadable, words, at: SourceRange(file: name), help: help)
    }
}

extension [Located<String>] {
    /// The globs that match no file.
    func mistakes(among files: [String], in folder: WorkspaceFolder) -> [Diagnostic] {
        compactMap { written in
            let glob = Glob(written.value)
            if files.contains(where: glob.matches) { return nil }
            let inside = "\(written.value)\(written.value.hasSuffix("/") ? "" : "/")*.yaml"
            let isFolder = !folder.resourceFiles(matching: [Glob(inside)], ignoring: []).files.isEmpty
            return .error(
                .invalidValue, "'\(written.value)' matches no file", at: written.range,
                help: isFolder ? "write '\(inside)'" : "correct it, or leave it out")
        }
    }
}
