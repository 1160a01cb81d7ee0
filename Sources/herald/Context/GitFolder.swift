import Foundation

/// Where git keeps watch over files.
enum GitFolder {
    /// The work tree a file lies in; `nil` outside every repository.
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
