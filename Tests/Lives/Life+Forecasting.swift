import FCM
import HeraldTestSupport

@testable import HeraldCommands
@testable import HeraldCore

extension Life {
    /// What a reviewer sees who has the files and a snapshot, held against what the plan of the server says.
    func checkForecast() async throws {
        let (proposal, desired, files) = try await plan(at: now)
        // A snapshot does not know for which folder the last run was.
        if proposal.plan.refusals.contains(where: { $0.kind == .otherWorkspace }) { return }
        try await succeed(["state", "snapshot", "--out", folder.snapshot])
        let snapshot = try SnapshotDocument(reading: folder.readSnapshot()).snapshot
        let (settings, recorded) = (files.workspace.settings, known.state.snapshot)
        // Where there is a snapshot instead of a state, no list cache is used either.
        let reviewed = try Machine.$current.withValue(machine(for: newRun(LifeFate()))) {
            try CommandContext.open(Common(workspace: currentFolder)).files
        }
        let listed = try Resolver.desired(of: reviewed.workspace, ListedRecipients(reviewed.recipientIndex))
        let forecast = Planner.forecast(from: snapshot, of: listed, settings, in: reviewed.workspace, at: now)
        try check(ForecastComparison(proposal, forecast, of: listed, from: snapshot))
        var skipped = Planner.Input(
            desired: desired.withoutMembers, state: recorded, settings: settings, listsSkipped: true)
        skipped.workspace = files.workspace
        try check(
            ForecastComparison(
                Planner.proposal(skipped, at: now),
                Planner.forecast(
                    from: snapshot, of: listed.withoutMembers, settings, in: reviewed.workspace, listsSkipped: true,
                    at: now),
                of: listed.withoutMembers, from: snapshot))
    }

    private func check(_ comparison: ForecastComparison) throws(LifeProblem) {
        guard let difference = comparison.differences.first else { return }
        throw LifeProblem(promise: "a snapshot shows what the state shows", words: difference)
    }
}

extension Desired {
    /// As if the lists had not been read.
    var withoutMembers: Desired {
        var desired = Desired()
        desired.audienceSizes = audienceSizes.mapValues { _ in 0 }
        desired.topics = topics.map {
            DesiredTopic(
                name: $0.name, members: [], prune: $0.prune, isOfApp: $0.isOfApp, previousNames: $0.previousNames)
        }
        desired.groups = groups.map { DesiredGroup(name: $0.name, members: []) }
        desired.sends = sends.map {
            DesiredSend(campaign: $0.campaign, members: $0.members == .target ? .target : [])
        }
        return desired
    }
}
