import ArgumentParser
import Foundation
import HeraldStore

struct StateBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the state to a file, also while a run works on it.",
        discussion: """
            'cp' is no substitute: it can copy the file without what was written last. The copy holds the registrations \
            in clear, and only you can read it. docs/how-to/state.md says how to restore one.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The new file; an existing one is never replaced.", completion: .file())
    var file: String

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try CommandFailure.require(path: file, "the backup")
        let path = file.absolute(in: nil)
        // A link counts as a file, even if it leads nowhere.
        guard (try? FileManager.default.attributesOfItem(atPath: path)) == nil else {
            throw CommandFailure(
                .wrong, "\(file) exists already, and a backup replaces no file", help: "name another file")
        }
        try await context.state.backUp(to: path)
        context.console.info("herald: copied the state \(context.state.name) to \(file)\n")
    }
}
