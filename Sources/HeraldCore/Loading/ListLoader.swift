internal import Crypto
internal import FCM

/// Reads the lists that audiences name, each file once.
struct ListLoader {
    private let folder: WorkspaceFolder
    private let lists: String
    private(set) var diagnostics: [Diagnostic] = []
    /// SHA-256 of what was read, by the names that diagnostics give it.
    private(set) var digests: [String: String] = [:]
    /// By the same names, of what could be read, the attributes; `nil` for those without.
    private var attributes: [String: [String]?] = [:]

    /// - Parameter lists: where lists may live besides the workspace, as the settings say it.
    init(_ folder: WorkspaceFolder, lists: String) {
        (self.folder, self.lists) = (folder, lists)
    }

    /// Hands the lists' rows to the builder. Gives the audiences; those whose list cannot be read are left out.
    mutating func read(_ audiences: [Audience], into recipientIndex: inout RecipientIndexBuilder) -> [Audience] {
        var places: [String: WorkspaceFolder.Place] = [:]
        var readable: [Audience] = []
        for audience in audiences {
            if case .list(let path) = audience.source {
                guard let place = place(of: path) else { continue }
                places[audience.name.value] = place
            }
            readable.append(audience)
        }
        let filters = FilterUse(audiences)
        var uses: [String: (names: Set<String>, columns: Set<String>)] = [:]
        for (name, place) in places {
            uses[place.name, default: ([], [])].names.insert(name)
            uses[place.name]?.columns.formUnion(filters.columns(ofListBehind: name))
        }
        let loaded = readable.filter { audience in
            guard case .list(let path) = audience.source, let place = places[audience.name.value],
                let use = uses[place.name]
            else { return true }
            // Several audiences may share a list: it is read, and its rows judged, once.
            if attributes[place.name] != nil { return true }
            let classifier = recipientIndex.classifier(for: use.names, columns: use.columns.sorted())
            return read(place, for: path, classifier, into: &recipientIndex)
        }
        diagnostics += filters.problems { name in
            places[name].flatMap { attributes[$0.name] ?? nil }
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

    /// `false` when it cannot be read.
    private mutating func read(
        _ place: WorkspaceFolder.Place, for path: Located<String>, _ classifier: RowClassifier,
        into recipientIndex: inout RecipientIndexBuilder
    ) -> Bool {
        var (classifier, reader, row) = (classifier, ListReader(place.name, asked: classifier.columns), 0)
        var classes = [Int](repeating: -1, count: classifier.columns.count)
        do throws(DiagnosticError) {
            let digest = try ListScanner(place.path, as: place.name).scan { number in
                reader.noteTooLong(at: number)
            } line: { number, line in
                reader.read(line, at: number) { registration, value in
                    if classifier.isIdle { return }
                    for column in classes.indices {
                        classes[column] = value(column).map { classifier.class(of: $0, inColumn: column) } ?? -1
                    }
                    guard let membershipClass = classifier.membershipClass(of: classes) else { return }
                    recipientIndex.add(registration, membershipClass, row: row)
                    row += 1
                }
            }
            digests[place.name] = digest.hexadecimal
        } catch {
            report(error, at: path)
            return false
        }
        reader.end()
        diagnostics += reader.rows.diagnostics
        attributes[place.name] = .some(reader.attributes)
        return true
    }

    private mutating func report(_ problem: DiagnosticError, at path: Located<String>) {
        // The mistake stands where the path is written.
        var diagnostic = problem.diagnostic
        if diagnostic.rule != .fileEncoding { diagnostic.range = path.range }
        diagnostics.append(diagnostic)
    }
}
