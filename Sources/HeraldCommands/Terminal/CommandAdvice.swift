import ArgumentParser
import HeraldCore

/// What herald says of wrong arguments: what is wrong, what to do, and how the command is called.
struct CommandAdvice: CustomStringConvertible {
    private var problem: String
    private var help: String?
    private var usage: String

    /// - Parameters:
    ///   - message: what the argument parser says, beginning with "Error: ".
    ///   - arguments: those of the program.
    init?(_ message: String, _ arguments: [String]) {
        guard message.hasPrefix("Error: ") else { return nil }
        let text = message.dropFirst("Error: ".count)
        let usage = text.firstRange(of: "\nUsage: ")?.lowerBound ?? text.endIndex
        self.usage = text[usage...].drop { $0 == "\n" }.description
        let parts = text[..<usage].split(separator: "\n  help: ", maxSplits: 1)
        let lines = (parts.first ?? "").split(separator: "\nHelp:  ", maxSplits: 1)
        let sentences = (lines.first ?? "").split(
            separator: /\. (?:Please provide )?(?=Did you mean|one of)/, maxSplits: 1)
        problem = Self.lowercased(sentences.first ?? "")
        if let near = Self.misspelt(arguments) {
            (problem, help) = (near.problem, near.help)
        } else if parts.count > 1 {
            // Our own. The parser may have put the meaning of the option behind it.
            help = parts[1].split(separator: "\nHelp:  ", maxSplits: 1).first.map(String.init)
        } else if sentences.count > 1 {
            let advice = Self.lowercased(sentences[1])
            help = advice.hasPrefix("one of") ? "write \(advice.dropLast())" : advice
        } else if lines.count > 1 {
            help = String(lines[1].replacing("  ", with: ": "))
        }
        if help == nil, let see = self.usage.firstMatch(of: /\n  See ('[^']*') for more information\./) {
            help = "\(see.1) lists what it takes"
            self.usage.removeSubrange(see.range)
        }
    }

    var description: String {
        "herald: \(problem)\n" + (help.map { "  help: \($0)\n" } ?? "") + usage
    }

    /// The parser begins its sentences with a capital letter.
    private static func lowercased(_ sentence: Substring) -> String {
        guard sentence.dropFirst().first?.isUppercase == false else { return String(sentence) }
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    /// A command's name that does not exist, and the one that was meant.
    private static func misspelt(_ arguments: [String]) -> (problem: String, help: String?)? {
        var command: any ParsableCommand.Type = Herald.self
        for (place, word) in arguments.enumerated() where !word.hasPrefix("-") {
            let inner = command.configuration.subcommands
            guard !inner.isEmpty, isComplete(arguments[..<place]) else { continue }
            if let known = inner.first(where: { name(of: $0) == word }) {
                command = known
            } else {
                let near = suggestion(for: word, among: inner.map { name(of: $0) })
                return ("there is no command '\(word)'", near.map { "did you mean '\($0)'?" })
            }
        }
        return nil
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
