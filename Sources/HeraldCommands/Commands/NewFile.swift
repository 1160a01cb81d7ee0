import Foundation
import HeraldCore

/// A file that is about to be made in a workspace.
struct NewFile {
    /// The workspace as it is. `nil` if its files have mistakes.
    let workspace: Workspace?
    private let folder: WorkspaceFolder
    private let path: String
    private let console: Console
    private let kind: String

    /// - Parameters:
    ///   - place: the workspace's folder for such files, if it has one.
    ///   - kind: what the file declares.
    ///   - out: instead of that folder.
    init(
        _ name: String, in place: String = "campaigns", schema kind: String = "campaign", out: String?, _ common: Common
    ) throws {
        self.kind = kind
        folder = try LoadedWorkspace.folder(common)
        workspace =
            WorkspaceLoader.load(folder, environment: common.environment, lists: .skip, at: common.machine.now())
            .workspace
        path = out?.absolute(in: nil) ?? Self.path(of: name, in: folder.path, place)
        console = common.console
    }

    /// The relative path from the file to the schema that the workspace keeps for editors.
    var schema: String? {
        let schema = "schemas/\(kind).schema.json"
        let file = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        guard FileManager.default.fileExists(atPath: "\(folder.path)/\(schema)"), file.hasPrefix("\(folder.path)/")
        else { return nil }
        let depth = file.dropFirst(folder.path.count + 1).count { $0 == "/" }
        return String(repeating: "../", count: depth) + schema
    }

    /// Writes the file if it has no mistakes and nothing stands at its place, and prints its path.
    func write(_ draft: ResourceDraft) throws {
        let (errors, warnings) = draft.check(in: workspace)
        for diagnostic in errors { console.error("herald: \(diagnostic.sentence)\n") }
        guard errors.isEmpty else { throw CommandFailure(.wrong) }
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(draft.text.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw CommandFailure(
                .wrong, "nothing was written, since \(path) is there", help: "name another file with --out")
        } catch {
            throw CommandFailure.unwritable("\(path) cannot be written")
        }
        for diagnostic in warnings { console.error("herald: \(diagnostic.sentence)\n") }
        console.result("\(path)\n")
    }

    private static func path(of name: String, in workspace: String, _ place: String) -> String {
        var isFolder: ObjCBool = false
        let folder = "\(workspace)/\(place)"
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
        return "\(exists && isFolder.boolValue ? folder : workspace)/\(name).yaml"
    }
}

extension Diagnostic {
    /// Without its place in the file, which does not exist yet.
    fileprivate var sentence: String { message + (help.map { "; \($0)" } ?? "") }
}
