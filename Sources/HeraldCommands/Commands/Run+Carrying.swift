import HeraldCore

/// One run: the lists that are due first, then everything else, told to whoever watches.
extension Run {
    func once(_ common: Common, _ signals: Signals) async throws {
        let folder = try LoadedWorkspace.folder(common)
        let files = WorkspaceLoader.load(
            folder, environment: common.environment, lists: .skip, at: common.machine.now())
        var request = request(common, signals)
        request.events = try events.map { try EventLog(to: $0, run: request.id, common) }
        let heartbeat = Heartbeat(files.workspace?.settings, common)
        let (run, log) = (request, request.events)
        try await heartbeat.around { ended in
            try await log.around { try await carryOut(run, files, in: folder, common, signals, ended: ended) }
        }
    }

    private func carryOut(
        _ request: RunRequest, _ files: WorkspaceLoader.Loaded, in folder: WorkspaceFolder, _ common: Common,
        _ signals: Signals, ended: @escaping @Sendable (Report) -> Void
    ) async throws {
        var request = request
        request.ended = ended
        request.isUnfetched = try await ListFetch.fetchDue(of: files, in: folder, common, signals)
        let context: CommandContext
        do { context = try CommandContext.open(common, cache: cache.use) } catch {
            await Conductor.tellFailure(error, files.workspace?.settings, request, common)
            throw error
        }
        try await Conductor(context: context, request: request).conduct()
        // The fetch has said why.
        if request.isUnfetched { throw CommandFailure(.failed) }
    }

    private func request(_ common: Common, _ signals: Signals) -> RunRequest {
        var request = RunRequest(.workspace(PlanScope()), now: common.machine.now)
        request.guards = .leaveOut
        request.shows = .whenNotEmpty
        request.ifLocked = ifLocked
        request.requiresState = true
        request.looksAgain = true
        request.tellsRest = true
        request.reportPath = report
        request.metricsPath = metrics
        request.signals = signals
        return request
    }
}

extension Heartbeat? {
    fileprivate func around(
        _ run: (_ ended: @escaping @Sendable (Report) -> Void) async throws -> Void
    ) async throws {
        guard let self else { return try await run { _ in } }
        try await self.around(run)
    }
}

extension EventLog? {
    fileprivate func around(_ run: () async throws -> Void) async throws {
        guard let self else { return try await run() }
        try await self.around(run)
    }
}
