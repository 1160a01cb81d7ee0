import ArgumentParser
import HeraldCore

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain a rule of 'validate', or a code of a report.",
        discussion: """
            Rules are the words in brackets of a diagnostic, codes what a report says of a failure. Without a name all \
            are listed.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: ArgumentHelp("Such as topic-name or UNREGISTERED.", valueName: "name"))
    var name: String?

    /// What can be explained, as it is written.
    private enum Subject {
        case rule(Rule)
        case code(CodeExplanation)

        init?(_ name: String) {
            if let rule = Rule(rawValue: name.lowercased()) {
                self = .rule(rule)
            } else if let code = CodeExplanation(name) {
                self = .code(code)
            } else {
                return nil
            }
        }

        static let names = Rule.allCases.map(\.rawValue) + CodeExplanation.names

        var text: String {
            switch self {
            case .rule(let rule):
                var lines = ["\(rule.rawValue) (\(rule.severity.rawValue))", "", rule.meaning]
                if rule.severity == .warning {
                    lines.append(
                        "A comment '# herald: allow \(rule.rawValue) REASON' on its line, or above it, silences it.")
                }
                let examples = "Examples: docs/reference/rules.md#\(rule.rawValue)"
                return (lines + ["", examples]).joined(separator: "\n") + "\n"
            case .code(let code):
                let lines = [code.name, "", code.meaning, code.consequence, code.remedy, code.diagnosis].compactMap(
                    \.self)
                return lines.joined(separator: "\n") + "\n"
            }
        }
    }

    func validate() throws {
        guard let name, Subject(name) == nil else { return }
        let near = suggestion(for: name, among: Subject.names).map { "did you mean '\($0)'?" }
        throw ValidationError(
            "there is no rule and no code '\(name)'", help: near ?? "'herald explain' without a name lists them")
    }

    func run() throws {
        let console = Common(herald.common, options).console
        if let subject = name.flatMap(Subject.init) {
            console.result(subject.text)
        } else {
            console.result(Subject.names.joined(separator: "\n") + "\n")
        }
    }
}
