import FCM
import Foundation
import HeraldCore

/// What a command asks of a run: everything in which `apply`, `run` and `test` differ. It has many parts, because the
/// commands have many options.
struct RunRequest {
    let goal: Goal
    /// Names the run and its report.
    let id: String
    /// The current time, which `--at` may shift.
    var now: @Sendable () -> Date
    /// The saved plan that was approved. It must still match what would be planned now.
    var saved: SavedPlan?
    /// The plan whose files were approved. They must still decide the same.
    var approved: Approved?
    var guards: GuardPolicy = .stop(Overrides())
    /// Whether a person must approve before anything changes.
    var asks = false
    var shows: PlanShowing = .never
    /// What to do if another run holds the lock; absent if the state is only read.
    var ifLocked: LockedState?
    /// Whether a missing state is an error.
    var requiresState = false
    var mode = RunMode.apply
    /// Whether the run also does what comes due while it goes on.
    var looksAgain = false
    /// Whether a run with nothing to do says so, and names what is held.
    var tellsRest = false
    var reportPath: String?
    var receiptsPath: String?
    var metricsPath: String?
    /// Whether a list could not be fetched before the run, so that the run is no success whatever it does.
    var isUnfetched = false
    /// What people are told once the lock is free.
    let telling = Telling()
    /// Where to write what happens as it happens.
    var events: EventLog?
    /// Told the report of a run that came to its end, before the command ends.
    var ended: @Sendable (Report) -> Void = { _ in }
    /// Signals that were listened for from the start. If absent, a signal before the first request may end the process.
    var signals: Signals?

    enum Goal {
        /// What the files ask for, compared with the state.
        case workspace(PlanScope)
        /// A campaign's message to a few registrations. A personal one has a text for each.
        case test(Campaign, on: [RecipientID: Registration], texts: [RecipientID: ChosenText] = [:])
    }

    struct Approved {
        let plan: ApprovedPlan
        /// Where it is from.
        let path: String
    }

    /// When the plan is shown, unless `--quiet` is given.
    enum PlanShowing {
        case always, whenNotEmpty, never
    }

    /// - Parameters:
    ///   - now: the current time.
    ///   - begin: when the command began. By default now.
    init(_ goal: Goal, now: @escaping @Sendable () -> Date, begin: Date? = nil) {
        (self.goal, self.now) = (goal, now)
        let stamp = (begin ?? now()).rfc3339.filter { $0 != "-" && $0 != ":" }
        // Workspaces whose runs begin in one second may tell one database, which tells them apart by this.
        id = "\(stamp)-\(UUID().uuidString.lowercased().prefix(8))"
    }

    /// How many recipients of each campaign a dry run checks; absent in a real run.
    var dryRunSample: Int? { if case .dryRun(let sample) = mode { sample } else { nil } }

    var scope: PlanScope {
        if case .workspace(let scope) = goal { scope } else { PlanScope() }
    }
}
