import ArgumentParser
import HeraldCore

struct NewAudience: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Make a small audience file.",
        discussion: """
            In the workspace's folder 'audiences', if it has one. Its list is a file, or comes from a database, a \
            server or a program. Never overwrites a file. On a terminal it asks for what is missing.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The audience's name, and the file's.")
    var name: String?

    @Option(help: ArgumentHelp("Where its list comes from.", valueName: "source"))
    var source: AudienceTemplate.Source?

    @Option(help: ArgumentHelp("Another file to write.", valueName: "file"), completion: .file())
    var out: String?

    func run() throws {
        let common = Common(herald.common, options)
        let name = try name ?? common.console.answer(to: "The audience's name, as in members") ?? Self.missing("NAME")
        let source = try source ?? Self.source(common.console)
        let file = try NewFile(name, in: "audiences", schema: "audience", out: out, common)
        try file.write(AudienceTemplate(name: name, source: source).draft(schema: file.schema))
        if source != .file {
            common.console.info("herald: edit it, then let 'herald fetch \(name)' bring the list\n")
        }
    }

    private static func source(_ console: Console) throws -> AudienceTemplate.Source {
        let kinds = AudienceTemplate.Source.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = console.answer(to: "Where its list comes from (\(kinds))") else {
            return try missing("--source")
        }
        guard let source = AudienceTemplate.Source(rawValue: text) else {
            throw ValidationError("'\(text)' is no source", help: "one of: \(kinds)")
        }
        return source
    }

    private static func missing<Value>(_ what: String) throws -> Value {
        throw ValidationError("\(what) is missing", help: "add it; on a terminal 'herald new audience' asks for it")
    }
}

extension AudienceTemplate.Source: ExpressibleByArgument {}
