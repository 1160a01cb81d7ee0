import FCM
import Foundation
import HeraldCore

/// What a command asks of a run: all in which `apply`, `run` and `test` differ.
struct RunRequest {
    let goal: Goal
    /// Names the run, and its report.
    let id: String
    /// The instant that counts as now, which `--at` may shift.
    var now: @Sendable () -> Date = { Date() }
    /// The plan that was approved when it was saved, and must still be true.
    var saved: SavedPlan?
    var guards: Guards = .stop(Overrides())
    /// Whether a person is asked before anything changes.
    var asks = false
    var shows: PlanShowing = .never
    /// What to do where another run has the state; absent where the state is only read.
    var ifLocked: LockedState?
    /// Whether it is wrong that there is no state yet.
    var requiresState = false
    var mode = RunMode.apply
    /// Whether to do also what comes due while the run goes on.
    var looksAgain = false
    /// Whether a run with nothing to do says so, and names what is held.
    var tellsRest = false
    var reportPath: String?
    var receiptsPath: String?
    var metricsPath: String?
    /// Those that were listened for from the start; absent where a signal before the first request may end everything.
    var signals: Signals?

    enum Goal {
        /// What files and state ask for.
        case workspace(PlanScope)
        /// A campaign's message to a few registrations.
        case test(Campaign, on: [RecipientID: Registration])
    }

    /// What becomes of a plan that guards refuse.
    enum Guards {
        /// Nothing is done unless a person let them all through.
        case stop(Overrides)
        /// What they refuse is left out, and the rest is done.
        case leaveOut

        var overrides: Overrides {
            if case .stop(let overrides) = self { overrides } else { Overrides() }
        }
    }

    /// When the plan is shown, unless it is to be quiet.
    enum PlanShowing {
        case always, whenNotEmpty, never
    }

    init(_ goal: Goal, begin: Date = Date()) {
        self.goal = goal
        let stamp = begin.rfc3339.filter { $0 != "-" && $0 != ":" }
        id = "\(stamp)-\(UUID().uuidString.lowercased().prefix(4))"
    }

    /// Recipients of each campaign that a dry run checks; absent in earnest.
    var dryRunSample: Int? { if case .dryRun(let sample) = mode { sample } else { nil } }

    var scope: PlanScope {
        if case .workspace(let scope) = goal { scope } else { PlanScope() }
    }
}
