import Foundation
import Logging

/// What every command has: the environment and the common options, wherever they stood on the command line.
struct Common {
    let workspace: String?
    let isQuiet: Bool
    let revealsRegistrations: Bool
    let logLevel: Logger.Level
    let machine: Machine
    let console: Console

    var environment: [String: String] { machine.environment }

    /// - Parameter isQuiet: whether it is as with `--quiet` in any case.
    init(_ before: CommonOptions, _ behind: CommonOptions, isQuiet: Bool = false) {
        self.init(
            workspace: behind.workspace ?? before.workspace, isQuiet: isQuiet || before.quiet || behind.quiet,
            allowsColor: !before.noColor && !behind.noColor,
            revealsRegistrations: before.revealRegistrations || behind.revealRegistrations,
            logLevel: behind.logLevel ?? before.logLevel ?? .warning)
    }

    /// - Parameter workspace: the folder with herald.yaml. `nil` for the nearest one upwards.
    init(
        workspace: String?, isQuiet: Bool = false, allowsColor: Bool = false, revealsRegistrations: Bool = false,
        logLevel: Logger.Level = .warning
    ) {
        (self.workspace, self.isQuiet, self.revealsRegistrations) = (workspace, isQuiet, revealsRegistrations)
        self.logLevel = logLevel
        machine = .current
        console = Console(
            isQuiet: isQuiet, allowsColor: allowsColor, environment: machine.environment, write: machine.write)
    }
}
