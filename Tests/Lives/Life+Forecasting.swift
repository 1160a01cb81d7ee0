import FCM
import HeraldTestSupport

@testable import HeraldCommands
@testable import HeraldCore

extension Life {
    /// What a reviewer sees who has the files and a snapshot, held against what the plan of the server says.
    func checkForecast() async throws {
        // Without a state nobody knows who is in a follow-up.
        if files.campaigns.contains(where: { $0.follows != nil }) { return }
        let (proposal, desired, files) = try await plan(at: now)
        // A snapshot does not know for which folder the last run was, nor who approved what.
        if proposal.plan.refusals.contains(where: { $0.kind == .otherWorkspace }) { return }
        if proposal.plan.isHeldUnapproved || !isApproved { return }
        try await succeed(["state", "snapshot", "--out", folder.snapshot])
        let snapshot = try SnapshotDocument(reading: folder.readSnapshot()).snapshot
        let (settings, recorded) = (files.workspace.settings, known.state.snapshot)
        // Where there is a snapshot instead of a state, no list cache is used either.
        let reviewed = try Machine.$current.withValue(machine(for: newRun(LifeFate()))) {
            try CommandContext.open(Common(workspace: currentFolder)).files
        }
        let listed = try Resolver.desired(of: reviewed.workspace, ListedRecipients(reviewed.recipientIndex))
        let forecast = Planner.forecast(from: snapshot, of: listed, settings, in: reviewed.workspace, at: now)
        try check(ForecastComparison(proposal, of: desired, forecast, of: listed, from: snapshot))
        var skipped = Planner.Input(
            desired: desired.withoutMembers, state: recorded, settings: settings, listsSkipped: true)
        skipped.workspace = files.workspace
        try check(
            ForecastComparison(
                Planner.proposal(skipped, at: now), of: skipped.desired,
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

extension Plan.Send {
    /// Those of its members whose row has moved since a run fixed their wave: by its zone of now, their clock has not come
    /// to the occurrence, or it came to it before that wave. Seeds go by no zone.
    func movedSinceTheirWave(in desired: Desired, at now: Date) -> RecipientSet {
        guard let waves, let wanted = desired.sends.first(where: { $0.campaign.name.value == campaign }),
            let local = wanted.campaign.schedule.local
        else { return [] }
        let schedule = wanted.campaign.schedule
        let fixed = members.intersection(waves.reached.all).subtracting(waves.fresh).subtracting(seeds)
        return wanted.zones(of: fixed, by: local.field, else: schedule.zone).reduce(into: []) { moved, clock in
            let instant = schedule.reaching(waves.local, in: clock.key).instant
            let isKept = { (wave: Date) in instant <= now && wave <= instant }
            moved.formUnion(clock.value.subtracting(waves.reached.union(of: waves.reached.states.filter(isKept))))
        }
    }
}
