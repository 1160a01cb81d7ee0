import Foundation

/// The commit a workspace is checked out at, read from git's own files.
enum GitCommit {
    /// 40 or 64 hexadecimal digits; `nil` outside a repository, or if git keeps it in a form that is not read here.
    static func current(at folder: String) -> String? { repository(of: folder).flatMap { commit(in: $0.git) } }

    /// The nearest folder upwards that holds `.git`.
    static func root(of folder: String) -> String? { repository(of: folder)?.root }

    private static func repository(of folder: String) -> (root: String, git: String)? {
        var folder = folder
        while true {
            if let git = gitFolder("\(folder)/.git") { return (folder, git) }
            let above = (folder as NSString).deletingLastPathComponent
            if above == folder || above.isEmpty { return nil }
            folder = above
        }
    }

    /// `.git` is a folder or, in a worktree, a file that names one.
    private static func gitFolder(_ path: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        if isFolder.boolValue { return path }
        guard let text = read(path), text.hasPrefix("gitdir: ") else { return nil }
        return String(text.dropFirst(8)).absolute(in: (path as NSString).deletingLastPathComponent)
    }

    private static func commit(in git: String) -> String? {
        guard let head = read("\(git)/HEAD") else { return nil }
        guard head.hasPrefix("ref: ") else { return isCommit(head) ? head : nil }
        let reference = String(head.dropFirst(5))
        // A worktree has its own HEAD; its branches are in the main repository.
        let common = read("\(git)/commondir").map { $0.absolute(in: git) } ?? git
        if let commit = read("\(common)/\(reference)"), isCommit(commit) { return commit }
        let packed = (read("\(common)/packed-refs") ?? "").split(separator: "\n")
        let line = packed.first { $0.hasSuffix(" \(reference)") }
        return line.flatMap { $0.split(separator: " ").first.map(String.init) }.flatMap { isCommit($0) ? $0 : nil }
    }

    private static func isCommit(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count) && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static func read(_ path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .newlines)
    }
}
