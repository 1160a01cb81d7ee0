import ArgumentParser
import FCMClient
import Foundation
import HeraldCore

extension Apply {
    func validate() throws {
        let names = Guard.allCases.map(\.rawValue).joined(separator: ", ")
        try ValidationError.require(
            Overrides(overrides) != nil, "--override names no guard",
            help: "write GUARD or GUARD=NAME; the guards are: \(names)")
        try ValidationError.require(
            sample == nil || dryRun, "--sample is only for a dry run", help: "add --dry-run, or leave out --sample")
        if plan == nil { return }
        try ValidationError.require(
            campaign.isEmpty, "a saved plan has its own campaigns", help: "leave out --campaign, or plan with it")
        try ValidationError.require(approved == nil, "a saved plan is its own approval", help: "leave out --approved")
        try ValidationError.require(at == nil, "a saved plan has its own time", help: "leave out --at")
    }

    func request(in context: CommandContext) throws -> RunRequest {
        let begin = context.machine.now()
        let now = try clock(in: context)
        let saved = try savedPlan()
        // Checked first, so that nobody is asked to override guards for a run that cannot sign in.
        _ = try context.destination.credential()
        let scope = PlanScope(
            campaigns: saved?.campaigns ?? campaign,
            days: saved?.days ?? PlanDocument.usualDays, heedsApproval: saved != nil || !dryRun)
        var request = RunRequest(.workspace(scope), now: now, begin: begin)
        request.saved = saved
        request.approved = try approved.map { RunRequest.Approved(plan: try ApprovedPlan(at: $0), path: $0) }
        request.guards = .stop(Overrides(overrides) ?? Overrides())
        request.asks = saved == nil && approved == nil && !autoApprove && !dryRun
        request.shows = .always
        request.ifLocked = dryRun ? nil : .fail
        if dryRun { request.mode = .dryRun(sample: sample?.count ?? SampleArgument.usual) }
        request.reportPath = report
        request.receiptsPath = receipts
        return request
    }

    /// The current time. With `--at`, a clock that always shows that time: what is due is due throughout the run.
    private func clock(in context: CommandContext) throws -> @Sendable () -> Date {
        guard let at = at?.date else { return context.machine.now }
        let endpoint = context.destination.endpoint
        guard dryRun || endpoint.isLoopback else {
            throw CommandFailure(
                .usage, "--at is for a dry run or an endpoint on this machine, not for \(endpoint)",
                help: "leave out --at, or add --dry-run")
        }
        return { at }
    }

    private func savedPlan() throws -> SavedPlan? {
        guard let plan else { return nil }
        guard let bytes = FileManager.default.contents(atPath: plan) else {
            throw CommandFailure.unreadable("the plan \(plan)")
        }
        do throws(SavedPlan.Problem) { return try SavedPlan(reading: Array(bytes)) } catch {
            throw CommandFailure(error, in: plan)
        }
    }
}
