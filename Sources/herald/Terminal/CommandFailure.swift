import Foundation

/// Ends a command: the exit status, and what standard error says about it.
struct CommandFailure: Error, Hashable {
    let status: ExitStatus
    /// Absent when the command has already said everything.
    let message: String?
    /// What to do about it.
    let help: String?

    init(_ status: ExitStatus, _ message: String? = nil, help: String? = nil) {
        (self.status, self.message, self.help) = (status, message, help)
    }

    func show() {
        guard let message else { return }
        let text = "herald: \(message)\n" + (help.map { "  help: \($0)\n" } ?? "")
        _ = writeAll(text.maskingRegistrations, to: STDERR_FILENO)
    }
}
