import Foundation

/// What every command has: the environment and the common options, wherever they stood on the command line.
struct Common {
    let workspace: String?
    let isQuiet: Bool
    let revealsRegistrations: Bool
    let environment: [String: String]
    let console: Console

    init(_ before: CommonOptions, _ behind: CommonOptions) {
        workspace = behind.workspace ?? before.workspace
        isQuiet = before.quiet || behind.quiet
        revealsRegistrations = before.revealRegistrations || behind.revealRegistrations
        environment = ProcessInfo.processInfo.environment
        console = Console(
            isQuiet: isQuiet, allowsColor: !before.noColor && !behind.noColor, environment: environment)
    }
}
