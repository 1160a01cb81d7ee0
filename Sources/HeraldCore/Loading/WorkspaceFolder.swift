/// The folder with `herald.yaml`, and which files in it may be read.
package struct WorkspaceFolder: Sendable {
    package static let settingsFile = "herald.yaml"

    /// Absolute, with symlinks resolved and without a slash at the end.
    package let path: String
    /// Set for files that nobody has reviewed yet: the git repository's folder, with symlinks resolved. Files outside it
    /// and in its hidden folders are not read, and no variable is replaced.
    private(set) var repository: String?
    /// How it was named, through links that may lead elsewhere later.
    private var named: String?

    /// The files of a workspace that is not on the disk, by paths relative to it.
    private var held: [String: [UInt8]]?

    package var isUnderReview: Bool { repository != nil }

    /// The same folder with files that nobody has reviewed yet.
    ///
    /// - Parameter repository: its git repository.
    package func underReview(in repository: String) -> WorkspaceFolder {
        var copy = self
        copy.repository = repository.resolvingSymlinks
        return copy
    }

    /// The folder itself. `nil` if it has no `herald.yaml`.
    package init?(at path: String) {
        guard FileManager.default.fileExists(atPath: "\(path)/\(Self.settingsFile)") else { return nil }
        (self.path, named) = (path.resolvingSymlinks, path)
    }

    /// The folder that its name leads to by now, if a link was set to another one.
    package var successor: WorkspaceFolder? {
        guard !isUnderReview, let found = named.flatMap({ WorkspaceFolder(at: $0) }), found.path != path else {
            return nil
        }
        return found
    }

    /// A workspace that is not on the disk. `nil` if it has no `herald.yaml`.
    ///
    /// - Parameter files: by paths relative to it, without dots. Its lists cannot be read.
    package init?(holding files: [String: [UInt8]]) {
        guard files[Self.settingsFile] != nil else { return nil }
        (path, held) = ("/", files)
    }

    /// The nearest folder with a `herald.yaml`, from `path` upwards.
    package init?(above path: String) {
        var folder = URL(filePath: path).standardizedFileURL.path.withoutTrailingSlash
        while true {
            if let found = WorkspaceFolder(at: folder.isEmpty ? "/" : folder) {
                self = found
                return
            }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = String(folder[..<slash])
        }
    }

    /// A file found while walking through the workspace's folders. The walk follows no links.
    struct Listed: Sendable {
        /// Relative to the workspace.
        var name: String
        /// Whether it is a regular file. A link could lead outside.
        var isRegular: Bool
    }

    /// Something that looks like a part of the workspace and is not read.
    enum Unread: Sendable {
        case unreadableFolder, linkedFolder, nameWithoutUTF8, capitalEnding
    }

    /// The resource files in order: those that match a glob, or every YAML file. Dot-folders, ignored files and
    /// workspaces inside this one are left out.
    func resourceFiles(
        matching globs: [Glob], ignoring ignored: [Glob]
    ) -> (files: [Listed], unread: [(name: String, why: Unread)]) {
        if let held { return (Self.resourceFiles(among: held, matching: globs, ignoring: ignored), []) }
        var files: [Listed] = []
        var unread: [(name: String, why: Unread)] = []
        var folders = [""]
        while let folder = folders.popLast() {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: absolute(folder)) else {
                unread.append((folder, .unreadableFolder))
                continue
            }
            if !folder.isEmpty, names.contains(Self.settingsFile) { continue }
            for name in names where !name.hasPrefix(".") {
                let file = folder.isEmpty ? name : "\(folder)/\(name)"
                if ignored.contains(where: { $0.matches(file) }) { continue }
                let kind = RegularFile.kind(of: absolute(file))
                switch kind {
                case .folder where !Self.isYAML(name):
                    folders.append(file)
                default:
                    // A folder or broken link with the name of a YAML file is a mistake. Reading it later reports that.
                    let isWanted = globs.isEmpty ? Self.isYAML(name) : globs.contains { $0.matches(file) }
                    if isWanted, file != Self.settingsFile {
                        files.append(Listed(name: file, isRegular: kind == .file))
                    } else if let why = whyUnread(file, kind, isEveryFileRead: globs.isEmpty) {
                        unread.append((file, why))
                    }
                }
            }
        }
        return (files.sorted { $0.name < $1.name }, unread)
    }

    /// Why something may be missing that its author takes for a part of the workspace. `nil` if nothing suggests that.
    private func whyUnread(_ file: String, _ kind: RegularFile.Kind?, isEveryFileRead: Bool) -> Unread? {
        switch kind {
        // Foundation shows such a name with another character, so that nothing has it.
        case nil: return file.contains("\u{FFFD}") ? .nameWithoutUTF8 : nil
        case .link:
            let target = absolute(file).resolvingSymlinks
            // What is in the workspace is read by its own name.
            let isRead = target.lies(in: path) && !target.dropFirst(path.count).contains("/.")
            // Whoever wrote files under review learns nothing of what is outside.
            let isForeign = repository.map { !target.lies(in: $0) } ?? false
            let names = isRead || isForeign ? [] : (try? FileManager.default.contentsOfDirectory(atPath: target)) ?? []
            return names.contains(where: Self.isYAML) ? .linkedFolder : nil
        case .file:
            let isCapital = !Self.isYAML(file) && Self.isYAML(file.lowercased())
            return isCapital && isEveryFileRead ? .capitalEnding : nil
        case .folder, .other: return nil
        }
    }

    /// What the walk would find if the files were on the disk.
    private static func resourceFiles(
        among held: [String: [UInt8]], matching globs: [Glob], ignoring ignored: [Glob]
    ) -> [Listed] {
        let others = Set(held.keys.filter { $0.hasSuffix("/\(settingsFile)") }.map(\.folder))
        let names = held.keys.filter { file in
            guard file != settingsFile, globs.isEmpty ? isYAML(file) : globs.contains(where: { $0.matches(file) })
            else { return false }
            var path = ""
            let parts = file.split(separator: "/")
            return parts.enumerated().allSatisfy { place, part in
                path += path.isEmpty ? part : "/\(part)"
                if part.hasPrefix(".") || ignored.contains(where: { $0.matches(path) }) { return false }
                return place == parts.count - 1 || !isYAML(path) && !others.contains(path)
            }
        }
        return names.sorted().map { Listed(name: $0, isRegular: true) }
    }

    /// A file that may be read.
    struct Place {
        /// The name for the author: relative to the workspace if the file is below it, else absolute. Without dots.
        var name: String
        /// Absolute, with symlinks resolved.
        var path: String
    }

    /// Reads a file of the workspace. `path` is relative to it.
    package func read(_ path: String) -> Result<SourceText, DiagnosticError> { read(absolute(path), written: path) }

    /// Reads a file of the workspace that another one names by a path relative to itself.
    func read(_ path: Located<String>) -> Result<SourceText, DiagnosticError> {
        read(whole(path), written: path.value).mapError { problem in
            // Points at the place where the path is written.
            var problem = problem
            if problem.diagnostic.rule != .fileEncoding { problem.diagnostic.range = path.range }
            return problem
        }
    }

    private func read(_ whole: String, written: String) -> Result<SourceText, DiagnosticError> {
        if let held {
            let name = String(whole.withoutDots.dropFirst())
            guard let bytes = held[name] else {
                return .failure(
                    DiagnosticError(RegularFile.Problem.missing, about: written, limit: SourceText.maximumSize))
            }
            return SourceText(file: name, bytes: bytes).checked()
        }
        do throws(DiagnosticError) {
            let place = try place(of: whole, written: written, in: [path])
            return SourceText.read(place.path, as: place.name)
        } catch {
            return .failure(error)
        }
    }

    func read(_ file: Listed) -> Result<SourceText, DiagnosticError> {
        file.isRegular && held == nil ? SourceText.read(absolute(file.name), as: file.name) : read(file.name)
    }

    /// The place of a list: relative to the file that names it, or else to the folder of lists.
    ///
    /// - Parameters:
    ///   - base: the folder of that file, relative to the workspace.
    ///   - lists: the folder of lists, relative to the workspace or absolute.
    func list(_ path: String, from base: String, lists: String) -> Result<Place, DiagnosticError> {
        let lists = self.lists(lists)
        let (beside, below) = listPaths(path, from: base, lists: lists)
        let isBelow = below.map { !isThere(beside.withoutDots) && isThere($0) } ?? false
        do throws(DiagnosticError) {
            return .success(
                try place(of: isBelow ? below ?? beside : beside, written: path, in: listRoots(lists)))
        } catch {
            return .failure(error)
        }
    }

    /// Where a list may be: beside the file that names it, or else in the folder of lists, unless its path leads out.
    private func listPaths(_ path: String, from base: String, lists: String) -> (beside: String, below: String?) {
        if path.hasPrefix("/") { return (path, nil) }
        let below = "\(lists)/\(path)".withoutDots
        let beside = absolute(base.isEmpty ? path : "\(base)/\(path)")
        // What was fetched is in one place only.
        if beside.withoutDots.lies(in: absolute(FetchedList.folder)) { return (beside, nil) }
        return (beside, below.lies(in: lists) ? below : nil)
    }

    /// The folders in which lists may be, with symlinks resolved.
    private func listRoots(_ lists: String) -> [String] {
        [path, lists.resolvingSymlinks].filter { root in repository.map { root.lies(in: $0) } ?? true }
    }

    /// In which of the places the list of each audience is.
    ///
    /// - Parameter isFound: whether a list has that absolute path. By default as the files are now.
    package func places(
        ofListsOf workspace: Workspace, isFound: ((String) -> Bool)? = nil
    ) -> [String: ListPlace] {
        let isFound = isFound ?? findsList(of: workspace.settings)
        let places = workspace.audiences.compactMap { audience -> (String, ListPlace)? in
            guard audience.origin == nil, case .list(let path, _) = audience.source else { return nil }
            return (audience.name.value, place(ofList: path, of: workspace.settings, isFound: isFound))
        }
        return Dictionary(places) { first, _ in first }
    }

    /// Says whether something that may be a list has an absolute path. Looks only at names, and only where lists may be.
    package func findsList(of settings: Settings) -> (String) -> Bool {
        let roots = listRoots(lists(settings.lists))
        return { path in roots.contains { path.resolvingSymlinks.lies(in: $0) } && isThere(path) }
    }

    func place(ofList path: Located<String>, of settings: Settings, isFound: (String) -> Bool) -> ListPlace {
        let lists = self.lists(settings.lists)
        let (written, below) = listPaths(path.value, from: path.range.file.folder, lists: lists)
        let beside = written.withoutDots
        let isInLists = beside.lies(in: lists)
        if below == nil || isFound(beside) { return isInLists ? .lists : .workspace }
        return isInLists && below.map(isFound) ?? false ? .nested : .lists
    }

    /// A list that an audience names: its name for people, and its absolute path. `nil` if it must not be read.
    package func list(
        _ path: Located<String>, of settings: Settings
    ) -> (name: String, path: String)? {
        let place = try? list(path.value, from: path.range.file.folder, lists: settings.lists).get()
        return place.map { ($0.name, $0.path) }
    }

    /// The absolute path of a file that another one names by a path relative to itself.
    package func path(of file: Located<String>) -> String { whole(file).withoutDots }

    /// A database that an audience names: the path, with symlinks resolved. `nil` if lists must not come from there.
    ///
    /// - Parameter folders: where such files may be besides the workspace and its lists.
    package func database(_ file: Located<String>, of settings: Settings, besidesIn folders: [String]) -> String? {
        let resolved = path(of: file).resolvingSymlinks
        let roots = listRoots(lists(settings.lists)) + folders.map(\.resolvingSymlinks)
        return roots.contains { resolved.lies(in: $0) } && RegularFile.kind(of: resolved) == .file ? resolved : nil
    }

    private func whole(_ file: Located<String>) -> String {
        file.value.hasPrefix("/") ? file.value : absolute("\(file.range.file.folder)/\(file.value)")
    }

    /// The absolute path of the folder of lists.
    package func lists(_ path: String) -> String { (path.hasPrefix("/") ? path : absolute(path)).withoutDots }

    /// - Parameter roots: the folders in which the file must be, with symlinks resolved.
    private func place(of path: String, written: String, in roots: [String]) throws(DiagnosticError) -> Place {
        // `..` is removed from the text before symlinks are resolved, so that each name means one file.
        let name = path.withoutDots
        let resolved = name.resolvingSymlinks
        guard roots.contains(where: { resolved.lies(in: $0) }) else {
            throw DiagnosticError(
                .error(
                    .pathOutside, "'\(written)' lies outside the workspace", at: SourceRange(file: written),
                    help: roots.count == 1
                        ? "files stay, symlinks resolved, in the workspace"
                        : "paths are relative to their file and stay, symlinks resolved, in the workspace or in 'lists'"
                ))
        }
        if let repository, resolved.isHidden(in: repository) {
            throw DiagnosticError(
                .error(
                    .pathOutside, "'\(written)' is in a hidden folder", at: SourceRange(file: written),
                    help: "a review reads no hidden files; move it, or leave lists out with --lists skip"))
        }
        return Place(
            name: name.lies(in: self.path) ? String(name.dropFirst(self.path.count + 1)) : name, path: resolved)
    }

    /// Whether something has that name, even a broken link.
    private func isThere(_ path: String) -> Bool { RegularFile.kind(of: path) != nil }

    private func absolute(_ relative: String) -> String { relative.isEmpty ? path : "\(path)/\(relative)" }

    private static func isYAML(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }
}

extension String {
    fileprivate var withoutTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }

    /// An absolute path without `.`, `..` and repeated slashes.
    fileprivate var withoutDots: String {
        var parts: [Substring] = []
        for part in split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Whether a part of the path below a folder begins with a dot.
    fileprivate func isHidden(in folder: String) -> Bool {
        dropFirst(folder.count).split(separator: "/").contains { $0.hasPrefix(".") }
    }

    fileprivate func lies(in folder: String) -> Bool { self == folder || folder == "/" || hasPrefix(folder + "/") }

    /// The folder part of a relative path, empty at the top.
    var folder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}
