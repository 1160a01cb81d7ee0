import Foundation

extension String {
    /// The path itself if it is absolute, else the path below `folder` (by default the current one).
    func absolute(in folder: String?) -> String {
        hasPrefix("/") ? self : "\(folder ?? FileManager.default.currentDirectoryPath)/\(self)"
    }
}
