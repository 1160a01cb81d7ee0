import FCM
import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// A list that is being fetched, in a file of its own beside the last one. It takes its place at once, or never.
final class ListDraft {
    /// Where plans read the list.
    let path: String
    /// Where it is written.
    let draft: String
    /// Open for writing.
    let file: Int32
    let begin: Date

    /// - Parameter folder: of fetched lists.
    init(of audience: Audience, from origin: Audience.Origin, in folder: String, at begin: Date) throws(FetchProblem) {
        path = "\(folder)/\(audience.name.value).\(origin.format.rawValue)"
        draft = "\(path).new"
        self.begin = begin
        // A fetch that was killed may have left one.
        unlink(draft)
        file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unwritable }
    }

    deinit {
        if file >= 0 { close(file) }
        unlink(draft)
    }

    /// Unpacks what came packed.
    func unpack() throws(FetchProblem) {
        let packed = "\(path).new.gz"
        guard rename(draft, packed) == 0 else { throw .unwritable }
        defer { unlink(packed) }
        let new = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard new >= 0, dup2(new, file) >= 0 else { throw .unwritable }
        close(new)
        switch FetchedList.unpack(packed, { writeAll($0, to: file) }) {
        case .success(true): break
        case .success(false): throw .unwritable
        case .failure(let flaw): throw .flaw(flaw)
        }
    }

    /// Whether nothing is in its place that somebody else wrote.
    var replacesOwn: Bool {
        FetchedList(beside: path) != nil
            || ![path, FetchedList.note(beside: path)].contains { FileManager.default.fileExists(atPath: $0) }
    }

    /// Whether it begins as gzip does.
    var isPacked: Bool {
        let reading = open(draft, O_RDONLY | O_CLOEXEC)
        defer { if reading >= 0 { close(reading) } }
        var start: [UInt8] = [0, 0]
        return reading >= 0 && read(reading, &start, 2) == 2 && start == [0x1f, 0x8b]
    }

    /// Checks it as plans would read it.
    func content(for audience: Audience, among audiences: [Audience]) throws(FetchProblem) -> FetchedList.Content {
        guard syncToDisk(file) else { throw .unwritable }
        return try Self.content(of: FetchedList.check(draft, for: audience, among: audiences))
    }

    /// Writes it, and checks it meanwhile as plans would read it.
    func content<Value: Sendable>(
        for audience: Audience, among audiences: [Audience],
        writing body: (ListWriter) throws(FetchProblem) -> Value
    ) throws(FetchProblem) -> (Value, FetchedList.Content) {
        let (growing, draft, check) = (GrowingList(), draft, Check())
        DispatchQueue(label: "herald.check").async {
            check.end(FetchedList.check(draft, for: audience, among: audiences, growing: growing))
        }
        let written = Result.of { () throws(FetchProblem) in try body(ListWriter(file, growing)) }
        growing.end()
        let isSynced = syncToDisk(file)
        let result = check.wait()
        let value = try written.get()
        guard isSynced, let result else { throw .unwritable }
        return (value, try Self.content(of: result))
    }

    /// What a check on another thread found.
    private final class Check: Sendable {
        private let result = Mutex<Result<FetchedList.Content, FetchedList.Flaw>?>(nil)
        private let isOver = DispatchSemaphore(value: 0)

        func end(_ result: Result<FetchedList.Content, FetchedList.Flaw>) {
            self.result.withLock { $0 = result }
            isOver.signal()
        }

        func wait() -> Result<FetchedList.Content, FetchedList.Flaw>? {
            isOver.wait()
            return result.withLock(\.self)
        }
    }

    private static func content(
        of checked: Result<FetchedList.Content, FetchedList.Flaw>
    ) throws(FetchProblem) -> FetchedList.Content {
        switch checked {
        case .success(let content): return content
        case .failure(let flaw): throw .flaw(flaw)
        }
    }

    // MARK: Taking the place of the last lists

    /// Whether the last list is the same. Then it stays in its place, so that plans need not read it again.
    private func isLastList(_ note: FetchedList) -> Bool {
        FetchedList(beside: path)?.digest == note.digest && Self.areEqual(draft, path)
    }

    /// Whether two files have the same bytes. Foundation compares byte by byte, which takes long.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        let types = [one, other].map {
            try? FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
        }
        guard types == [.typeRegular, .typeRegular], let one = FileHandle(forReadingAtPath: one),
            let other = FileHandle(forReadingAtPath: other)
        else { return false }
        while true {
            guard let block = try? one.read(upToCount: 1 << 18) ?? Data(),
                let same = try? other.read(upToCount: 1 << 18) ?? Data(), block == same
            else { return false }
            if block.isEmpty { return true }
        }
    }

    /// Where the note of a list is written.
    private static func noteDraft(of path: String) -> String { "\(path).new.json" }

    /// Lets lists take the places of the last ones together: if herald is killed meanwhile, `finish` does the rest.
    static func publish(
        _ lists: [(draft: ListDraft, note: FetchedList)], in folder: String
    ) throws(FetchProblem) {
        let names = lists.map { String($0.draft.path.dropFirst(folder.count + 1)) }
        for (draft, note) in lists where draft.isLastList(note) { unlink(draft.draft) }
        do {
            for (draft, note) in lists {
                try PrivateFile.write(note.json.compactText + "\n", to: noteDraft(of: draft.path))
            }
            try PrivateFile.write(FetchedList.pending(names), to: "\(folder)/\(FetchedList.pending)")
        } catch {
            throw .unwritable
        }
        try finish(in: folder)
    }

    /// Ends what a fetch that was killed had begun, if there is such a thing.
    static func finish(in folder: String) throws(FetchProblem) {
        guard let names = FetchedList.pending(in: folder) else { return }
        for name in names {
            let path = "\(folder)/\(name)"
            for (new, last) in [("\(path).new", path), (noteDraft(of: path), FetchedList.note(beside: path))] {
                guard rename(new, last) == 0 || errno == ENOENT else { throw .unwritable }
            }
        }
        unlink("\(folder)/\(FetchedList.pending)")
    }

    static func write(_ note: FetchedList, beside path: String) throws(FetchProblem) {
        let file = FetchedList.note(beside: path)
        // Through a link, a file elsewhere would be replaced.
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: file)) != nil { unlink(file) }
        do { try PrivateFile.write(note.json.compactText + "\n", to: file) } catch {
            throw .unwritable
        }
    }
}
