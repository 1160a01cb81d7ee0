import ArgumentParser
import HeraldStore

struct StateUnlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Take the lock from a run, so that it writes nothing more.",
        discussion: """
            For a state in PostgreSQL, when a run cannot be ended. A lock without a sign of life ends by itself after \
            30 seconds. Requests that the run has in flight still reach FCM; their outcomes stay unknown, and the next \
            run does not send to those recipients. A lock on a file ends with its process.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: .init("The run that holds the lock, as 'state lock' names it.", valueName: "run"))
    var holder: String

    @Flag(help: "Do not ask.")
    var autoApprove = false

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.state.require()
        try context.confirm("Take the lock from run \(holder)?", isApproved: autoApprove)
        try await context.state.takeLock(from: holder)
        context.console.info(
            "herald: run \(holder) can write nothing more; what it has in flight is unknown, see 'herald state show'\n")
    }
}
