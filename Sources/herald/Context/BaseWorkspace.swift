import Foundation
import HeraldCore

/// The workspace as it was where HEAD left another branch, without its lists.
struct BaseWorkspace {
    /// The commit's id.
    let commit: String
    let definitions: [Definition]
    /// Whether some of its files could not be read. What they declare counts as new.
    let hasMistakes: Bool

    /// - Parameter reference: a branch, a tag or a commit.
    init(_ reference: String, of folder: WorkspaceFolder, _ environment: [String: String]) throws {
        let base = try GitBase.read(reference, for: folder.path)
        commit = base.commit
        let scratch = FileManager.default.temporaryDirectory.path + "/herald-base-\(UUID().uuidString)"
        let own: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        do {
            try FileManager.default.createDirectory(
                atPath: scratch, withIntermediateDirectories: false, attributes: own)
            for file in base.files {
                let path = "\(scratch)/\(file.path)"
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                    attributes: own)
                try Data(file.bytes).write(to: URL(filePath: path))
            }
        } catch {
            throw CommandFailure(.wrong, "the base's files cannot be written to \(scratch)")
        }
        guard let copy = WorkspaceFolder(at: scratch) else {
            (definitions, hasMistakes) = ([], false)
            return
        }
        let loaded = WorkspaceLoader.load(
            folder.isUnderReview ? copy.underReview(in: scratch) : copy, environment: environment, lists: .skip)
        definitions = loaded.definitions
        hasMistakes = loaded.workspace == nil || loaded.diagnostics.hasErrors
    }
}
