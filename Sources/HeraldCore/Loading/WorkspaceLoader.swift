internal import Crypto
internal import FCM

/// Whether the lists of registrations may be read.
package enum ListPolicy: String, Sendable, CaseIterable {
    case required
    /// Lists are not opened: for a machine that must not see registrations.
    case skip
}

/// Reads a whole workspace. One pass finds every mistake in every file; nothing is thrown.
package struct WorkspaceLoader {
    private let folder: WorkspaceFolder
    private let environment: [String: String]
    private let lists: ListPolicy
    private let keepsLists: Bool
    /// What filters compare with.
    private let time: Date
    private let cacheFiles: (Settings) -> ListCacheFiles?
    private var diagnostics: [Diagnostic] = []
    /// The documents of every kind and name in the files, including those that could not be read.
    private var declared: [References.Name: [SourceRange]] = [:]
    private var sources: [String: SourceText] = [:]
    private var listDigests: [String: String] = [:]
    private var fetched: [String: FetchedList] = [:]
    private var recipientIndex: Result<RecipientIndex, RecipientIndexError>?
    /// The comments in files that silence warnings.
    private var allowances: [Allowances] = []
    /// Which files may declare resources; absent without settings.
    private var globs: (matching: [Glob], ignored: [Glob])?

    /// The result of loading.
    package struct Loaded {
        /// Absent if the settings themselves are unusable.
        package var workspace: Workspace?
        /// Sorted, without duplicates.
        package var diagnostics: [Diagnostic]
        /// Every file that was read except lists, to show the lines that diagnostics point at.
        package var sources: [String: SourceText]
        /// SHA-256 of every list that was read, by the list's name in diagnostics.
        package var listDigests: [String: String]
        /// What is known about lists that `herald fetch` brought, by their audience.
        package var fetched: [String: FetchedList]
        /// The recipients that the lists name; empty if they were not kept, absent without a workspace. It must not be
        /// used if there are errors.
        package var recipientIndex: Result<RecipientIndex, RecipientIndexError>?
        /// The cache of lists, to be read and written anew; absent without a workspace.
        package var cacheFiles: ListCacheFiles?
        /// The documents of every kind and name.
        var documents: [References.Name: [SourceRange]]
        /// The absolute path of the lists' folder; absent without a workspace.
        fileprivate var lists: String?
        /// Which files may declare resources; absent without settings.
        var globs: (matching: [Glob], ignored: [Glob])?

        /// SHA-256 over the names and contents of all files that were read. The lists' folder is not part of it: the
        /// same lists in another place give the same workspace.
        package func digest() -> String {
            let digests = sources.mapValues { SHA256.hash(data: $0.bytes).hexadecimal }
                .merging(listDigests) { source, _ in source }
            var hash = SHA256()
            for (file, digest) in digests.sorted(by: { $0.key < $1.key }) {
                let prefix = lists.map { $0 + "/" }
                let name = prefix.flatMap { file.hasPrefix($0) ? "lists:/\(file.dropFirst($0.count))" : nil } ?? file
                hash.update(data: Array("\(name)\0\(digest)\0".utf8))
            }
            return "sha256:" + hash.finalize().hexadecimal
        }

        /// Shows whether the files change from now on. `nil` without settings.
        ///
        /// - Parameter begin: when reading them began, in nanoseconds since 1970.
        package func watched(in folder: WorkspaceFolder, since begin: Int64) -> WatchedFiles? {
            globs.map { globs in
                WatchedFiles(
                    folder, matching: globs.matching, ignoring: globs.ignored,
                    names: Array(sources.keys) + listDigests.keys, since: begin)
            }
        }
    }

    /// - Parameters:
    ///   - time: What filters compare with: the plan's time, or the current one.
    ///   - keepsLists: Whether the caller needs the recipients that the lists name. Otherwise the rows are only
    /// checked.
    ///   - unfetched: Audiences whose list is not there, and that wait for it.
    ///   - cacheFiles: The cache that saves reading unchanged lists, if the settings allow it.
    package static func load(
        _ folder: WorkspaceFolder, environment: [String: String], lists: ListPolicy = .required, at time: Date,
        keepsLists: Bool = true, without unfetched: Set<String> = [],
        cacheFiles: @escaping (Settings) -> ListCacheFiles? = { _ in nil }
    ) -> Loaded {
        var loader = WorkspaceLoader(
            folder: folder, environment: environment, lists: lists, at: time, keepsLists: keepsLists,
            cacheFiles: cacheFiles)
        let workspace = loader.workspace(without: unfetched)
        loader.silence()
        return Loaded(
            workspace: workspace, diagnostics: loader.diagnostics.map(\.presentable).sortedAndUnique().withAdviceOnce,
            sources: loader.sources, listDigests: loader.listDigests, fetched: loader.fetched,
            recipientIndex: loader.recipientIndex,
            cacheFiles: workspace.flatMap { loader.cacheFiles(of: $0) }, documents: loader.declared,
            lists: workspace.map { folder.lists($0.settings.lists) }, globs: loader.globs)
    }

    /// Reads all lists of a workspace once more. Mistakes were already reported when it was loaded.
    ///
    /// - Returns: The recipients that the lists name, and the digests of what was read.
    package static func lists(
        of workspace: Workspace, in folder: WorkspaceFolder, environment: [String: String], at time: Date,
        cacheFiles: ListCacheFiles?
    ) -> (recipientIndex: Result<RecipientIndex, RecipientIndexError>, digests: [String: String]) {
        var loader = WorkspaceLoader(
            folder: folder, environment: environment, lists: .required, at: time, keepsLists: true,
            cacheFiles: { _ in cacheFiles })
        let (_, recipientIndex) = loader.readLists(of: workspace, cacheFiles, known: nil)
        return (recipientIndex, loader.listDigests)
    }

    private init(
        folder: WorkspaceFolder, environment: [String: String], lists: ListPolicy, at time: Date, keepsLists: Bool,
        cacheFiles: @escaping (Settings) -> ListCacheFiles?
    ) {
        self.time = time
        (self.folder, self.environment, self.lists, self.keepsLists) = (folder, environment, lists, keepsLists)
        self.cacheFiles = cacheFiles
    }

    private mutating func workspace(without unfetched: Set<String>) -> Workspace? {
        guard let settings = settings() else { return nil }
        let globs = (matching: settings.resources.map { Glob($0.value) }, ignored: settings.ignore.map { Glob($0) })
        self.globs = globs
        let (files, unread) = folder.resourceFiles(matching: globs.matching, ignoring: globs.ignored)
        diagnostics += unread.map { $0.why.diagnostic(of: $0.name) }
        if unread.isEmpty { diagnostics += settings.resources.mistakes(among: files.map(\.name), in: folder) }
        var workspace = Workspace(
            settings: settings.settings, audiences: [], topics: [], campaigns: [])
        workspace.unfetched = unfetched
        let base = settings.settings
        for read in files.mappedConcurrently({ [folder] in ResourceFile($0, in: folder, settings: base) }) {
            take(read, into: &workspace)
        }
        readQueries(of: &workspace)
        diagnostics += References(workspace, declared: Set(declared.keys)).check()
        workspace.audiences.sort { $0.name.value < $1.name.value }
        workspace.topics.sort { $0.name.value < $1.name.value }
        workspace.groups.sort { $0.name.value < $1.name.value }
        workspace.campaigns.sort { $0.name.value < $1.name.value }
        resolveFields(of: &workspace)
        readLists(of: &workspace)
        checkSizes(of: workspace)
        checkRows(of: workspace)
        return workspace
    }

    /// Reads queries and statements that are in files of their own.
    private mutating func readQueries(of workspace: inout Workspace) {
        for place in workspace.audiences.indices {
            guard let file = workspace.audiences[place].origin?.query?.file, let query = query(in: file) else {
                continue
            }
            workspace.audiences[place].origin?.query = query
        }
        if let file = workspace.settings.feedback?.dead.file, let query = query(in: file) {
            workspace.settings.feedback?.dead = query
            SettingsReader.checkDead(query.text, at: SourceRange(file: file.value), &diagnostics)
        }
    }

    private mutating func query(in file: Located<String>) -> Audience.Query? {
        switch folder.read(file) {
        case .success(let source):
            sources[source.file] = source
            var query = Audience.Query(
                reading: String(decoding: source.bytes, as: UTF8.self), at: SourceRange(file: source.file), &diagnostics
            )
            query?.file = file
            return query
        case .failure(let problem):
            diagnostics.append(problem.diagnostic)
            return nil
        }
    }

    /// Compiles personal messages, now that the audiences are known that declare their fields.
    private mutating func resolveFields(of workspace: inout Workspace) {
        var problems: [Diagnostic] = []
        FieldUse(workspace).resolve(&workspace.campaigns) { problems.append($0) }
        diagnostics += FieldUse(workspace).check(listsSkipped: lists == .skip)
        // Otherwise the mistake was reported where it is.
        if !diagnostics.hasErrors { diagnostics += problems }
    }

    /// Runs last, since a comment may allow a warning of any pass.
    private mutating func silence() {
        for var allowances in allowances { diagnostics = allowances.apply(to: diagnostics) }
    }

    /// `nil` for a workspace with personal messages, too: they need the values of every row, which no cache keeps. So do
    /// comparisons, and times pass or not without a change of the list.
    private func cacheFiles(of workspace: Workspace) -> ListCacheFiles? {
        ValueNeed(workspace).isForZonesAlone && !workspace.comparesRows ? cacheFiles(workspace.settings) : nil
    }

    private mutating func readLists(of workspace: inout Workspace) {
        // A review reads no hidden folder, and so nothing that was fetched.
        let isHidden = folder.isUnderReview && workspace.audiences.contains { $0.origin != nil }
        guard lists == .required, !isHidden else {
            diagnostics += FilterUse(workspace.audiences).problems { _ in nil }
            diagnostics += workspace.columnProblems { _ in nil }
            workspace.listsSkipped = true
            var builder = builder(for: workspace)
            recipientIndex = result(of: &builder)
            return
        }
        let files = cacheFiles(of: workspace)
        let known = files.flatMap { files in
            var loader = ListLoader(folder, of: workspace)
            let need = ValueNeed(workspace)
            return KnownRows(
                of: workspace, loader.uses(of: workspace.audiences) { need.columns(ofListBehind: $0) }, in: files)
        }
        let read = readLists(of: workspace, files, known: known)
        (workspace.audiences, recipientIndex) = (read.audiences, read.recipientIndex)
    }

    /// Returns the audiences whose lists can be read, and the recipients that those name.
    ///
    /// - Parameter known: What the cache knows, and need not be read.
    private mutating func readLists(
        of workspace: Workspace, _ files: ListCacheFiles?, known: KnownRows?
    ) -> (audiences: [Audience], recipientIndex: Result<RecipientIndex, RecipientIndexError>) {
        var builder = builder(for: workspace, keepsSources: files != nil, known: known)
        var loader = ListLoader(folder, of: workspace, now: files?.now ?? { 0 })
        let audiences = loader.read(workspace.audiences, into: &builder)
        let read = result(of: &builder)
        if case .success(let index) = read, index.matched?.isContradicted ?? false {
            return readLists(of: workspace, files, known: nil)
        }
        diagnostics += loader.diagnostics
        diagnostics += workspace.columnProblems(attributes: loader.attributes(ofListOf:))
        (listDigests, fetched) = (loader.digests, loader.fetched)
        diagnostics += audiences.compactMap { fetched[$0.name.value]?.warning(of: $0, at: time) }
        return (audiences, read)
    }

    private func builder(
        for workspace: Workspace, keepsSources: Bool = false, known: KnownRows? = nil
    ) -> RecipientIndexBuilder {
        RecipientIndexBuilder(
            keepsLists ? workspace : workspace.withChecksOnly,
            temporaryFolder: environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp",
            keepsSources: keepsSources, known: known)
    }

    private func result(of builder: inout RecipientIndexBuilder) -> Result<RecipientIndex, RecipientIndexError> {
        do throws(RecipientIndexError) { return .success(try builder.finish().judged(at: time)) } catch {
            return .failure(error)
        }
    }

    /// An audience's members are known only if every list was read without a mistake.
    private mutating func checkSizes(of workspace: Workspace) {
        guard !workspace.listsSkipped, !diagnostics.hasErrors, case .success(let recipientIndex)? = recipientIndex
        else { return }
        do throws(RecipientIndexError) {
            diagnostics += try SizeCheck(workspace).problems(ListedRecipients(recipientIndex))
        } catch {
            self.recipientIndex = .failure(error)
        }
    }

    /// Only if the lists are not kept: a command that keeps them makes a plan, which finds bad rows.
    private mutating func checkRows(of workspace: Workspace) {
        guard !keepsLists, !workspace.listsSkipped, !diagnostics.hasErrors,
            case .success(let recipientIndex)? = recipientIndex
        else { return }
        do throws(RecipientIndexError) {
            diagnostics += try PersonalRowUse(workspace, folder).problems(ListedRecipients(recipientIndex))
        } catch {
            self.recipientIndex = .failure(error)
        }
    }

    private mutating func settings() -> SettingsReader.Result? {
        let source: SourceText
        switch folder.read(WorkspaceFolder.settingsFile) {
        case .success(let text): source = text
        case .failure(let problem):
            diagnostics.append(problem.diagnostic)
            return nil
        }
        sources[source.file] = source
        var findings = Findings(file: source.file)
        var documents: [Node] = []
        YAMLComposer.compose(source, &findings) { document, _ in documents.append(document) }
        defer {
            findings.explainSyntax(of: source)
            diagnostics += findings.diagnostics
        }
        guard documents.count == 1 else {
            if !findings.diagnostics.hasErrors {
                findings.error(.wrongType, "herald.yaml holds one document, not \(documents.count)", at: .line(1))
            }
            return nil
        }
        return SettingsReader.settings(
            from: documents[0], environment: folder.repository == nil ? environment : nil, &findings)
    }

    private mutating func take(_ file: ResourceFile, into workspace: inout Workspace) {
        if let source = file.source { sources[source.file] = source }
        diagnostics += file.diagnostics
        for (name, range) in file.declared { declared[name, default: []].append(range) }
        if let allowances = file.allowances { self.allowances.append(allowances) }
        workspace.audiences += file.audiences
        workspace.topics += file.topics
        workspace.groups += file.groups
        workspace.campaigns += file.campaigns
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        var text = ""
        for byte in self {
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0\(digits)" : digits
        }
        return text
    }
}
