import Foundation

extension String {
    /// The path as it stands, or below `folder` (else the current one) where it is relative.
    func absolute(in folder: String?) -> String {
        hasPrefix("/") ? self : "\(folder ?? FileManager.default.currentDirectoryPath)/\(self)"
    }
}
