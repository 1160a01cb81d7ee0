import ArgumentParser
import HeraldCore

struct Herald: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "herald",
        abstract: "Push campaigns for Firebase Cloud Messaging, planned from files and applied once.",
        discussion: """
            A workspace is a folder with herald.yaml and YAML files that declare audiences, topics, device groups and \
            campaigns. 'plan' shows what 'apply' would do; 'apply' does it and remembers that it did; 'run' is 'apply' \
            for cron.
            """,
        version: "\(Self.version) (tzdata \(Zone.databaseVersion ?? "unknown"))",
        subcommands: [
            Init.self, New.self, Convert.self, Validate.self, Fetch.self, PlanCommand.self, StatusCommand.self,
            NotifyCommand.self, Review.self, PreviewCommand.self, CalendarCommand.self, SiteCommand.self, Doctor.self,
            Approve.self, Apply.self, Run.self, Work.self, TestCommand.self, Pause.self, Resume.self, State.self,
            Groups.self, Drift.self, Import.self, Feedback.self,
            ReportCommand.self, EmulatorCommand.self, Explain.self,
        ])

    static let version = "0.1.0"

    @OptionGroup var common: CommonOptions

    /// Parses a command and runs it. Its arguments come without the program's name.
    static func run(_ arguments: [String]) async throws {
        try await run(try await asyncParseAsRoot(arguments))
    }

    /// Runs a parsed command.
    static func run(_ parsed: sending any ParsableCommand) async throws {
        var command = parsed
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
