import ArgumentParser
import FCM
import FCMClient
import FCMEmulator
import HeraldCore
import HeraldStore

/// The one place that knows which exit status each module's errors mean.
extension CommandFailure {
    /// `nil` for errors that are not ours, such as the argument parser's.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StateError: self.init(error.isLock ? .locked : .wrong, error.description, help: error.help)
        case let error as PostgresAddressError: self.init(.wrong, error.description, help: error.help)
        case let error as RecipientIndexError: self.init(.wrong, error.description, help: error.help)
        case let error as FCMClientError: self.init(.wrong, error.description, help: error.help)
        case let error as ProxyError: self.init(.wrong, error.description, help: error.help)
        case let error as TokenError: self.init(error)
        case let error as EmulatorError: self.init(.wrong, error.description, help: error.help)
        case let problem as SavedPlan.Problem:
            self.init(problem, in: problem == .unreadable ? "the file" : "the plan")
        default: return nil
        }
    }

    /// The exit code that an error ends the command with.
    static func code(of error: any Error) -> Int32 {
        CommandFailure(error)?.status.code ?? Herald.exitCode(for: error).rawValue
    }

    /// The failure of a command that met an error which is not one of herald's own.
    init(blaming error: any Error) {
        self =
            CommandFailure(error)
            ?? CommandFailure(
                .wrong, Herald.message(for: error),
                help: "run the command again; if it ends like this again, report it with this message")
    }

    /// - Parameters:
    ///   - who: lost the lock.
    ///   - help: What to do if nobody knows why.
    init(lost lock: (any StateLock)?, by who: String, help: String) {
        let message = "\(who) lost the lock of the state and stopped"
        guard let loss = lock?.loss else {
            self.init(.failed, message, help: help)
            return
        }
        self.init(.failed, "\(message): \(loss)", help: loss.help)
    }

    private init(_ error: TokenError) {
        var help = error.help
        if case .refused(let code, _, nil) = error, SignInCode(rawValue: code) != nil {
            help = "'herald explain \(code)' tells what it means and what to do"
        }
        self.init(.wrong, error.description, help: help)
    }

    /// - Parameters:
    ///   - name: What is read: a file's path, where several could be meant.
    ///   - help: What to name instead of a file that is no plan.
    init(
        _ problem: SavedPlan.Problem, in name: String, help: String = "name a file of 'herald plan --out'"
    ) {
        switch problem {
        case .unreadable: self.init(.wrong, "\(name) is no plan of herald's", help: help)
        case .ofSnapshot:
            self.init(
                .wrong, "\(name) was made from a snapshot, which can be shown and not applied",
                help: "run 'herald plan --out FILE' where the state is, and apply that")
        case .altered: self.init(.stalePlan, "\(name) was altered after it was saved", help: Self.planAgain)
        case .expired(let instant):
            self.init(.stalePlan, "\(name) expired at \(instant.rfc3339)", help: Self.planAgain)
        case .early(let instant):
            self.init(
                .stalePlan, "\(name) is for \(instant.rfc3339), which has not come",
                help: "apply it then, or plan without --at")
        case .used: self.init(.stalePlan, "\(name) was applied before", help: Self.planAgain)
        case .stale:
            self.init(.stalePlan, "the files or the state changed since the plan was saved", help: Self.planAgain)
        }
    }

    private static let planAgain = "plan again with 'herald plan --out FILE', look at it, and apply that"
}

extension StateError {
    fileprivate var isLock: Bool { if case .locked = self { true } else { false } }
}
