import ArgumentParser
import HeraldStore

struct StateLockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Show which run holds the state's lock.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.state.require()
        let holder = try await context.state.holder()
        context.console.result((holder ?? "no run holds the lock") + "\n")
    }
}
