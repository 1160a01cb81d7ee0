internal import Crypto
internal import FCM

/// Reads a whole workspace. Every mistake of every file is found in one pass; nothing is thrown.
package struct WorkspaceLoader {
    private let folder: WorkspaceFolder
    private let environment: [String: String]
    private var diagnostics: [Diagnostic] = []
    /// The kind and name of every resource in the files, those too that could not be read.
    private var declared: Set<References.Name> = []
    private var lists: [String: [Registration]] = [:]
    private var sources: [String: SourceText] = [:]

    /// What came of a loading.
    package struct Loaded {
        /// Absent when the settings themselves are unusable.
        package var workspace: Workspace?
        /// Sorted, each once.
        package var diagnostics: [Diagnostic]
        /// What was read, for showing the lines that diagnostics point at.
        package var sources: [String: SourceText]
    }

    package static func load(_ folder: WorkspaceFolder, environment: [String: String]) -> Loaded {
        var loader = WorkspaceLoader(folder: folder, environment: environment)
        let workspace = loader.workspace()
        return Loaded(
            workspace: workspace, diagnostics: loader.diagnostics.map(\.presentable).sortedAndUnique(),
            sources: loader.sources)
    }

    private init(folder: WorkspaceFolder, environment: [String: String]) {
        self.folder = folder
        self.environment = environment
    }

    private mutating func workspace() -> Workspace? {
        guard let settings = settings() else { return nil }
        let (files, unreadable) = folder.resourceFiles(
            matching: settings.resources.map { Glob($0) }, ignoring: settings.ignore.map { Glob($0) })
        for name in unreadable {
            diagnostics.append(
                .error(.fileUnreadable, "folder '\(name)' cannot be read", at: SourceRange(file: name)))
        }
        var workspace = Workspace(
            settings: settings.settings, audiences: [], topics: [], campaigns: [], digest: "")
        for file in files {
            for resource in resources(in: file, defaultZone: settings.settings.timezone) {
                switch resource {
                case .audience(let audience): workspace.audiences.append(audience)
                case .topic(let topic): workspace.topics.append(topic)
                case .campaign(let campaign): workspace.campaigns.append(campaign)
                }
            }
        }
        diagnostics += References(workspace, declared: declared).check()
        workspace.audiences.sort { $0.name.value < $1.name.value }
        workspace.topics.sort { $0.name.value < $1.name.value }
        workspace.campaigns.sort { $0.name.value < $1.name.value }
        workspace.digest = digest()
        return workspace
    }

    private mutating func settings() -> SettingsReader.Result? {
        guard let source = read(WorkspaceFolder.settingsFile) else { return nil }
        let documents = compose(source)
        var findings = Findings(file: source.file)
        defer { diagnostics += findings.diagnostics }
        guard documents.count == 1 else {
            if !diagnostics.hasErrors {
                findings.error(.wrongType, "herald.yaml holds one document, not \(documents.count)", at: .line(1))
            }
            return nil
        }
        return SettingsReader.settings(from: documents[0], environment: environment, &findings)
    }

    private mutating func resources(in file: String, defaultZone: String) -> [ResourceReader.Resource] {
        guard let source = read(file) else { return [] }
        let documents = compose(source)
        var findings = Findings(file: file)
        defer { diagnostics += findings.diagnostics }
        let base = file.folder
        return documents.compactMap { document in
            if let name = References.Name(of: document) { declared.insert(name) }
            guard let resource = ResourceReader.resource(from: document, defaultZone: defaultZone, &findings)
            else { return nil }
            guard case .audience(var audience) = resource, case .list(let file) = audience.source else {
                return resource
            }
            guard let list = list(file.path, from: base, &findings) else { return nil }
            audience.source = .list(list)
            return .audience(audience)
        }
    }

    private mutating func list(_ path: Located<String>, from base: String, _ findings: inout Findings) -> ListFile? {
        guard ListFile.endings.contains(where: { path.value.hasSuffix(".\($0)") }) else {
            let isCompressed = path.value.hasSuffix(".gz")
            findings.diagnostics.append(
                .error(
                    isCompressed ? .unsupported : .listFormat,
                    isCompressed
                        ? "compressed lists are not supported by this version"
                        : "'\(path.value)' is no list: a list is a .csv, .txt or .ndjson file", at: path.range))
            return nil
        }
        switch folder.read(path.value, from: base) {
        case .failure(let problem):
            // The mistake stands where the path is written.
            var diagnostic = problem.diagnostic
            if diagnostic.rule != .fileEncoding {
                diagnostic.range = path.range
            }
            findings.diagnostics.append(diagnostic)
            return nil
        case .success(let source):
            // Several audiences may share a list: it is read, and its rows judged, once.
            if let known = lists[source.file] { return ListFile(path: path, registrations: known) }
            let list = ListFile(reading: source, at: path, &findings.diagnostics)
            lists[source.file] = list.registrations
            sources[source.file] = source
            return list
        }
    }

    private mutating func read(_ file: String) -> SourceText? {
        switch folder.read(file) {
        case .success(let source):
            sources[source.file] = source
            return source
        case .failure(let problem):
            diagnostics.append(problem.diagnostic)
            return nil
        }
    }

    private mutating func compose(_ source: SourceText) -> [Node] {
        let (documents, found) = YAMLComposer.documents(in: source)
        diagnostics += found
        return documents
    }

    private func digest() -> String {
        var hash = SHA256()
        for (file, source) in sources.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(file)\0\(source.bytes.count)\0".utf8))
            hash.update(data: source.bytes)
        }
        return "sha256:" + hash.finalize().hexadecimal
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        var text = ""
        for byte in self {
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0\(digits)" : digits
        }
        return text
    }
}
