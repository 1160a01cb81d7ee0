extension String {
    /// A path as seen from the workspace, if this is how `file` writes it. Without dots.
    func inWorkspace(from file: String) -> String {
        if hasPrefix("/") { return self }
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
        var parts: [Substring] = []
        for part in "\(folder)/\(self)".split(separator: "/") {
            switch part {
            case ".": break
            case ".." where parts.last.map { $0 != ".." } ?? false: parts.removeLast()
            default: parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }
}
