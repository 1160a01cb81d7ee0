import FCM
import Foundation
import HeraldCore
import HeraldStore

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
        switch FetchedList.check(draft, for: audience, among: audiences) {
        case .success(let content): return content
        case .failure(let flaw): throw .flaw(flaw)
        }
    }

    /// Takes the place of the last list.
    func publish(_ note: FetchedList) throws(FetchProblem) {
        // The list comes first: a note must never say that an older list is from this source.
        guard rename(draft, path) == 0 else { throw .unwritable }
        try Self.write(note, beside: path)
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
