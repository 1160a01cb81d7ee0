import Foundation
import HeraldCore
import HeraldStore

extension CommandContext {
    /// What readers call the workspace. A folder that is a whole repository has no name that is the same everywhere.
    private var shownName: String {
        let name = files.folder.name(settings)
        return name == "." ? settings.project : name
    }

    /// The workspace as a site.
    func site(_ options: SnapshotOptions, at now: Date) async throws -> Site {
        guard let zone = Zone(named: settings.timezone) else {
            throw CommandFailure(
                .wrong, "this machine does not know the time zone '\(settings.timezone)'", help: "install tzdata")
        }
        let (source, standing) = try await standing(options, at: now)
        let scope = PlanScope(days: Site.days(from: now, in: zone), upcoming: .long)
        let proposal = try await files.runProposal(from: source, at: now, clock: machine.now(), scope)
        let status = StatusDocument(proposal, standing, workspace: shownName)
        var site = Site(status, of: workspace.campaigns, texts: try workspace.shownTexts(), zone: zone)
        switch source {
        case .snapshot(let snapshot, _): (site.snapshot, site.runs) = (snapshot, snapshot.runs)
        case .state(let known, let location) where known.exists:
            site.snapshot = StateSnapshot(known.recorded, tombstones: 0, at: now)
            site.reports = SavedReports(in: location.reports).reports(of: known.recorded.identity.lineage)
        case .state, .files: break
        }
        if let last = standing.lastRun, !site.runs.contains(where: { $0.run == last.run }) { site.runs.append(last) }
        site.changes = files.recentChanges(at: now, common.environment)
        return site
    }
}
