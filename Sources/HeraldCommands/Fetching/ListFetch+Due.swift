import Foundation
import HeraldCore
import HeraldStore

/// Which lists it is time to fetch.
extension ListFetch {
    /// All lists of a workspace that herald fetches.
    static func all(of workspace: Workspace) -> [Wanted] {
        workspace.audiences.compactMap { audience in audience.origin.map { (audience, $0) } }
    }

    /// What is known about the last list, if it still counts.
    static func last(_ wanted: Wanted, in folder: WorkspaceFolder) -> FetchedList? {
        let list = "\(folder.path)/\(FetchedList.folder)/\(wanted.audience.name.value).\(wanted.origin.format.rawValue)"
        guard FileManager.default.fileExists(atPath: list), let last = FetchedList(beside: list),
            last.origin == wanted.origin.digest
        else { return nil }
        return last
    }

    /// A list, and what is known about the last one.
    private struct Look {
        let wanted: Wanted
        /// `nil` if it does not count.
        let last: FetchedList?
        /// Whether it lacks what the files name since then.
        let isShort: Bool

        /// Whether no plan can take it.
        var isMissing: Bool { last == nil || isShort }

        /// Whether it is time to fetch it again: by `every`, or because plans refuse it. Without `every`, only a person
        /// says so.
        func isDue(at now: Date) -> Bool {
            let freshness = wanted.origin.freshness
            guard let every = freshness.every else { return false }
            guard let last, !isShort else { return true }
            // A clock that went back must not put it off.
            if last.fetched > now || last.fetched.adding(every) <= now { return true }
            // By now the source may have newer data.
            return freshness.errorAfter.map { last.age(at: now) > $0 } ?? false
        }
    }

    private static func looks(at workspace: Workspace, in folder: WorkspaceFolder) -> [Look] {
        let lists = all(of: workspace)
        let columns = lists.isEmpty ? [:] : FetchedList.columns(among: workspace.audiences)
        return lists.map { wanted in
            let last = last(wanted, in: folder)
            let named = columns[wanted.audience.name.value] ?? []
            return Look(wanted: wanted, last: last, isShort: last?.columns.map { !named.isSubset(of: $0) } ?? false)
        }
    }

    /// Those that it is time to fetch.
    static func due(of workspace: Workspace, in folder: WorkspaceFolder, at now: Date) -> [Wanted] {
        due(among: looks(at: workspace, in: folder), in: folder, at: now)
    }

    /// With each go those of its database with the same `every`, once half of that is over: what is fetched together
    /// comes from one moment, and a fetch that failed must not part them for good.
    private static func due(among lists: [Look], in folder: WorkspaceFolder, at now: Date) -> [Wanted] {
        let due = lists.filter { $0.isDue(at: now) }.map(\.wanted)
        if due.isEmpty { return [] }
        let names = Set(due.map(\.audience.name.value))
        return lists.filter { list in
            let wanted = list.wanted
            guard let every = wanted.origin.freshness.every else { return false }
            if names.contains(wanted.audience.name.value) { return true }
            return due.contains { $0.origin.freshness.every == every && areOfOneDatabase($0, wanted, in: folder) }
                && list.isDue(at: now.adding(every / 2))
        }.map(\.wanted)
    }

    private static func missing(among looks: [Look]) -> Set<String> {
        Set(looks.filter(\.isMissing).map(\.wanted.audience.name.value))
    }

    /// Audiences whose list is not there, and that no run fetches before somebody approves them.
    static func unfetched(_ common: Common) async throws -> Set<String> {
        let folder = try LoadedWorkspace.folder(common)
        let loaded = WorkspaceLoader.load(
            folder, environment: common.environment, lists: .skip, at: common.machine.now())
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { return [] }
        let missing = missing(among: looks(at: workspace, in: folder))
        if missing.isEmpty { return [] }
        let files = try LoadedWorkspace(folder, workspace, loaded)
        return try await files.unapprovedAudiences(among: missing, in: CommandContext.openSettings(common).state)
    }

    /// What a run must know of its lists.
    struct Outcome {
        /// Whether one could not be fetched.
        var hasFailed = false
        /// Audiences whose list is not there, and is not fetched before somebody approves them.
        var unfetched: Set<String> = []
    }

    /// Fetches what is due, before a run. Lists that cannot be fetched stay as they are. So do those of audiences that
    /// nobody approved, where that is required: no approver has seen the place that would be asked.
    ///
    /// - Parameter loaded: the workspace without its lists.
    static func fetchDue(
        of loaded: WorkspaceLoader.Loaded, in folder: WorkspaceFolder, _ common: Common, _ signals: Signals
    ) async throws -> Outcome {
        let now = common.machine.now()
        var outcome = Outcome()
        // The run tells the mistakes.
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { return outcome }
        let looks = Self.looks(at: workspace, in: folder)
        var due = Self.due(among: looks, in: folder, at: now)
        let missing = missing(among: looks)
        // A fetch that was killed may have left lists that no plan takes.
        let isUnfinished = FetchedList.pending(in: "\(folder.path)/\(FetchedList.folder)") != nil
        if due.isEmpty, missing.isEmpty, !isUnfinished { return outcome }
        let files = try LoadedWorkspace(folder, workspace, loaded)
        let context = try CommandContext.openSettings(common)
        let unapproved = try await files.unapprovedAudiences(
            among: missing.union(due.map(\.audience.name.value)), in: context.state)
        outcome.unfetched = missing.intersection(unapproved)
        // The plan says so of those whose list is not there.
        for name in due.map(\.audience.name.value) where unapproved.contains(name) && !missing.contains(name) {
            common.console.error(
                "herald: '\(name)' is not fetched: nobody approved the audience as it is now\n"
                    + "  help: look at where its list comes from, then approve it; until then the last list stays\n")
        }
        due.removeAll { unapproved.contains($0.audience.name.value) }
        // A run that works would stop for the new lists. For a new source it does so anyway.
        if (try? await context.state.holder()) != nil {
            let absent = Set(looks.filter { $0.last == nil }.map(\.wanted.audience.name.value))
            due.removeAll { !absent.contains($0.audience.name.value) }
            if due.isEmpty { return outcome }
        }
        if due.isEmpty, !isUnfinished { return outcome }
        try LoadedWorkspace.requireUntracked(workspace, in: folder)
        let fetch: ListFetch
        do throws(CommandFailure) { fetch = try ListFetch(files, common, signals) } catch {
            guard error.status == .locked else {
                common.console.error(error.text)
                outcome.hasFailed = true
                return outcome
            }
            common.console.info("herald: another 'herald fetch' is under way; this run takes the last lists\n")
            return outcome
        }
        defer { fetch.end() }
        outcome.hasFailed = try await fetch.fetchAll(due, keepsOthers: !unapproved.isEmpty)
        return outcome
    }

    /// Fetches lists and tells of each, and removes those that no audience has any more.
    ///
    /// - Parameter keepsOthers: whether they stay, because the files may be changed back.
    /// - Returns: Whether one was not fetched.
    func fetchAll(_ wanted: [Wanted], keepsOthers: Bool = false) async throws -> Bool {
        var hasFailed = false
        await fetch(wanted) { audience, result in
            hasFailed = FetchText.show(audience, result, on: console) || hasFailed
        }
        if signals.first != 0 {
            throw CommandFailure(
                .interrupted(signal: signals.first), "a signal stopped the fetch",
                help: "fetch again; the last lists are still there")
        }
        // After a failure, somebody may take back what they changed in the files.
        if !hasFailed, !keepsOthers { removeOthers() }
        return hasFailed
    }
}
