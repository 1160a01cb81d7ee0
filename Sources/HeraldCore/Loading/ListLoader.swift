internal import Crypto
internal import FCM

/// Reads the lists that audiences name, each file once.
struct ListLoader {
    private let folder: WorkspaceFolder
    private let lists: String
    private let now: () -> Int64
    private(set) var diagnostics: [Diagnostic] = []
    /// SHA-256 of what was read, by the names that diagnostics give it.
    private(set) var digests: [String: String] = [:]
    /// By the same names, of what could be read, the attributes; `nil` for those without.
    private var attributes: [String: [String]?] = [:]

    /// - Parameters:
    ///   - lists: where lists may live besides the workspace, as the settings say it.
    ///   - now: in nanoseconds since 1970; without it nothing is known of the files that lists are read from.
    init(_ folder: WorkspaceFolder, lists: String, now: @escaping () -> Int64 = { 0 }) {
        (self.folder, self.lists, self.now) = (folder, lists, now)
    }

    /// A list, as audiences name it.
    struct Use {
        var place: WorkspaceFolder.Place
        var names: Set<String> = []
        /// The attributes that filters ask of it.
        var columns: Set<String> = []

        func source(_ recipientIndex: RecipientIndexBuilder) -> RowSource {
            recipientIndex.source(place.name, for: names, columns: columns.sorted())
        }
    }

    /// By the names that diagnostics give lists.
    static func uses(_ places: [String: WorkspaceFolder.Place], by filters: FilterUse) -> [String: Use] {
        var uses: [String: Use] = [:]
        for (name, place) in places {
            uses[place.name, default: Use(place: place)].names.insert(name)
            uses[place.name]?.columns.formUnion(filters.columns(ofListBehind: name))
        }
        return uses
    }

    /// The lists that audiences name, as far as they can be.
    mutating func uses(of audiences: [Audience]) -> [Use] {
        var places: [String: WorkspaceFolder.Place] = [:]
        for audience in audiences {
            if case .list(let path) = audience.source { places[audience.name.value] = place(of: path) }
        }
        return Array(Self.uses(places, by: FilterUse(audiences)).values)
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
        let uses = Self.uses(places, by: filters)
        let loaded = readable.filter { audience in
            guard case .list(let path) = audience.source, let place = places[audience.name.value],
                let use = uses[place.name]
            else { return true }
            // Several audiences may share a list: it is read, and its rows judged, once.
            if attributes[place.name] != nil { return true }
            let source = use.source(recipientIndex)
            if let content = recipientIndex.reuse(source)?.reading?.content {
                // What filters ask of it is there: it would not have been kept else.
                (digests[place.name], attributes[place.name]) = (content.hexadecimal, .some(nil))
                return true
            }
            let classifier = recipientIndex.classifier(for: use.names, columns: use.columns.sorted())
            return read(place, for: path, source, classifier, into: &recipientIndex)
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
        _ place: WorkspaceFolder.Place, for path: Located<String>, _ source: RowSource, _ classifier: RowClassifier,
        into recipientIndex: inout RecipientIndexBuilder
    ) -> Bool {
        var (classifier, reader, row) = (classifier, ListReader(place.name, asked: classifier.columns), 0)
        var classes = [Int](repeating: -1, count: classifier.columns.count)
        var source = source
        do throws(DiagnosticError) {
            let begin = now()
            let scanner = try ListScanner(place.path, as: place.name)
            let file = scanner.identity
            let digest = try scanner.scan { number in
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
            source.reading = ListReading(content: Array(digest), from: file, unchangedAs: scanner.identity, at: begin)
        } catch {
            report(error, at: path)
            return false
        }
        recipientIndex.finish(source)
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
