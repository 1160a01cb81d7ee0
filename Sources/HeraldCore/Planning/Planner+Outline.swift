/// Plans that are made from the files alone.
extension Planner {
    /// What the files ask for where neither the state nor a snapshot is at hand. Guards that need one refuse nothing.
    package static func outline(
        of desired: Desired, _ settings: Settings, workspaceDigest: String = "", onlyCampaigns: Set<String> = [],
        days: Int = 7, listsSkipped: Bool = false, at now: Date
    ) -> Proposal {
        let nobody = RecordedState.Identity(lineage: "", project: "", endpoint: .other, created: now)
        let input = Input(
            desired: desired, state: RecordedState(identity: nobody), hasState: false, settings: settings,
            workspaceDigest: workspaceDigest, onlyCampaigns: onlyCampaigns, days: days, listsSkipped: listsSkipped)
        var proposal = proposal(input, at: now)
        proposal.plan.refusals.removeAll { $0.kind.needsState }
        proposal.overview.unjudged = Guard.allCases.filter { !$0.isOfRuns }.compactMap { kind in
            if kind.needsState {
                return UnjudgedGuard(kind: kind, reason: "there is neither a state nor a snapshot here")
            }
            return listsSkipped ? UnjudgedGuard(kind: kind, reason: "the lists were not read") : nil
        }
        return proposal
    }
}

extension Guard {
    /// Whether it compares the files with what was done before.
    fileprivate var needsState: Bool { self != .maxRecipients }
}
