import Foundation
import Logging

/// What every command has: the environment and the common options, wherever they stood on the command line.
struct Common {
    let workspace: String?
    let isQuiet: Bool
    let revealsRegistrations: Bool
    let logLevel: Logger.Level
    let environment: [String: String]
    let console: Console

    init(_ before: CommonOptions, _ behind: CommonOptions) {
        workspace = behind.workspace ?? before.workspace
        isQuiet = before.quiet || behind.quiet
        revealsRegistrations = before.revealRegistrations || behind.revealRegistrations
        logLevel = behind.logLevel ?? before.logLevel ?? .warning
        environment = ProcessInfo.processInfo.environment
        console = Console(
            isQuiet: isQuiet, allowsColor: !before.noColor && !behind.noColor, environment: environment)
    }
}
