import ArgumentParser
import Foundation
import HeraldCore

@main
enum Program {
    static func main() async {
        // Who closes the pipe that a result goes into has seen enough; that is no reason to die in the middle of a run.
        signal(SIGPIPE, SIG_IGN)
        await Herald.main()
    }
}

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
            Init.self, New.self, Validate.self, PlanCommand.self, PreviewCommand.self, CalendarCommand.self,
            Apply.self, Run.self, TestCommand.self, Pause.self, Resume.self, State.self, ReportCommand.self,
            EmulatorCommand.self, Explain.self,
        ])

    static let version = "0.1.0"

    @OptionGroup var common: CommonOptions
}

/// Options of every command; they stand before or behind the command's name.
struct CommonOptions: ParsableArguments {
    @Option(
        name: [.customShort("w"), .long],
        help: "The workspace: the folder with herald.yaml (default: the nearest one upwards).",
        completion: .directory)
    var workspace: String?

    @Flag(help: "Only errors and what was asked for: no plan or summary beside an apply.")
    var quiet = false

    @Flag(name: .customLong("no-color"), help: "No colours.")
    var noColor = false

    @Flag(help: "Show registrations in clear, in reports too.")
    var revealRegistrations = false
}

/// The common options, wherever on the command line they stood.
struct Common {
    var workspace: String?
    var isQuiet: Bool
    var revealsRegistrations: Bool
    var console: Console

    init(_ before: CommonOptions, _ behind: CommonOptions) {
        workspace = behind.workspace ?? before.workspace
        isQuiet = before.quiet || behind.quiet
        revealsRegistrations = before.revealRegistrations || behind.revealRegistrations
        console = Console(isQuiet: isQuiet, allowsColor: !before.noColor && !behind.noColor)
    }
}
