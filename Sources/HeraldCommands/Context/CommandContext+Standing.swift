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
            standing = .init(lastRun: snapshot.lastRun, every: every)
            (standing.checkup, standing.workers) = (snapshot.checkup, snapshot.workers)
            standing.isRunning = snapshot.isRunning
            standing.lists = files.listAges(of: snapshot.lists, at: now)
        } else {
            // A run that is at work now may end while the state is read.
            let wasRunning = (try? await state.holder()) != nil
            let known = try await KnownState.read(from: state, for: .reading, at: now, filesIn: files.folder.path)
            standing = .init(lastRun: known.recorded.lastRun, every: every)
            if let store = known.store {
                standing.reports = try await unwrittenReports(in: store, known.recorded)
                standing.isRunning = try await state.holder() != nil
                standing.workers = try await workers()
                if !wasRunning, !standing.isRunning { standing.unendedRun = known.recorded.begunRun }
            } else {
                standing.workers = []
            }
            standing.checkup = CheckupFile(self).read()
            standing.lists = files.listAges(of: files.knownLists, at: now)
            source = .state(known, at: state)
        }
        return (source, standing)
    }

    /// Who works on the state, in words.
    private func workers() async throws -> [String] {
        let crew = try await state.crew().map(\.text)
        return crew.isEmpty ? try await [state.holder()].compactMap(\.self) : crew
    }

    /// A snapshot of the state, with what `status` and the site show besides.
    func snapshot(of store: any StateStore) async throws -> StateSnapshot {
        var snapshot = try await StateSnapshot.take(from: store, at: machine.now())
        let lineage = snapshot.identity.lineage
        snapshot.runs = SavedReports(in: state.reports).reports(of: lineage).compactMap { RecordedRun($0.report) }
        snapshot.lists = files.knownLists
        snapshot.checkup = CheckupFile(self).read()
        snapshot.workers = try await workers()
        return snapshot
    }
}
