internal import Crypto
internal import FCM

/// Reads the lists that audiences name, each file once.
struct ListLoader {
    private let folder: WorkspaceFolder
    private let lists: String
    private let now: () -> Int64
    private(set) var diagnostics: [Diagnostic] = []
    /// SHA-256 of each list that was read, by its name in diagnostics.
    private(set) var digests: [String: String] = [:]
    /// The attributes of each list that was read, by its name in diagnostics; `nil` for a list without attributes.
    private var attributes: [String: [String]?] = [:]

    /// - Parameters:
    ///   - lists: The folder outside the workspace where lists may be, as the settings give it.
    ///   - now: In nanoseconds since 1970; by default the files' times are not used.
    init(_ folder: WorkspaceFolder, lists: String, now: @escaping () -> Int64 = { 0 }) {
        (self.folder, self.lists, self.now) = (folder, lists, now)
    }

    /// A list, with the audiences that name it.
    struct Use {
        var place: WorkspaceFolder.Place
        var names: Set<String> = []
        /// The attributes that filters use.
        var columns: Set<String> = []

        func source(_ recipientIndex: RecipientIndexBuilder) -> RowSource {
            recipientIndex.source(place.name, for: names, columns: columns.sorted())
        }
    }

    /// By the lists' names in diagnostics.
    static func uses(_ places: [String: WorkspaceFolder.Place], by filters: FilterUse) -> [String: Use] {
        var uses: [String: Use] = [:]
        for (name, place) in places {
            uses[place.name, default: Use(place: place)].names.insert(name)
            uses[place.name]?.columns.formUnion(filters.columns(ofListBehind: name))
        }
        return uses
    }

    /// The lists that audiences name, except those whose path is wrong.
    mutating func uses(of audiences: [Audience]) -> [Use] {
        var places: [String: WorkspaceFolder.Place] = [:]
        for audience in audiences {
            if case .list(let path) = audience.source { places[audience.name.value] = place(of: path) }
        }
        return Array(Self.uses(places, by: FilterUse(audiences)).values)
    }

    /// Passes the lists' rows to the builder. Returns the audiences whose list can be read.
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
            // Several audiences may share a list: it is read and checked once.
            if attributes[place.name] != nil { return true }
            let source = use.source(recipientIndex)
            if let content = recipientIndex.reuse(source)?.reading?.content {
                // The filters' attributes exist in it: otherwise the list would not have been cached.
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

    /// `false` if the list cannot be read.
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
        // Points at the place where the path is written.
        var diagnostic = problem.diagnostic
        if diagnostic.rule != .fileEncoding { diagnostic.range = path.range }
        diagnostics.append(diagnostic)
    }
}
