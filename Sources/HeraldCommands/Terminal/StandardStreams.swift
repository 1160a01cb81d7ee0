import Foundation
import Synchronization

/// Standard input, output and error of this process.
enum StandardStreams {
    /// The number of the error that kept standard output from being written; 0 if all of it was.
    private static let problem = Atomic<Int32>(0)

    /// Puts the null device where whoever started herald closed a stream. Otherwise the first files that herald opens
    /// would have its number, and get what is printed.
    static func replaceClosed() {
        var descriptor: Int32 = -1
        repeat { descriptor = open("/dev/null", O_RDWR) } while (0...STDERR_FILENO).contains(descriptor)
        if descriptor >= 0 { close(descriptor) }
    }

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
