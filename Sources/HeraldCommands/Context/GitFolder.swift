import Foundation

/// Finds the git work tree of a file.
enum GitFolder {
    /// The work tree that a file is in; `nil` outside every repository.
    static func containing(_ file: String) -> String? {
        let file = URL(filePath: file).resolvingSymlinksInPath().standardizedFileURL.path
        var folder = (file as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: "\(folder)/.git") {
            let above = (folder as NSString).deletingLastPathComponent
            if above == folder || above.isEmpty { return nil }
            folder = above
        }
        return folder
    }
}
