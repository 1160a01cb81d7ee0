import Foundation
import HeraldCore

/// A workspace that was read, and whose settings have no errors.
struct LoadedWorkspace {
    let folder: WorkspaceFolder
    let workspace: Workspace
    /// The recipients that its lists name.
    let recipientIndex: RecipientIndex
    /// A digest of the files' names and contents; see `WorkspaceLoader.Loaded.digest`.
    let digest: String
    let listDigests: [String: String]
    /// What is known about lists that `herald fetch` brought, by their audience.
    let fetched: [String: FetchedList]
    /// Shows whether the files changed since; absent where that does not matter.
    let watched: WatchedFiles?
    /// Errors of files besides herald.yaml, for commands that need only its settings. All others end at an error.
    let mistakes: [Diagnostic]
    /// What the files decide, without the places of lists.
    private let written: [Definition]
    /// The cache of lists that did not change; `nil` if every list is read.
    let cacheFiles: ListCacheFiles?

    init(
        _ folder: WorkspaceFolder, _ workspace: Workspace, _ loaded: WorkspaceLoader.Loaded,
        watched: WatchedFiles? = nil
    ) throws {
        self.folder = folder
        self.workspace = workspace
        recipientIndex = try loaded.recipientIndex?.get() ?? .empty
        digest = loaded.digest()
        (listDigests, fetched, cacheFiles) = (loaded.listDigests, loaded.fetched, loaded.cacheFiles)
        (self.watched, written) = (watched, loaded.definitions)
        mistakes = loaded.diagnostics.filter { $0.severity == .error }
    }

    /// Finds the workspace's folder.
    static func folder(_ common: Common) throws -> WorkspaceFolder {
        if let path = common.workspace {
            guard let folder = WorkspaceFolder(at: path) else {
                throw CommandFailure(
                    .wrong, "there is no herald.yaml in \(path)",
                    help: "name the workspace's folder after -w; 'herald init' makes one")
            }
            return folder
        }
        guard let folder = WorkspaceFolder(above: FileManager.default.currentDirectoryPath) else {
            throw CommandFailure(
                .wrong, "there is no herald.yaml here or in a folder above",
                help: "go to the workspace's folder or name it with -w; 'herald init' makes one")
        }
        return folder
    }

    /// Reads the workspace; its errors end the command, its warnings do not.
    ///
    /// - Parameters:
    ///   - time: What filters compare with.
    ///   - campaign: Only warnings about it and what it uses are shown.
    ///   - unfetched: Audiences whose list is not there, and that wait for it.
    static func read(
        _ common: Common, lists: ListPolicy, at time: Date, cache: CacheUse?, about campaign: String?,
        without unfetched: Set<String> = []
    ) throws -> LoadedWorkspace {
        let (folder, begin) = (try folder(common), HostName.nanoseconds)
        let loaded = WorkspaceLoader.load(
            folder, environment: common.environment, lists: lists, at: time, without: unfetched
        ) { settings in
            guard let cache, lists == .required else { return nil }
            return ListCacheFiles(
                beside: settings.cachePath(in: folder, common.environment), host: HostName.current,
                version: Herald.version, isRead: cache == .use, now: { HostName.nanoseconds })
        }
        // Errors of any file end the command, so all of them are shown.
        let shown = loaded.diagnostics.hasErrors ? nil : campaign.map { loaded.diagnostics(about: $0) }
        show(shown ?? loaded.diagnostics, of: loaded, on: common.console)
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { throw CommandFailure(.wrong) }
        try requireUntracked(workspace, in: folder)
        return try LoadedWorkspace(
            folder, workspace, loaded, watched: loaded.watched(in: folder, since: begin))
    }

    /// Reads the workspace for commands that need only its settings, such as `pause`: mistakes elsewhere must not stop
    /// them.
    static func readSettings(_ common: Common) throws -> LoadedWorkspace {
        let folder = try folder(common)
        let loaded = WorkspaceLoader.load(
            folder, environment: common.environment, lists: .skip, at: common.machine.now())
        let wrong = loaded.diagnostics.filter {
            $0.severity == .error && $0.range.file == WorkspaceFolder.settingsFile
        }
        guard let workspace = loaded.workspace, wrong.isEmpty else {
            show(wrong, of: loaded, on: common.console)
            throw CommandFailure(.wrong)
        }
        return try LoadedWorkspace(folder, workspace, loaded)
    }

    private static func show(
        _ diagnostics: [Diagnostic], of loaded: WorkspaceLoader.Loaded, on console: Console
    ) {
        let shown = console.isQuiet ? diagnostics.filter { $0.severity == .error } : diagnostics
        if shown.isEmpty { return }
        console.error(DiagnosticsDocument(shown, sources: loaded.sources).text(console.errors))
    }
}

extension LoadedWorkspace {
    /// What the files decide. Lists may have come to other places since they were read.
    private var definitions: [Definition] { written.with(folder.places(ofListsOf: workspace)) }

    /// What a reviewer of the files approves.
    ///
    /// - Parameter desired: Whose sizes are told with it. Without lists, sizes are not known.
    func approval(of desired: Desired? = nil) -> Approval {
        var approval = Approval(
            definitions, suppress: Set(workspace.settings.suppress.map(\.value)), unfetched: workspace.unfetched)
        if let desired, !workspace.listsSkipped { approval.sizes = desired.sizes }
        return approval
    }

    /// What the files change against the commit where HEAD left another branch.
    ///
    /// - Parameter reference: a branch, a tag or a commit.
    func comparison(with reference: String, _ environment: [String: String]) throws -> PlanDocument.Comparison {
        let base = try BaseWorkspace(reference, of: folder, environment)
        return PlanDocument.Comparison(
            base: base.commit, changes: WorkspaceChange.between(base.definitions, definitions),
            warnings: base.warnings, earlier: base.diagnostics)
    }

    /// The campaign with that name.
    func campaign(named name: String) throws -> Campaign {
        if let campaign = workspace.campaigns.first(where: { $0.name.value == name }) { return campaign }
        throw CommandFailure(
            .wrong, "no file declares campaign '\(name)'", for: name, among: workspace.campaigns.map(\.name.value),
            help: "name a campaign of the workspace's files")
    }

    /// The plan that files and state give at an instant.
    ///
    /// - Parameters:
    ///   - clock: the machine's own time. By default that instant.
    ///   - overrides: what a person lets go on that a guard stopped in an earlier run.
    ///   - underWay: what a run is sending.
    ///   - policy: what becomes of what guards refuse.
    func proposal(
        _ desired: Desired, from state: KnownState, at now: Date, clock: Date? = nil, _ scope: PlanScope,
        overrides: Overrides = Overrides(), underWay: [Plan.Send] = [], policy: GuardPolicy = .stop(Overrides())
    ) throws -> Proposal {
        for name in scope.campaigns { _ = try campaign(named: name) }
        // Whoever may change the files must not be able to end what a person began. What has no list for want of an
        // approval waits, also if a person ended approvals meanwhile.
        let isRequired =
            workspace.settings.approval.isRequired || !state.recorded.approvals.isEmpty
            || !workspace.unfetched.isEmpty
        var input = Planner.Input(
            desired: desired, state: state.recorded, hasState: state.exists, settings: workspace.settings,
            workspaceDigest: digest, onlyCampaigns: Set(scope.campaigns), days: scope.days,
            listsSkipped: workspace.listsSkipped, reportedSerial: state.reportedSerial,
            lostStamp: state.lostStamp, hasMoved: state.hasMoved, isElsewhere: state.isElsewhere,
            checkout: state.checkout,
            approval: isRequired && scope.heedsApproval ? approval(of: desired) : nil, overrides: overrides)
        (input.underWay, input.policy, input.workspace) = (underWay, policy, workspace)
        input.judgedAudiences = workspace.audiencesJudged(for: input.onlyCampaigns)
        input.staleLists = staleLists(at: now)
        if let upcoming = scope.upcoming { input.upcoming = upcoming }
        (input.person, input.clock) = (scope.person, clock)
        return Planner.proposal(input, at: now)
    }
}
