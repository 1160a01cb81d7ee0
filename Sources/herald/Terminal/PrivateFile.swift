import Foundation
import Synchronization

/// Files that only their owner may read, unless said otherwise.
enum PrivateFile {
    struct Failure: Error {}

    /// Puts the text in the file's place at once: a reader sees the old or the new, never a part.
    static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let kind = (try? FileManager.default.attributesOfItem(atPath: resolved))?[.type] as? FileAttributeType
        // A device or a pipe is written to, and never replaced.
        if let kind, kind != .typeRegular {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure() }
            defer { close(descriptor) }
            guard append(text, to: descriptor) else { throw Failure() }
            return
        }
        // Of a link, the file it leads to is replaced.
        let path = kind == nil ? path : resolved
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure() }
        let isWritten = append(text, to: descriptor)
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw Failure()
        }
    }

    static func append(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Lines that are added to a file while a run goes on; the file is made with the first of them, or by `open`.
final class LineFile: Sendable {
    private let path: String
    /// -1 until it is open.
    private let descriptor = Mutex<Int32>(-1)

    init(path: String) { self.path = path }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Fails now rather than when there is something to write.
    func open() throws {
        try descriptor.withLock { descriptor in
            if descriptor < 0 {
                descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            }
            guard descriptor >= 0 else { throw PrivateFile.Failure() }
        }
    }

    func append(_ line: String) {
        guard (try? open()) != nil else { return }
        descriptor.withLock { _ = PrivateFile.append(line + "\n", to: $0) }
    }
}
