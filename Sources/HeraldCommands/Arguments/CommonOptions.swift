import ArgumentParser
import Logging

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

    @Option(
        help: ArgumentHelp(
            "What standard error tells of connections and sign-ins: trace, debug, info or warning (default: warning).",
            valueName: "level"),
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                throw ValidationError(
                    "there is no such level", help: "write trace, debug, info or warning")
            }
            return level
        })
    var logLevel: Logger.Level?

    @Flag(help: "Show registrations in clear, in reports too.")
    var revealRegistrations = false
}
