import Foundation
import Synchronization

/// Standard output and standard error of this process.
enum StandardStreams {
    /// The number of the error that kept standard output from being written; 0 if all of it was.
    private static let problem = Atomic<Int32>(0)

    static func write(_ text: String, to descriptor: Int32) {
        if writeAll(text, to: descriptor) { return }
        let code = errno
        // Whoever closed the pipe has seen enough. What standard error did not take cannot be told there.
        if descriptor == STDOUT_FILENO, code != EPIPE { problem.store(code, ordering: .relaxed) }
    }

    /// Why what was asked for is not whole, so that nobody takes a part of it for all.
    static var failure: CommandFailure? {
        let code = problem.load(ordering: .relaxed)
        if code == 0 { return nil }
        return CommandFailure(
            .wrong, "standard output could not be written: \(String(cString: strerror(code)))",
            help: "what was printed is not whole; make room there, or write to another place")
    }
}
