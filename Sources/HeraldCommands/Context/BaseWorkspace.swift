import Foundation
import HeraldCore

/// The workspace as it was where HEAD left another branch, without its lists.
struct BaseWorkspace {
    /// The commit's id.
    let commit: String
    /// What those of its files decide that have no mistakes.
    private(set) var definitions: [Definition] = []
    /// What is not known of it.
    private(set) var warnings: [String] = []
    /// What is to be said of its files. Of lists nothing is known.
    private(set) var diagnostics: [Diagnostic] = []

    /// - Parameter reference: a branch, a tag or a commit.
    init(_ reference: String, of folder: WorkspaceFolder, _ environment: [String: String]) throws {
        let base = try GitBase.read(reference, for: folder.path)
        commit = base.commit
        let files = Dictionary(base.files.map { ($0.path, Array($0.bytes)) }) { first, _ in first }
        guard let copy = WorkspaceFolder(holding: files) else {
            // It may have been in another folder, or be new.
            warnings = ["no herald.yaml was in this folder in \(commit.prefix(12)): everything counts as new here"]
            return
        }
        let loaded = WorkspaceLoader.load(
            folder.isUnderReview ? copy.underReview(in: copy.path) : copy, environment: environment, lists: .skip,
            at: .distantPast)
        (warnings, diagnostics) = (Self.warnings(of: base, loaded), loaded.diagnostics)
        guard let workspace = loaded.workspace else { return }
        let names = EarlierNames(base, now: try GitBase.names(in: folder.path), in: folder.path)
        let isThere = folder.findsList(of: workspace.settings)
        definitions = loaded.soundDefinitions.with(
            folder.places(ofListsOf: workspace) { names.had($0, isThere: isThere($0)) })
    }

    private static func warnings(of base: GitBase, _ loaded: WorkspaceLoader.Loaded) -> [String] {
        let (mistaken, others) = (loaded.mistakenFiles, base.submodules.filter { isRead($0, loaded) })
        var warnings: [String] = []
        if mistaken.contains(WorkspaceFolder.settingsFile) {
            warnings.append(
                "herald.yaml has mistakes in \(base.commit.prefix(12)), and all files go by it: everything counts as new here"
            )
        } else if !mistaken.isEmpty {
            warnings.append(
                "\(listed(mistaken)): not compared, because of mistakes in \(base.commit.prefix(12)); "
                    + "what is declared there counts as new here")
        }
        if !others.isEmpty {
            warnings.append(
                "\(listed(others)): not compared, because files of git submodules are not known in "
                    + "\(base.commit.prefix(12)); what is declared there counts as new here")
        }
        return warnings
    }

    /// Whether files of a folder may be part of the workspace.
    private static func isRead(_ folder: String, _ loaded: WorkspaceLoader.Loaded) -> Bool {
        !folder.split(separator: "/").contains { $0.hasPrefix(".") } && !loaded.ignores(folder: folder)
    }

    private static let shown = 5

    private static func listed(_ names: [String]) -> String {
        let rest = names.count - shown
        return names.prefix(shown).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

/// Which names the files of a workspace had at an earlier commit.
private struct EarlierNames {
    private let earlier: Set<String>
    private let now: Set<String>
    /// The workspace's folder.
    private let folder: String

    /// - Parameter now: what git does not ignore.
    init(_ base: GitBase, now: Set<String>, in folder: String) {
        (earlier, self.now, self.folder) = (base.names, now, folder)
    }

    /// Whether a file had an absolute path. No commit brings or takes what git ignores, or what is elsewhere, such as
    /// lists on a server: it was there if it is there now.
    func had(_ path: String, isThere: Bool) -> Bool {
        guard path.hasPrefix("\(folder)/") else { return isThere }
        let name = String(path.dropFirst(folder.count + 1))
        let link = self.link(in: name)
        if earlier.contains(name) || link.map({ earlier.contains($0) }) ?? false { return true }
        return isThere && !now.contains(link ?? name)
    }

    /// The part of a path that is a link now. git knows nothing behind it.
    private func link(in name: String) -> String? {
        var path = ""
        for part in name.split(separator: "/") {
            path += path.isEmpty ? part : "/\(part)"
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(path)")) != nil { return path }
        }
        return nil
    }
}
