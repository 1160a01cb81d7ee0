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
        case let error as StateError: self.init(error)
        case let error as PostgresAddressError: self.init(.wrong, error.description)
        case let error as RecipientIndexError: self.init(.wrong, error.description)
        case let error as FCMClientError: self.init(.wrong, error.description)
        case let error as ProxyError: self.init(.wrong, error.description)
        case let error as TokenError: self.init(.wrong, error.description)
        case let error as EmulatorError: self.init(.wrong, error.description)
        case let problem as SavedPlan.Problem: self.init(problem)
        default: return nil
        }
    }

    private init(_ error: StateError) {
        if case .locked = error {
            self.init(
                .locked, error.description,
                help: "wait until it ends, or use --if-locked wait; 'herald state lock' tells who holds it")
        } else {
            self.init(.wrong, error.description)
        }
    }

    private init(_ problem: SavedPlan.Problem) {
        switch problem {
        case .unreadable: self.init(.wrong, "the file is no plan of herald's")
        case .ofSnapshot:
            self.init(
                .wrong,
                "the plan was made from a snapshot, which can be shown and not applied; run 'herald plan --out' where the state is"
            )
        case .altered: self.init(.stalePlan, "the plan was altered after it was saved", help: Self.planAgain)
        case .expired(let instant):
            self.init(.stalePlan, "the plan expired at \(instant.rfc3339)", help: Self.planAgain)
        case .early(let instant):
            self.init(
                .stalePlan, "the plan is for \(instant.rfc3339), which has not come",
                help: "apply it then, or plan without --at")
        case .used: self.init(.stalePlan, "the plan was applied before", help: Self.planAgain)
        case .stale:
            self.init(.stalePlan, "the files or the state changed since the plan was saved", help: Self.planAgain)
        }
    }

    private static let planAgain = "plan again with 'herald plan --out FILE', look at it, and apply that"
}
