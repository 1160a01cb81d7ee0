import Foundation
import HeraldCore
import HeraldStore

/// What a plan for readers is made from.
enum PlanSource {
    case state(KnownState, at: any StateLocation)
    /// A snapshot of the state, and what is to be said about it.
    case snapshot(StateSnapshot, remarks: [String])
    /// The files alone.
    case files
}

extension LoadedWorkspace {
    /// A plan for readers, with the approval that covers it.
    ///
    /// - Parameter created: the machine's own time.
    func document(
        from source: consuming PlanSource, at now: Date, created: Date, _ scope: PlanScope
    ) async throws -> PlanDocument {
        let (proposal, desired) = try await proposal(from: source, at: now, clock: created, scope)
        var document = PlanDocument(
            proposal, id: "plan-\(UUID().uuidString.lowercased())", created: created, campaigns: scope.campaigns,
            days: scope.days)
        document.approval = approval(of: desired)
        (document.workspace, document.declared) = (folder.name(workspace.settings), workspace.campaigns)
        document.texts = try workspace.shownTexts()
        return document
    }

    /// What a run would do now, where guards stop only what they refuse.
    ///
    /// - Parameter clock: the machine's own time. By default now.
    func runProposal(
        from source: consuming PlanSource, at now: Date, clock: Date? = nil, _ scope: PlanScope = PlanScope()
    ) async throws -> Proposal {
        var proposal = try await proposal(from: source, at: now, clock: clock, scope, policy: .leaveOut).proposal
        proposal.plan = proposal.plan.withholding(proposal.plan.refusals, in: workspace)
        return proposal
    }

    /// A plan for readers, and the recipients that it was made for.
    ///
    /// - Parameter clock: the machine's own time. By default now.
    func proposal(
        from source: consuming PlanSource, at now: Date, clock: Date? = nil, _ scope: PlanScope,
        policy: GuardPolicy = .stop(Overrides())
    ) async throws -> (proposal: Proposal, desired: Desired) {
        for name in scope.campaigns { _ = try campaign(named: name) }
        let desired: Desired
        let proposal: Proposal
        switch source {
        case .state(let state, let location):
            desired =
                workspace.listsSkipped
                ? try desiredWithoutLists(besides: state.recorded)
                : try await wanted(knownTo: state, at: location, isForApply: false).desired
            var planned = try self.proposal(desired, from: state, at: now, clock: clock, scope, policy: policy)
            // Nobody is asked where no run can be: that needs a second connection to a shared state.
            if state.recorded.begunRun != nil, let holder = try? await location.holder() {
                planned.overview.warnings.insert(
                    "\(holder) is at work; whom it is sending to now shows as unknown until it ends", at: 0)
            }
            planned.overview.unjudged += state.unjudged
            proposal = planned
        case .snapshot(let snapshot, let remarks):
            desired = try Resolver.desired(of: workspace, ListedRecipients(recipientIndex))
            // A snapshot of an older herald does not say what was approved.
            let isRequired = snapshot.approvals.map { workspace.settings.approval.isRequired || !$0.isEmpty } ?? false
            proposal =
                Planner.forecast(
                    from: snapshot, of: desired, workspace.settings, in: workspace, policy: policy,
                    workspaceDigest: digest,
                    approval: isRequired && scope.heedsApproval ? approval(of: desired) : nil,
                    onlyCampaigns: Set(scope.campaigns),
                    judgedAudiences: workspace.audiences(decidingOf: Set(scope.campaigns)), days: scope.days,
                    upcoming: scope.upcoming, listsSkipped: workspace.listsSkipped, remarks: remarks, at: now,
                    clock: clock
                ).proposal
        case .files:
            desired = try Resolver.desired(of: workspace, ListedRecipients(recipientIndex))
            proposal = Planner.outline(
                of: desired, workspace.settings, workspaceDigest: digest, onlyCampaigns: Set(scope.campaigns),
                days: scope.days, listsSkipped: workspace.listsSkipped, at: now)
        }
        return (proposal, desired)
    }
}

extension WorkspaceFolder {
    /// What readers call it: by the workspace's own name, or by its folder in the repository.
    func name(_ settings: Settings?) -> String {
        // Under review it may be a variable that is not replaced.
        if let name = settings?.workspace, Settings.isWorkspaceName(name) { return name }
        guard let root = GitCommit.root(of: path), path.hasPrefix("\(root)/") else { return "." }
        return String(path.dropFirst(root.count + 1))
    }
}
