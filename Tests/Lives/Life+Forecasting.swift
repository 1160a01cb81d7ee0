import FCM
import HeraldTestSupport

@testable import HeraldCore

extension Life {
    /// What a reviewer sees who has the files and a snapshot, held against what the plan of the server says.
    func checkForecast(_ proposal: Proposal, _ desired: Desired, _ recorded: RecordedState, _ workspace: Workspace)
        async throws
    {
        let taken = try await StateSnapshot.take(from: store, at: now)
        let snapshot = try SnapshotDocument(reading: SnapshotDocument(taken).json.bytes()).snapshot
        let listed = try Resolver.desired(of: workspace, ListedRecipients(files.recipientIndex(of: workspace)))
        let forecast = Planner.forecast(from: snapshot, of: listed, settings, at: now)
        try check(ForecastComparison(proposal, forecast, of: listed, from: snapshot))
        let skipped = Planner.Input(
            desired: desired.withoutMembers, state: recorded, settings: settings, listsSkipped: true)
        try check(
            ForecastComparison(
                Planner.proposal(skipped, at: now),
                Planner.forecast(
                    from: snapshot, of: listed.withoutMembers, settings, listsSkipped: true, at: now),
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
