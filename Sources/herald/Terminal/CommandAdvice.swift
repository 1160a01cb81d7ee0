import ArgumentParser
import HeraldCore

/// Says which command was meant when its name was mistyped.
enum CommandAdvice {
    /// - Parameters:
    ///   - message: what the argument parser says.
    ///   - arguments: those of the program.
    static func improved(_ message: String, _ arguments: [String]) -> String {
        var command: any ParsableCommand.Type = Herald.self
        for (place, word) in arguments.enumerated() where !word.hasPrefix("-") {
            let inner = command.configuration.subcommands
            guard !inner.isEmpty, isComplete(arguments[..<place]) else { continue }
            if let known = inner.first(where: { name(of: $0) == word }) {
                command = known
            } else {
                let near = suggestion(for: word, among: inner.map { name(of: $0) })
                let usage = message.drop { $0 != "\n" }
                return "Error: there is no command '\(word)'" + (near.map { "; did you mean '\($0)'?" } ?? "") + usage
            }
        }
        return message
    }

    /// Whether the next word would be a command's name, and no option's value: the parser takes the words before it as
    /// they are. Its errors do not tell which word is wrong.
    private static func isComplete(_ words: ArraySlice<String>) -> Bool {
        do { _ = try Herald.parseAsRoot(Array(words)) } catch { return Herald.exitCode(for: error).isSuccess }
        return true
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}
