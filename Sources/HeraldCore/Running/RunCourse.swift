/// What a run does of its plan, and what the state learns besides the steps' own outcomes. Every run that works on a
/// state takes this course, from the plan that was worked out to what is recorded at its end.
package struct RunCourse: Sendable {
    /// Without what guards leave out.
    package let proposal: Proposal
    /// What guards leave out. The rest is done.
    package let leftOut: [GuardRefusal]
    /// What nobody overrode: because of it nothing may be done.
    package let blocking: [GuardRefusal]
    private let workspace: Workspace
    private let sizes: [String: Int]

    package var plan: Plan { proposal.plan }

    /// - Parameter sizes: how many recipients the files give to each audience.
    package init(_ proposal: Proposal, _ policy: GuardPolicy, in workspace: Workspace, sizes: [String: Int]) {
        let refusals = proposal.plan.refusals
        leftOut = policy.leftOut(refusals)
        switch policy {
        case .stop(let overrides):
            blocking = refusals.filter { !overrides.allow($0.kind, for: $0.name) && !$0.kind.leavesOut }
        case .leaveOut:
            blocking = refusals.filter(\.kind.isOfEverything)
        }
        self.proposal = Proposal(proposal.plan.withholding(leftOut, in: workspace), proposal.overview)
        (self.workspace, self.sizes) = (workspace, sizes)
    }

    /// What is due by now, of a plan made while the run goes on.
    package func rest(of proposal: Proposal) -> Plan {
        proposal.plan.withholding(proposal.plan.refusals, in: workspace)
    }

    /// Written if there is no step to do.
    package func bookkeeping(at now: Date) -> [StateChange] { plan.bookkeeping(at: now) + closing }

    /// Written before anything is done.
    ///
    /// - Parameter recorded: the sizes in the state that the plan was made from.
    package func opening(recorded: [String: Int]) -> [StateChange] {
        plan.opening(sizes: sizes, recorded: recorded)
    }

    /// Written when nothing stopped the run: how many recipients each audience has. The size that a guard refused is
    /// not, so that the guard refuses it again.
    private var closing: [StateChange] { plan.closing(sizes: sizes) }

    /// Carries it out.
    ///
    /// - Parameters:
    ///   - state: the state that the plan was made from, with the registrations of the lists.
    ///   - blank: a report of the plan that has not begun.
    ///   - recording: what is written beside that at its end, also if it was stopped. `nil` if the state learns nothing.
    ///   - tell: called if what ends a whole run cannot be written. By then much was done, and the error must not hide it.
    package func carryOut<C: Clock>(
        from state: consuming RecordedState, _ options: RunOptions, in surroundings: Executor<C>.Surroundings,
        report blank: Report, recording: [StateChange]? = [], tell: (any Error) -> Void = { _ in }
    ) async throws -> Report where C.Duration == Duration {
        let store = surroundings.store
        let report: Report
        do {
            report = try await Executor.run(plan, from: consume state, options, in: surroundings, report: blank)
        } catch {
            await surroundings.crew?.disband()
            throw error
        }
        await surroundings.crew?.disband()
        guard let recording, !report.isUnreachable else { return report }
        // What stopped it may keep this from being written, too.
        if report.result == .interrupted {
            try? await store.commit(recording)
            return report
        }
        do { try await store.commit(closing + recording) } catch { tell(error) }
        return report
    }
}
