internal import FCM

/// Reads the lists that audiences name, each file once, with the columns that some audience filters by.
struct ListLoader {
    private let folder: WorkspaceFolder
    private let lists: String
    private(set) var diagnostics: [Diagnostic] = []
    /// What was read, by the names that diagnostics give it.
    private(set) var sources: [String: SourceText] = [:]
    private var rows: [String: ListRows] = [:]

    /// - Parameter lists: where lists may live besides the workspace, as the settings say it.
    init(_ folder: WorkspaceFolder, lists: String) {
        (self.folder, self.lists) = (folder, lists)
    }

    /// The audiences with what their lists hold; those whose list cannot be read are left out.
    mutating func read(_ audiences: [Audience]) -> [Audience] {
        var places: [String: WorkspaceFolder.Place] = [:]
        var readable: [Audience] = []
        for audience in audiences {
            if case .list(let list) = audience.source {
                guard let place = place(of: list.path) else { continue }
                places[audience.name.value] = place
            }
            readable.append(audience)
        }
        let filters = FilterUse(audiences)
        var columns: [String: Set<String>] = [:]
        for (name, place) in places { columns[place.name, default: []].formUnion(filters.columns(ofListBehind: name)) }
        let loaded = readable.compactMap { audience -> Audience? in
            guard case .list(let list) = audience.source, let place = places[audience.name.value] else {
                return audience
            }
            guard let rows = rows(of: place, for: list.path, columns[place.name] ?? []) else { return nil }
            var audience = audience
            let own = filters.columns(ofListBehind: audience.name.value)
            audience.source = .list(
                ListFile(
                    path: list.path, registrations: rows.registrations,
                    columns: rows.columns.filter { own.contains($0.key) }))
            return audience
        }
        diagnostics += filters.problems { name in
            places[name].flatMap { rows[$0.name] }?.attributes
        }
        return loaded
    }

    private mutating func place(of path: Located<String>) -> WorkspaceFolder.Place? {
        switch folder.list(path.value, from: path.range.file.folder, lists: lists) {
        case .success(let place): return place
        case .failure(let problem):
            report(problem, at: path)
            return nil
        }
    }

    private mutating func rows(
        of place: WorkspaceFolder.Place, for path: Located<String>, _ columns: Set<String>
    ) -> ListRows? {
        // Several audiences may share a list: it is read, and its rows judged, once.
        if let known = rows[place.name] { return known }
        switch SourceText.read(place.path, as: place.name) {
        case .failure(let problem):
            report(problem, at: path)
            return nil
        case .success(let source):
            let read = ListRows(reading: source, columns: columns, &diagnostics)
            rows[place.name] = read
            sources[place.name] = source
            return read
        }
    }

    private mutating func report(_ problem: DiagnosticError, at path: Located<String>) {
        // The mistake stands where the path is written.
        var diagnostic = problem.diagnostic
        if diagnostic.rule != .fileEncoding { diagnostic.range = path.range }
        diagnostics.append(diagnostic)
    }
}
