import ArgumentParser
import Foundation

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
