import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// Brings lists of audiences into `.herald/lists`: each whole, or not at all.
struct ListFetch {
    typealias Wanted = (audience: Audience, origin: Audience.Origin)
    /// Told what became of each list.
    typealias Told = (Audience, Result<FetchedList, FetchProblem>) -> Void

    let folder: WorkspaceFolder
    let workspace: Workspace
    let machine: Machine
    let console: Console
    let signals: Signals
    let variables: SourceVariables
    /// Held while this lives, so that two fetches never write one file.
    private let lock: Int32

    var path: String { "\(folder.path)/\(FetchedList.folder)" }

    /// - Throws: if another fetch is under way, or the folder cannot be used.
    init(_ files: LoadedWorkspace, _ common: Common, _ signals: Signals) throws(CommandFailure) {
        (folder, workspace, machine) = (files.folder, files.workspace, common.machine)
        (console, self.signals, variables) = (common.console, signals, SourceVariables(common.environment))
        for path in ["\(folder.path)/.herald", "\(folder.path)/\(FetchedList.folder)"] {
            mkdir(path, 0o700)
            let kind = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            // A link could lead to another workspace, or out of every one.
            guard kind == .typeDirectory else {
                throw CommandFailure.unwritable("\(path) is no folder that herald can use")
            }
        }
        let path = "\(folder.path)/\(FetchedList.folder)/.lock"
        lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandFailure.unwritable("\(path) cannot be written") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw CommandFailure(
                .locked, "another 'herald fetch' works on this workspace", help: "wait until it has ended")
        }
    }

    func end() { close(lock) }

    /// Fetches one list after the other. Those of one database come from one moment.
    func fetch(_ wanted: [Wanted], _ told: Told) async {
        var rest = wanted[...]
        while let next = rest.popFirst() {
            if case .postgres(let address, _) = next.origin.kind {
                let same = rest.filter { $0.origin.isOf(address, next.origin.ca) }
                rest.removeAll { $0.origin.isOf(address, next.origin.ca) }
                fetch([next] + same, at: address, told)
            } else {
                await told(next.audience, Result.of { () async throws(FetchProblem) in try await fetch(next) })
            }
        }
    }

    private func fetch(_ wanted: Wanted) async throws(FetchProblem) -> FetchedList {
        let (audience, origin) = wanted
        let draft = try draft(of: wanted)
        var version: FetchedList.Version?
        switch origin.kind {
        case .command(let words): try run(words, origin, into: draft.file)
        case .sqlite(let file, let query): try ask(query, of: file, within: origin.timeout, into: draft.file)
        case .https(let source):
            switch try await download(source, wanted, into: draft) {
            case .unchanged(let list): return list
            case .whole(let found): version = found
            }
        case .postgres: break
        }
        let content = try draft.content(for: audience, among: workspace.audiences)
        let note = note(content, origin, draft, version)
        try draft.publish(note)
        return note
    }

    func draft(of wanted: Wanted) throws(FetchProblem) -> ListDraft {
        if signals.first != 0 { throw .stopped }
        return try ListDraft(of: wanted.audience, from: wanted.origin, in: path, at: machine.now())
    }

    func note(
        _ content: FetchedList.Content, _ origin: Audience.Origin, _ draft: ListDraft,
        _ version: FetchedList.Version? = nil
    ) -> FetchedList {
        FetchedList(
            content, from: origin, fetched: draft.begin, seconds: machine.now().timeIntervalSince(draft.begin),
            version: version)
    }

    // MARK: Programs

    private func run(_ words: [String], _ origin: Audience.Origin, into file: Int32) throws(FetchProblem) {
        let allowed = machine.environment["HERALD_ALLOW_COMMANDS", default: ""].split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        let name = words.first ?? ""
        guard let program = allowed.first(where: { $0 == name || $0.hasSuffix("/\(name)") && !name.hasPrefix("/") })
        else { throw .notAllowed(program: name) }
        let given = try variables.values(of: origin.variables)
        let temporary = machine.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(temporary)/herald-fetch.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unwritable }
        let empty = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: empty) }
        let call = SourceProgram(
            program: program, arguments: Array(words.dropFirst()), environment: given, folder: empty)
        try call.run(into: ListWriter(file), within: origin.timeout, limit(origin.timeout))
    }

    func limit(_ timeout: Duration) -> QueryLimit {
        QueryLimit(.now + timeout) { [signals] in signals.first != 0 }
    }

    // MARK: SQLite

    private func ask(
        _ query: Audience.Query, of file: Located<String>, within timeout: Duration, into output: Int32
    ) throws(FetchProblem) {
        var place = file
        place.value = try variables.expand(file.value)
        let folders = machine.environment["HERALD_SOURCE_PATHS", default: ""].split(separator: ":").map(String.init)
        guard let path = folder.database(place, of: workspace.settings, besidesIn: folders.filter { $0.hasPrefix("/") })
        else { throw .databaseOutside(place.value) }
        do throws(QueryError) {
            try SQLiteQuery(query.text, of: path).run(into: ListWriter(output), limit(timeout))
        } catch {
            throw FetchProblem(error, within: timeout)
        }
    }
}

extension Audience.Origin {
    /// Whether the list is in that database of PostgreSQL.
    fileprivate func isOf(_ address: String, _ ca: Located<String>?) -> Bool {
        if case .postgres(let own, _) = kind { own == address && self.ca?.value == ca?.value } else { false }
    }
}

extension Result where Success: Sendable, Failure: Sendable {
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
