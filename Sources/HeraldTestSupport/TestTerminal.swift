import Foundation

/// A terminal at which a test answers the questions of a program.
package final class TestTerminal: Sendable {
    /// What the program reads from.
    let end: Int32
    private let terminal: Int32

    package struct CannotOpen: Error {
        package var code: Int32
    }

    package init() throws {
        var (terminal, end): (Int32, Int32) = (-1, -1)
        guard openpty(&terminal, &end, nil, nil, nil) == 0 else { throw CannotOpen(code: errno) }
        for descriptor in [terminal, end] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (self.terminal, self.end) = (terminal, end)
    }

    deinit {
        close(terminal)
        close(end)
    }

    /// Types a line.
    package func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(terminal, bytes, bytes.count)
    }
}
