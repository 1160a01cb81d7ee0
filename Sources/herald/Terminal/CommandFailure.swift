import Foundation

/// Ends a command: the exit status, and what standard error says about it.
struct CommandFailure: Error, Hashable {
    let status: ExitStatus
    /// Absent when the command has already said everything.
    let message: String?

    init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    func show() {
        if let message { _ = writeAll("herald: \(message.maskingRegistrations)\n", to: STDERR_FILENO) }
    }
}
