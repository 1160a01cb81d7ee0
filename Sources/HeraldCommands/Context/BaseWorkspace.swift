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
        let files = Dictionary(base.files.map { ($0.path, Array($0.bytes)) }) { first, _ in first }
        guard let copy = WorkspaceFolder(holding: files) else {
            (definitions, hasMistakes) = ([], false)
            return
        }
        let loaded = WorkspaceLoader.load(
            folder.isUnderReview ? copy.underReview(in: copy.path) : copy, environment: environment, lists: .skip,
            at: .distantPast)
        definitions = loaded.definitions
        hasMistakes = loaded.workspace == nil || loaded.diagnostics.hasErrors
    }
}
