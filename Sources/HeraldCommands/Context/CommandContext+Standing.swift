import Foundation
import HeraldCore
import HeraldStore

extension CommandContext {
    /// What a plan for readers is made from, and how things stand besides.
    ///
    /// - Parameter options: a snapshot in place of the state.
    func standing(
        _ options: SnapshotOptions, at now: Date
    ) async throws -> (source: PlanSource, standing: StatusDocument.Standing) {
        let every = settings.runEvery
        var standing: StatusDocument.Standing
        let source: PlanSource
        if let (snapshot, remarks) = try options.read(of: stateOwner, at: now) {
            for remark in remarks { console.error("herald: \(remark)\n") }
            source = .snapshot(snapshot, remarks: remarks)
            standing = .init(pauses: snapshot.pauses, lastRun: snapshot.lastRun, every: every)
        } else {
            let known = try await KnownState.read(from: state, for: .reading, at: now, filesIn: files.folder.path)
            standing = .init(pauses: known.recorded.pauses, lastRun: known.recorded.lastRun, every: every)
            if known.exists {
                let holder = try await state.holder()
                standing.isRunning = holder != nil
                let crew = try await state.crew().map(\.text)
                standing.workers = crew.isEmpty ? [holder ?? "no run"] : crew
            }
            source = .state(known, at: state)
        }
        standing.lists = files.listAges(at: now)
        return (source, standing)
    }
}
