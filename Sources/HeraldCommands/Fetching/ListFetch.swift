import FCM
import Foundation
import HeraldCore
import HeraldStore

/// Brings the list of an audience into `.herald/lists`: the whole list, or nothing.
struct ListFetch {
    let folder: WorkspaceFolder
    let audiences: [Audience]
    let machine: Machine
    let signals: Signals
    /// Held while this lives, so that two fetches never write one file.
    private let lock: Int32

    /// - Throws: if another fetch is under way, or the folder cannot be used.
    init(_ files: LoadedWorkspace, _ common: Common) throws(CommandFailure) {
        (folder, audiences, machine) = (files.folder, files.workspace.audiences, common.machine)
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
        signals = common.machine.signals(common.console)
    }

    func end() { close(lock) }

    /// - Returns: What is known about the new list. It has taken the place of the last one.
    func fetch(_ audience: Audience, from origin: Audience.Origin) throws(FetchProblem) -> FetchedList {
        let path = "\(folder.path)/\(FetchedList.folder)/\(audience.name.value).\(origin.format.rawValue)"
        let draft = "\(path).new"
        let begin = machine.now()
        // A fetch that was killed may have left one.
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unwritable }
        defer {
            close(file)
            unlink(draft)
        }
        switch origin.kind {
        case .command(let words): try run(words, origin, into: file)
        }
        guard syncToDisk(file) else { throw .unwritable }
        let content: FetchedList.Content
        switch FetchedList.check(draft, for: audience, among: audiences) {
        case .success(let found): content = found
        case .failure(let flaw): throw .flaw(flaw)
        }
        let note = FetchedList(
            origin: origin.digest, fetched: begin, seconds: machine.now().timeIntervalSince(begin),
            rows: content.rows, digest: content.digest)
        // The list comes first: a note must never say that an older list is from this source.
        guard rename(draft, path) == 0,
            (try? PrivateFile.write(note.json.compactText + "\n", to: FetchedList.note(beside: path))) != nil
        else { throw .unwritable }
        return note
    }

    private func run(_ words: [String], _ origin: Audience.Origin, into file: Int32) throws(FetchProblem) {
        let allowed = machine.environment["HERALD_ALLOW_COMMANDS", default: ""].split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        let name = words.first ?? ""
        guard let program = allowed.first(where: { $0 == name || $0.hasSuffix("/\(name)") && !name.hasPrefix("/") })
        else { throw .notAllowed(program: name) }
        let listed = Set(machine.environment["HERALD_SOURCE_VARS", default: ""].split(separator: ",").map(String.init))
        if let variable = origin.variables.subtracting(listed).min() { throw .variableNotAllowed(variable) }
        let given = machine.environment.filter { origin.variables.contains($0.key) }
        if let variable = origin.variables.subtracting(given.keys).min() { throw .variableNotSet(variable) }
        let temporary = machine.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(temporary)/herald-fetch.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unwritable }
        let empty = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: empty) }
        let call = SourceProgram(
            program: program, arguments: Array(words.dropFirst()), environment: given, folder: empty)
        do throws(SourceProgram.Problem) {
            try call.run(into: file, within: origin.timeout) { signals.first }
        } catch {
            throw .program(error, within: origin.timeout)
        }
    }
}
