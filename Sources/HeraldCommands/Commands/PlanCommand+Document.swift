import Foundation
import HeraldCore
import HeraldStore

extension PlanCommand {
    func document() async throws -> PlanDocument {
        // A plan with a snapshot writes nothing, not even a cache.
        let common = Common(herald.common, options)
        let now = common.machine.now()
        // As the document writes it: 'apply' plans again for that time.
        let time = (at?.date ?? now).inWholeSeconds
        let context = try CommandContext.open(
            common, lists: lists, at: time, cache: snapshot.snapshot == nil ? cache.use : nil)
        context.files.tellAges(at: at?.date ?? now, on: common.console)
        var document = try await context.files.document(
            from: try await source(in: context, now), at: time, created: common.machine.now(),
            PlanScope(campaigns: campaign, days: days))
        document.compare(with: try base.map { try context.files.comparison(with: $0, context.common.environment) })
        return document
    }

    private func source(in context: CommandContext, _ now: Date) async throws -> PlanSource {
        if let (snapshot, remarks) = try snapshot.read(of: context.stateOwner) {
            return .snapshot(snapshot, remarks: remarks)
        }
        let state = try await KnownState.read(
            from: context.state, for: .reading, at: now, filesIn: context.files.folder.path)
        return .state(state, at: context.state)
    }
}
