import ArgumentParser
import HeraldCore

/// Says which command was meant when its name was mistyped.
enum CommandAdvice {
    /// - Parameters:
    ///   - message: what the argument parser says.
    ///   - arguments: those of the program.
    static func improved(_ message: String, _ arguments: some Sequence<String>) -> String {
        var command: any ParsableCommand.Type = Herald.self
        for argument in arguments where !argument.hasPrefix("-") {
            let inner = command.configuration.subcommands
            if let known = inner.first(where: { name(of: $0) == argument }) {
                command = known
            } else if !inner.isEmpty, message.contains(/nexpected arguments?:? .*/), message.contains("'\(argument)'") {
                let near = suggestion(for: argument, among: inner.map { name(of: $0) })
                let rest = message.drop { $0 != "\n" }
                return "Error: there is no command '\(argument)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
                    + rest
            }
        }
        return message
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}
