import Foundation
import Synchronization

/// A file that gets lines while a run goes on. It is created by the first line, or by `open`.
final class LineFile: Sendable {
    private let path: String
    private let contents: String
    private let console: Console
    /// -1 until it is open.
    private let descriptor = Mutex<Int32>(-1)
    private let isLossTold = Atomic(false)

    /// - Parameters:
    ///   - contents: What the lines are. People are told once if some are lost.
    init(path: String, of contents: String, _ console: Console) {
        (self.path, self.contents, self.console) = (path, contents, console)
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Fails now rather than when the first line comes.
    func open() throws {
        try descriptor.withLock { descriptor in
            if descriptor < 0 {
                // Otherwise a pipe that nobody reads would keep it here for ever.
                let opened = Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
                if opened >= 0 { _ = fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK) }
                descriptor = opened
            }
            guard descriptor >= 0 else { throw PrivateFile.Failure() }
        }
    }

    func append(_ line: String) {
        if (try? open()) != nil, descriptor.withLock({ writeAll(line + "\n", to: $0) }) { return }
        guard !isLossTold.exchange(true, ordering: .relaxed) else { return }
        console.error("herald: not all \(contents) could be written to \(path)\n")
    }
}
