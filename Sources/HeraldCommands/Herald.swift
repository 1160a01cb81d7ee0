import ArgumentParser
import Foundation
import HeraldCore

/// The program `herald`.
package enum HeraldProgram {
    /// Runs what the command line says, and ends the process where that fails.
    package static func main() async {
        // A reader that closes the pipe has seen enough. That must not kill herald in the middle of a run.
        signal(SIGPIPE, SIG_IGN)
        StandardStreams.replaceClosed()
        var failures: [CommandFailure] = []
        do { try await Herald.run(Array(CommandLine.arguments.dropFirst())) } catch {
            guard let failure = CommandFailure(error) else { exitAsParser(error) }
            failures.append(failure)
        }
        if let failure = StandardStreams.failure { failures.append(failure) }
        guard let first = failures.first else { return }
        for failure in failures { failure.show() }
        Herald.exit(withError: ExitCode(first.status.code))
    }

    /// What the argument parser ends with: help, the version, or wrong arguments.
    private static func exitAsParser(_ error: any Error) -> Never {
        let status = Herald.exitCode(for: error)
        if status.isSuccess { Herald.exit(withError: error) }
        let message = Herald.fullMessage(for: error)
        if status == .validationFailure, !message.isEmpty {
            let advice = CommandAdvice(message, Array(CommandLine.arguments.dropFirst()))
            _ = writeAll((advice?.description ?? message).maskingSecrets + "\n", to: STDERR_FILENO)
        } else if !message.isEmpty {
            CommandFailure(blaming: error).show()
        }
        Herald.exit(withError: status)
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
