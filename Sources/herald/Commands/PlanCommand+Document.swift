import Foundation
import HeraldCore
import HeraldStore

extension PlanCommand {
    func document() async throws -> PlanDocument {
        // A plan with a snapshot writes nothing, not even a cache.
        let context = try CommandContext.open(
            Common(herald.common, options), lists: lists, cache: snapshot.snapshot == nil ? cache.use : nil)
        let now = Date()
        let id = "plan-\(UUID().uuidString.lowercased())"
        let scope = PlanScope(campaigns: campaign, days: days)
        if let (snapshot, remarks) = try snapshot.read(for: context) {
            let forecast = try context.files.forecast(from: snapshot, remarks, at: at?.date ?? now, scope)
            return PlanDocument(forecast, id: id, created: now, campaigns: campaign, days: days)
        }
        let state = try await KnownState.read(
            from: context.state, for: .reading, at: now, filesIn: context.files.folder.path)
        let desired =
            lists == .skip
            ? try context.files.desiredWithoutLists(besides: state.recorded)
            : try await context.files.wanted(knownTo: state, at: context.state, isForApply: false).desired
        let proposal = try context.files.proposal(desired, from: state, at: at?.date ?? now, scope)
        return PlanDocument(proposal, id: id, created: now, campaigns: campaign, days: days)
    }
}
