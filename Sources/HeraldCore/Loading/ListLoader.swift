internal import Crypto
internal import FCM

/// Reads the lists that audiences name, each file once.
struct ListLoader {
    private let folder: WorkspaceFolder
    private let lists: String
    private let now: () -> Int64
    /// Audiences whose list is not there, and is no mistake of the files.
    private let unfetched: Set<String>
    private(set) var diagnostics: [Diagnostic] = []
    /// SHA-256 of each list that was read, by its name in diagnostics.
    private(set) var digests: [String: String] = [:]
    /// What is known about lists that `herald fetch` brought, by their audience.
    private(set) var fetched: [String: FetchedList] = [:]
    /// The attributes of each list that was read; `nil` for a list without attributes.
    private var attributes: [Reading: [String]?] = [:]
    /// How the list of each audience is read.
    private var readings: [String: Reading] = [:]

    /// - Parameters:
    ///   - workspace: Says in which folder outside of it lists may be, and which are not there.
    ///   - now: In nanoseconds since 1970; by default the files' times are not used.
    init(_ folder: WorkspaceFolder, of workspace: Workspace, now: @escaping () -> Int64 = { 0 }) {
        (self.folder, lists, self.now) = (folder, workspace.settings.lists, now)
        unfetched = workspace.unfetched
    }

    /// A list, and what its columns are called. Audiences that name other columns read the file in another way.
    struct Reading: Hashable {
        /// The list's name in diagnostics.
        var list: String
        var names: ColumnNames
        var needed = ValueNeed.Columns()
    }

    /// A list, with the audiences that read it in the same way.
    struct Use {
        var place: WorkspaceFolder.Place
        var names: ColumnNames
        var needed = ValueNeed.Columns()
        var audiences: Set<String> = []
        /// The attributes that filters use.
        var columns: Set<String> = []
        /// The columns of the fields that the audiences declare.
        var declared: Set<String> = []
        /// The columns that the audiences name.
        var named: [Located<String>] = []

        var reading: Reading { Reading(list: place.name, names: names, needed: needed) }

        func source(_ recipientIndex: RecipientIndexBuilder) -> RowSource {
            recipientIndex.source(place.name, for: audiences, columns: columns.sorted(), names)
        }
    }

    /// The lists that audiences name, except those whose path is wrong. Wrong paths are reported.
    ///
    /// - Parameter needed: returns the columns that an audience's list must bring.
    /// - Returns: The use of each audience's list too, by the audience's name.
    private mutating func used(
        by audiences: [Audience], _ filters: FilterUse, keeping needed: (String) -> ValueNeed.Columns
    ) -> (lists: [Reading: Use], byAudience: [String: Reading]) {
        var lists: [Reading: Use] = [:]
        var readings: [String: Reading] = [:]
        for audience in audiences where !unfetched.contains(audience.name.value) {
            guard case .list(let path, let columns) = audience.source, let place = place(of: path) else { continue }
            let name = audience.name.value
            var use = Use(place: place, names: columns.names, needed: needed(name))
            use = lists[use.reading] ?? use
            use.audiences.insert(name)
            use.columns.formUnion(filters.columns(ofListBehind: name))
            use.declared.formUnion(audience.fields.map(\.value.column))
            use.named += columns.named
            (lists[use.reading], readings[name]) = (use, use.reading)
        }
        return (lists, readings)
    }

    /// The lists that audiences name, except those whose path is wrong.
    ///
    /// - Parameter needed: returns the columns that an audience's list must bring.
    mutating func uses(of audiences: [Audience], keeping needed: (String) -> ValueNeed.Columns = { _ in .init() })
        -> [Use]
    {
        Array(used(by: audiences, FilterUse(audiences), keeping: needed).lists.values)
    }

    /// Passes the lists' rows to the builder. Returns the audiences whose list can be read.
    mutating func read(_ audiences: [Audience], into recipientIndex: inout RecipientIndexBuilder) -> [Audience] {
        let filters = FilterUse(audiences)
        let uses: [Reading: Use]
        (uses, readings) = used(by: audiences, filters) { recipientIndex.columns(ofListBehind: $0) }
        let readable = audiences.indices.filter { place in
            let audience = audiences[place]
            guard case .list(let path, _) = audience.source, !unfetched.contains(audience.name.value) else {
                return true
            }
            guard let use = readings[audience.name.value].flatMap({ uses[$0] }) else { return false }
            switch FetchedList.look(for: audience, at: use.place.path) {
            case .success(let list): fetched[audience.name.value] = list
            case .failure(let problem):
                diagnostics.append(problem.diagnostic)
                return false
            }
            // Several audiences may share a list: it is read and checked once.
            if attributes[use.reading] != nil { return true }
            if let content = recipientIndex.reuse(use.source(recipientIndex))?.reading?.content {
                // The columns exist in it: otherwise the list would not have been cached.
                (digests[use.place.name], attributes[use.reading]) = (content.hexadecimal, .some(nil))
                return true
            }
            return read(use, for: path, into: &recipientIndex)
        }
        checkMoments(of: audiences, uses)
        diagnostics += filters.problems(attributes: attributes(ofListOf:))
        return readable.count == audiences.count ? audiences : readable.map { audiences[$0] }
    }

    /// Lists that were fetched together must be read together.
    private mutating func checkMoments(of audiences: [Audience], _ uses: [Reading: Use]) {
        var broken = FetchedList.parted(fetched)
        for (name, list) in fetched {
            guard let use = readings[name].flatMap({ uses[$0] }), let digest = digests[use.place.name] else { continue }
            if digest != list.digest { broken.insert(name) }
        }
        let command = "herald fetch \(broken.sorted().joined(separator: " "))"
        for audience in audiences where broken.contains(audience.name.value) {
            guard case .list(let place, _) = audience.source else { continue }
            diagnostics.append(
                .error(
                    .fileUnreadable,
                    "the list of audience '\(audience.name.value)' is not whole: a fetch was cut off, or is under way",
                    at: place.range, help: "run '\(command)', then this command again"))
        }
    }

    /// The columns of the list of an audience. `nil` if it was not read.
    func attributes(ofListOf audience: String) -> [String]? { readings[audience].flatMap { attributes[$0] ?? nil } }

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
        _ use: Use, for path: Located<String>, into recipientIndex: inout RecipientIndexBuilder
    ) -> Bool {
        let place = use.place
        var classifier = recipientIndex.classifier(for: use.audiences, columns: use.columns.sorted())
        // A closure that captures the classifier would copy it for each row.
        let columnClasses = classifier.classes
        var packer = RowPacker(use.needed, after: classifier, recipientIndex)
        let isPlain = packer.isIdle
        let columns = classifier.columns + use.needed.zones + use.needed.values
        let asked = columns + use.declared.subtracting(columns).sorted()
        var (reader, row) = (ListReader(place.name, use.names, asked: asked), 0)
        var classes = [Int](repeating: -1, count: classifier.columns.count)
        var source = use.source(recipientIndex)
        do throws(DiagnosticError) {
            let begin = now()
            let scanner = try ListScanner(place.path, as: place.name)
            let file = scanner.identity
            let digest = try scanner.scan { number in
                reader.noteTooLong(at: number)
            } line: { number, line in
                reader.read(line, at: number) { found, look in
                    if classifier.isIdle { return }
                    for column in classes.indices {
                        classes[column] = look(column) { columnClasses[column].number(of: $0) } ?? -1
                    }
                    guard let membershipClass = classifier.membershipClass(of: classes) else { return }
                    if isPlain {
                        recipientIndex.add(found.registrations, membershipClass, row: row, seen: found.seen)
                    } else {
                        packer.add(found, membershipClass, row: row, look, to: &recipientIndex)
                    }
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
        var advice = Advice()
        for column in use.named where reader.missing.contains(column.value) {
            diagnostics.append(
                .missingColumn(column, of: place.name, among: reader.columns, advice: &advice))
        }
        attributes[use.reading] = .some(reader.attributes)
        return true
    }

    private mutating func report(_ problem: DiagnosticError, at path: Located<String>) {
        // Points at the place where the path is written.
        var diagnostic = problem.diagnostic
        if diagnostic.rule != .fileEncoding { diagnostic.range = path.range }
        diagnostics.append(diagnostic)
    }
}
