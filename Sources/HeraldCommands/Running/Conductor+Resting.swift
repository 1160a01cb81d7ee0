import Foundation
import HeraldCore
import HeraldStore

/// A run with nothing to do at FCM.
extension Conductor {
    /// What the state notes of a run that came to its end.
    func end(of report: Report, after earlier: RecordedRun?) -> RecordedRun? {
        RecordedRun(report, after: earlier, isWhole: request.scope.campaigns.isEmpty)
    }

    /// Saves what the state must know all the same, and writes a report if one was asked for.
    func rest(_ work: PlannedWork, _ state: KnownState) async throws {
        var report = blankReport(work)
        (report.result, report.finished) = (report.outcome, request.now())
        var recorded = state.recorded
        if isReal {
            let store = try await existingOrNew(state)
            if !state.exists { console.info("herald: made the state \(context.state.name)\n") }
            // Saved so that the next run finds these recipients' numbers.
            try await record(work, in: store)
            let end = self.end(of: report, after: recorded.lastRun).map { StateChange.end(of: $0) } ?? []
            let changes =
                work.course.bookkeeping(at: request.now()) + state.applying + end
                + tellingBegin(recorded, at: report.started)
            let isEffect = changes.contains(where: \.isEffect)
            try await store.commit(changes + (isEffect ? [.newStamp()] : []))
            recorded.apply(changes)
            if isEffect {
                recorded.stamps = try await store.history().stamps
                report.state = recorded.version
                witness(recorded.history)
            }
        }
        request.events?.plan(report, held: work.plan.held)
        if request.tellsRest { tellRest(work) }
        // A report that names the state's stamp shows when an older copy of the state takes its place.
        let hasReport = request.reportPath != nil || report.state != nil
        if hasReport { _ = try openFiles(report) }
        if let store = state.store {
            var proposal = work.course.proposal
            // What a person lets through is refused no more.
            proposal.plan.refusals = work.course.leftOut
            await noteNews(of: report, request.scope.campaigns.isEmpty ? proposal : nil, in: store, recorded)
        }
        writeMetrics(report, state.recorded.lastDrift)
        request.ended(report)
        // What guards left out is told already.
        if report.result == .refused, report.unapproved.isEmpty { throw CommandFailure(.refused) }
        if let failure = failure(of: report, hasReport: hasReport, signal: 0) { throw failure }
    }

    private func tellRest(_ work: PlannedWork) {
        let plan = work.plan
        for warning in work.course.proposal.overview.warnings { console.info("herald: \(warning)\n") }
        // A pause needs nobody: somebody wanted it.
        let held = plan.held.filter { $0.kind != .paused || !console.isQuiet }
        for held in held.prefix(10) {
            console.error("herald: \(held.occurrence) is held: \(held.reason); \(held.resolve)\n")
        }
        if held.count > 10 {
            console.error("herald: \(held.count - 10) more are held; 'herald plan' names them\n")
        }
        console.info("\(work.document.conclusion)\n")
    }
}
