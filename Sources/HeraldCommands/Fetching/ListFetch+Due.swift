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

    /// Whether it is time to fetch it again: by `every`, or because plans refuse it. Without `every`, only a person says so.
    ///
    /// - Parameter columns: those of each list that the files name.
    private static func isDue(
        _ wanted: Wanted, naming columns: [String: Set<String>], in folder: WorkspaceFolder, at now: Date
    ) -> Bool {
        let freshness = wanted.origin.freshness
        guard let every = freshness.every else { return false }
        guard let last = last(wanted, in: folder) else { return true }
        // A clock that went back must not put it off.
        if last.fetched > now || last.fetched.adding(every) <= now { return true }
        // It may lack what the files name since then.
        let named = columns[wanted.audience.name.value] ?? []
        if let known = last.columns, !named.isSubset(of: known) { return true }
        // By now the source may have newer data.
        return freshness.errorAfter.map { last.age(at: now) > $0 } ?? false
    }

    /// Those that it is time to fetch. With each go those of its database with the same `every`, once half of that is
    /// over: what is fetched together comes from one moment, and a fetch that failed must not part them for good.
    static func due(of workspace: Workspace, in folder: WorkspaceFolder, at now: Date) -> [Wanted] {
        let lists = all(of: workspace)
        let columns = lists.isEmpty ? [:] : FetchedList.columns(among: workspace.audiences)
        let due = lists.filter { isDue($0, naming: columns, in: folder, at: now) }
        if due.isEmpty { return [] }
        let names = Set(due.map(\.audience.name.value))
        return lists.filter { list in
            guard let every = list.origin.freshness.every else { return false }
            if names.contains(list.audience.name.value) { return true }
            return due.contains { $0.origin.freshness.every == every && areOfOneDatabase($0, list, in: folder) }
                && isDue(list, naming: columns, in: folder, at: now.adding(every / 2))
        }
    }

    /// Fetches what is due, before a run. Lists that cannot be fetched stay as they are.
    ///
    /// - Parameter loaded: the workspace without its lists.
    /// - Returns: Whether one was not fetched.
    static func fetchDue(
        of loaded: WorkspaceLoader.Loaded, in folder: WorkspaceFolder, _ common: Common, _ signals: Signals
    ) async throws -> Bool {
        let now = common.machine.now()
        // The run tells the mistakes.
        guard let workspace = loaded.workspace, !loaded.diagnostics.hasErrors else { return false }
        var due = Self.due(of: workspace, in: folder, at: now)
        // A fetch that was killed may have left lists that no plan takes.
        let isUnfinished = FetchedList.pending(in: "\(folder.path)/\(FetchedList.folder)") != nil
        if due.isEmpty, !isUnfinished { return false }
        // A run that works would stop for the new lists. For a new source it does so anyway.
        if await isBusy(common) {
            due = due.filter { last($0, in: folder) == nil }
            if due.isEmpty { return false }
        }
        try LoadedWorkspace.requireUntracked(workspace, in: folder)
        let fetch: ListFetch
        do { fetch = try ListFetch(try LoadedWorkspace(folder, workspace, loaded), common, signals) } catch {
            guard let failure = error as? CommandFailure else { throw error }
            guard failure.status == .locked else {
                common.console.error(failure.text)
                return true
            }
            common.console.info("herald: another 'herald fetch' is under way; this run takes the last lists\n")
            return false
        }
        defer { fetch.end() }
        return try await fetch.fetchAll(due)
    }

    /// Whether a run works on the state.
    private static func isBusy(_ common: Common) async -> Bool {
        guard let context = try? CommandContext.openSettings(common) else { return false }
        return (try? await context.state.holder()) != nil
    }

    /// Fetches lists and tells of each, and removes those that no audience has any more.
    ///
    /// - Returns: Whether one was not fetched.
    func fetchAll(_ wanted: [Wanted]) async throws -> Bool {
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
        if !hasFailed { removeOthers() }
        return hasFailed
    }
}
