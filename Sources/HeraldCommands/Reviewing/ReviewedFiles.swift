import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore

/// A workspace that nobody has reviewed yet. Its files decide neither which files are read, nor where herald connects,
/// nor what of the environment is shown.
struct ReviewedFiles {
    let common: Common
    let folder: WorkspaceFolder
    let loaded: WorkspaceLoader.Loaded

    /// - Parameter time: What filters compare with.
    init(_ common: Common, lists: ListPolicy, at time: Date) throws {
        self.common = common
        let found = try LoadedWorkspace.folder(common)
        folder = found.underReview(in: GitCommit.root(of: found.path) ?? found.path)
        loaded = WorkspaceLoader.load(folder, environment: common.environment, lists: lists, at: time)
        if case .failure(let problem)? = loaded.recipientIndex { throw problem }
    }

    /// Programs outside see files by their place in the repository.
    var paths: RepositoryPaths {
        RepositoryPaths(root: GitCommit.root(of: folder.path) ?? folder.path, workspace: folder.path)
    }

    /// Whether a folder that seems to be in the repository is elsewhere, because of a link.
    func leadsOut(_ path: String) -> Bool {
        let root = GitCommit.root(of: folder.path) ?? folder.path
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let isInside = { (path: String) in path == root || path.hasPrefix("\(root)/") }
        return isInside(URL(filePath: path).standardizedFileURL.path) && !isInside(resolved)
    }

    var name: String {
        if loaded.workspace == nil, let writtenName { return writtenName }
        return folder.name(loaded.workspace?.settings)
    }

    /// The workspace's name in a herald.yaml that cannot be read, such as one with marks of a merge conflict. The review
    /// keeps its one comment by it.
    private var writtenName: String? {
        guard let source = loaded.sources[WorkspaceFolder.settingsFile] else { return nil }
        let lines = String(decoding: source.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let named = lines.lazy.compactMap { $0.prefixMatch(of: #/workspace:\s+["']?([A-Za-z0-9._-]+)/#) }
        return named.map { String($0.1) }.first(where: Settings.isWorkspaceName)
    }

    var diagnostics: DiagnosticsDocument { DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources) }

    /// `nil` if there are mistakes in it.
    func workspace() throws -> LoadedWorkspace? {
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { return nil }
        return try LoadedWorkspace(folder, workspace, loaded)
    }

    /// What to plan from: a snapshot, or the state that the environment names.
    func source(of workspace: LoadedWorkspace, _ options: SnapshotOptions, at now: Date) async throws -> PlanSource {
        let owner = owner(workspace.workspace.settings)
        if let (snapshot, remarks) = try options.read(of: owner) { return .snapshot(snapshot, remarks: remarks) }
        guard let location = try workspace.workspace.settings.stateOfReview(in: folder, common),
            let store = try await location.openIfPresent(for: .inspecting)
        else { return .files }
        let recorded = try await store.snapshot()
        if let (bound, wanted) = recorded.identity.mismatch(
            project: owner.project, endpoint: owner.endpoint, workspace: owner.workspace)
        {
            throw CommandFailure(
                .wrong, "the state of HERALD_STATE belongs to \(bound), not to \(wanted)",
                help: "set HERALD_STATE to this workspace's state")
        }
        let checkout = GitHistory.checkout(at: folder.path, appliedLast: recorded.commits.last)
        var state = KnownState(store: store, recorded: recorded, checkout: checkout)
        state.hasMoved = try await location.hasMoved()
        // With a database they are in the workspace, where a pull request can bring its own.
        state.unjudged = [Guard.stateWentBack, .otherWorkspace].map {
            UnjudgedGuard(kind: $0, reason: "a review does not read the reports of runs")
        }
        return .state(state, at: location)
    }

    /// What the files say without the environment. A variable could mean anything.
    private func owner(_ settings: Settings) -> StateOwner {
        func written(_ text: String?) -> String? { text.flatMap { $0.contains("${") ? nil : $0 } }
        let isEmulated = !common.environment["FCM_EMULATOR_HOST", default: ""].isEmpty
        let endpoint = written(settings.fcm.endpoint).flatMap { (try? Endpoint($0)).map { EndpointKind($0.place) } }
        return StateOwner(
            project: written(settings.project), endpoint: isEmulated ? .emulator : endpoint,
            workspace: written(settings.workspace))
    }
}
