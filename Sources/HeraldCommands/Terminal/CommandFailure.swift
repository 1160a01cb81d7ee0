import Foundation
import HeraldCore

/// Ends a command: the exit status, and what standard error says about it.
struct CommandFailure: Error, Hashable {
    let status: ExitStatus
    /// What happened, with the file, key or name it is about. Absent when the command has already said everything.
    let message: String?
    /// What to do about it.
    let help: String?
    /// The one command that mends it, if there is one.
    var command: String?

    /// For a command that has already said everything.
    init(_ status: ExitStatus) { (self.status, message, help) = (status, nil, nil) }

    init(_ status: ExitStatus, _ message: String, help: String) {
        (self.status, self.message, self.help) = (status, message, help)
    }

    /// A name that does not exist.
    ///
    /// - Parameters:
    ///   - known: the names that do. The nearest one is proposed.
    ///   - help: what to do if none is near.
    init(
        _ status: ExitStatus, _ message: String, for name: String, among known: some Sequence<String>, help: String
    ) {
        let near = suggestion(for: name, among: known).map { "did you mean '\($0)'?" }
        self.init(status, message, help: near ?? help)
    }

    /// Throws if a path may be the address of a database, which nobody must see.
    ///
    /// - Parameter name: what it is the path of.
    static func require(path: String, _ name: String) throws(CommandFailure) {
        // It usually comes from a variable that is not set.
        if path.isEmpty {
            throw CommandFailure(.wrong, "\(name) has an empty name", help: "write a path")
        }
        guard PostgresSettings.isAddress(path) || PostgresSettings.isMistakenAddress(path) else { return }
        throw CommandFailure(
            .wrong, "\(name) is an address, and herald does not take it as it is",
            help: PostgresSettings.mistakenAddressHelp)
    }

    /// - Parameter file: what it is, and its path.
    static func unreadable(_ file: String) -> CommandFailure {
        CommandFailure(.wrong, "\(file) cannot be read", help: "check the path and who may read it")
    }

    /// - Parameter message: which file cannot be written.
    static func unwritable(_ message: String) -> CommandFailure {
        CommandFailure(.wrong, message, help: "check that its folder exists and who may write there")
    }

    /// A line that says what happened, and one that says what to do.
    var text: String {
        guard let message else { return "" }
        return "herald: \(Self.shown(message))\n" + (help.map { "  help: \(Self.shown($0))\n" } ?? "")
    }

    /// It may repeat what a server answered, or somebody typed.
    private static func shown(_ words: String) -> String { words.maskingSecrets.printable }

    func show() { _ = writeAll(text, to: STDERR_FILENO) }
}
