import ArgumentParser
import HeraldStore

struct StateMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring a state of an older herald to the format of this one.",
        discussion: """
            For a state in PostgreSQL, by the owner of its schema, in one transaction: the state has its old format or \
            the new one. Older heralds cannot use it afterwards. A state in a file is upgraded by the first command that \
            changes it, too.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let isMigrated = try await context.state.migrate()
        context.console.info(
            isMigrated
                ? "herald: the state \(context.state.name) has the format of this herald now\n"
                : "herald: the state \(context.state.name) has the format of this herald already\n")
    }
}
