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
    let sources: ListSources
    /// Whether a list is taken whose number of rows changed more than it may.
    let isForced: Bool
    /// The folder of the lists.
    let path: String
    /// Held while this lives, so that two fetches never write one file.
    private let lock: Int32

    /// - Parameter out: another folder for the lists, where no plan reads them.
    /// - Throws: if another fetch is under way, or the folder cannot be used.
    init(
        _ files: LoadedWorkspace, _ common: Common, _ signals: Signals, isForced: Bool = false, to out: String? = nil
    ) throws(CommandFailure) {
        (folder, workspace, machine) = (files.folder, files.workspace, common.machine)
        (console, self.signals) = (common.console, signals)
        sources = ListSources(
            folder: files.folder, settings: files.workspace.settings, environment: common.environment
        ) { signals.first != 0 }
        self.isForced = isForced
        path = out?.absolute(in: nil) ?? "\(folder.path)/\(FetchedList.folder)"
        for path in out == nil ? ["\(folder.path)/.herald", path] : [path] {
            mkdir(path, 0o700)
            let kind = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            // A link could lead to another workspace, or out of every one.
            guard kind == .typeDirectory else {
                throw CommandFailure.unwritable("\(path) is no folder that herald can use")
            }
        }
        let door = "\(path)/.lock"
        lock = open(door, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandFailure.unwritable("\(door) cannot be written") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw CommandFailure(
                .locked, "another 'herald fetch' works on this workspace", help: "wait until it has ended")
        }
        do { try ListDraft.finish(in: path) } catch {
            close(lock)
            throw CommandFailure.unwritable("the lists in \(path) cannot be written")
        }
    }

    func end() { close(lock) }

    /// Fetches one list after the other. Those of one database come from one moment.
    func fetch(_ wanted: [Wanted], _ told: Told) async {
        var rest = wanted[...]
        while let next = rest.popFirst() {
            if case .postgres(let address, _) = next.origin.kind {
                let isSame = { (other: Wanted) in Self.areOfOneDatabase(next, other, in: folder) }
                let same = rest.filter(isSame)
                rest.removeAll(where: isSame)
                fetch([next] + same, at: address, told)
            } else {
                await told(next.audience, Result.of { () async throws(FetchProblem) in try await fetch(next) })
            }
        }
    }

    private func fetch(_ wanted: Wanted) async throws(FetchProblem) -> FetchedList {
        let origin = wanted.origin
        let draft = try draft(of: wanted)
        var version: FetchedList.Version?
        var loaded: Date?
        switch origin.kind {
        case .command(let words): try run(words, origin, into: draft.file)
        case .sqlite(let file, let query): loaded = try ask(query, of: file, origin, into: draft.file)
        case .https(let source):
            switch try await download(source, wanted, into: draft) {
            case .unchanged(let list): return list
            case .whole(let found): version = found
            }
        case .postgres: break
        }
        let content = try draft.content(for: wanted.audience, among: workspace.audiences)
        let note = try note(of: draft, wanted, content, version: version, loaded: loaded)
        try ListDraft.publish([(draft, note)], in: path)
        return note
    }

    func draft(of wanted: Wanted) throws(FetchProblem) -> ListDraft {
        if signals.first != 0 { throw .stopped }
        let draft = try ListDraft(of: wanted.audience, from: wanted.origin, in: path, at: machine.now())
        guard isForPlans || draft.replacesOwn else { throw .foreign }
        return draft
    }

    /// Whether the lists are where plans read them, and not where people look at them beside their own files.
    var isForPlans: Bool { path == "\(folder.path)/\(FetchedList.folder)" }

    /// What is known about a list that has come, unless its number of rows is too unusual.
    func note(
        of draft: ListDraft, _ wanted: Wanted, _ content: FetchedList.Content, version: FetchedList.Version? = nil,
        loaded: Date? = nil
    ) throws(FetchProblem) -> FetchedList {
        var last = FetchedList(beside: draft.path)
        if let percent = wanted.origin.maxRowChange, last?.origin == wanted.origin.digest,
            let median = last?.median(refusing: content.rows, percent: percent)
        {
            guard isForced else {
                let name = wanted.audience.name.value
                throw .rowChange(rows: content.rows, median: median, percent: percent, audience: name)
            }
            // A person took it, so it is what is usual from now on.
            last = nil
        }
        return FetchedList(
            content, from: wanted.origin, after: last, fetched: draft.begin,
            seconds: machine.now().timeIntervalSince(draft.begin), version: version, loaded: loaded)
    }

    /// What `loaded_at` gave. `nil` if the source has none.
    static func time(_ text: String?) throws(FetchProblem) -> Date? {
        guard let text else { return nil }
        guard let time = Date(rfc3339: text) else { throw .loadTime }
        return time
    }

    // MARK: Programs

    private func run(_ words: [String], _ origin: Audience.Origin, into file: Int32) throws(FetchProblem) {
        let (program, given) = try sources.program(words, origin)
        let temporary = machine.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(temporary)/herald-fetch.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unwritable }
        let empty = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: empty) }
        let call = SourceProgram(
            program: program, arguments: Array(words.dropFirst()), environment: given, folder: empty)
        try call.run(into: ListWriter(file), within: origin.timeout, sources.limit(origin.timeout))
    }

    // MARK: SQLite

    private func ask(
        _ query: Audience.Query, of file: Located<String>, _ origin: Audience.Origin, into output: Int32
    ) throws(FetchProblem) -> Date? {
        let path = try sources.database(file)
        var loaded: String?
        do throws(QueryError) {
            let limit = sources.limit(origin.timeout)
            // It is asked first: the rows are then at least as new.
            if let question = origin.freshness.loadedAt {
                loaded = try SQLiteQuery(question, of: path).value(limit)
            }
            try SQLiteQuery(query.text, of: path).run(into: ListWriter(output), limit)
        } catch {
            throw FetchProblem(error, within: origin.timeout)
        }
        return try Self.time(loaded)
    }
}

extension Result where Success: Sendable, Failure: Sendable {
    static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }

    static func of(_ body: () throws(Failure) -> Success) -> Result {
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
}
