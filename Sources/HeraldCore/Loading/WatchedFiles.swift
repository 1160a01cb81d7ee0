/// The files of a workspace as they were read: whether any of them was changed, replaced, added or removed since.
package struct WatchedFiles: Sendable {
    private let folder: WorkspaceFolder
    private let globs: [Glob]
    private let ignored: [Glob]
    /// Absolute.
    private let paths: [String]
    private var seen: [String: FileIdentity?] = [:]

    /// - Parameters:
    ///   - names: the files that were read, absolute or relative to the folder.
    ///   - begin: when reading them began, in nanoseconds since 1970. A file that was changed shortly before may have been
    ///     changed while it was read, so it counts as changed once.
    init(
        _ folder: WorkspaceFolder, matching globs: [Glob], ignoring ignored: [Glob], names: [String], since begin: Int64
    ) {
        (self.folder, self.globs, self.ignored) = (folder, globs, ignored)
        paths = names.map { $0.hasPrefix("/") ? $0 : "\(folder.path)/\($0)" }.sorted()
        // It is not among the seen ones, so that it has changed also if it is gone by the next look.
        seen = identities().filter { $0.value?.isSettled(at: begin) ?? true }
    }

    /// Whether the files may have changed since this was last asked: their names, sizes or times did.
    package mutating func mayHaveChanged() -> Bool {
        let now = identities()
        defer { seen = now }
        return now != seen
    }

    private func identities() -> [String: FileIdentity?] {
        let found = folder.resourceFiles(matching: globs, ignoring: ignored).files.map { "\(folder.path)/\($0.name)" }
        return Dictionary(Set(paths).union(found).map { ($0, RegularFile.identity(of: $0)) }) { one, _ in one }
    }
}
