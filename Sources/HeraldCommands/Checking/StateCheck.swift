import Foundation
import HeraldCore
import HeraldStore

/// Whether the state can be used, who uses it now, and when a run last did.
struct StateCheck {
    let location: any StateLocation
    /// How often cron calls `run`.
    let runEvery: Duration
    let now: Date

    /// What the state holds; `nil` if there is none, or if it cannot be used.
    struct Found {
        let result: CheckResult
        let recorded: RecordedState?
    }

    func look() async -> Found {
        let store: (any StateStore)?
        let recorded: RecordedState?
        let holder: String?
        do {
            store = try await location.openIfPresent(for: .reading)
            recorded = try await store?.snapshot()
            holder = try await location.holder()
        } catch {
            return Found(result: Self.result(of: error), recorded: nil)
        }
        guard let recorded else {
            return Found(
                result: .warning(
                    .state, "there is no state at \(location.name) yet",
                    fix: "Run 'herald state init', or let the first apply make it. If there was one, look at "
                        + "`state` in herald.yaml and at HERALD_STATE."), recorded: nil)
        }
        do { try await location.requireChanging() } catch {
            return Found(result: Self.result(of: error), recorded: recorded)
        }
        let run = recorded.lastRun?.finished
        let found = "\(location.name): \(location.keeping); \(Self.words(run, now))"
        if let holder {
            return Found(
                result: .warning(
                    .state, "\(found); in use by \(holder)",
                    fix: "Wait until that run ends. If its machine is gone, see 'herald state unlock'."),
                recorded: recorded)
        }
        return Found(result: result(found, lastRun: run), recorded: recorded)
    }

    /// If this many runs in a row are missing, nothing calls `run`.
    private static let missingRuns = 10.0

    private func result(_ found: String, lastRun: Date?) -> CheckResult {
        guard let lastRun, now.timeIntervalSince(lastRun) > max(86_400, runEvery.seconds * Self.missingRuns) else {
            return .ok(.state, found)
        }
        return .warning(
            .state, found,
            fix: "Look at what calls 'herald run': `runner.every` says every \(runEvery.roughText).")
    }

    private static func words(_ run: Date?, _ now: Date) -> String {
        guard let run else { return "no run yet" }
        return "last run \(Duration.seconds(max(0, now.timeIntervalSince(run).rounded())).roughText) ago"
    }

    private static func result(of error: any Error) -> CheckResult {
        let failure = CommandFailure(blaming: error)
        return .error(.state, failure.message ?? "", fix: failure.help?.asSentence ?? "")
    }
}
