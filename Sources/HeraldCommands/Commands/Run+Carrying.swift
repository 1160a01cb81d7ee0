import HeraldCore
import Synchronization

/// One run: the lists that are due first, then everything else, told to whoever watches.
extension Run {
    func once(_ common: Common, _ signals: Signals) async throws {
        let folder = try LoadedWorkspace.folder(common)
        let files = WorkspaceLoader.load(
            folder, environment: common.environment, lists: .skip, at: common.machine.now())
        var request = request(common, signals)
        if let metrics { try FileKind.metrics.requireReplaceable(metrics) }
        request.events = try events.map { try EventLog(to: $0, run: request.id, common) }
        let heartbeat = Heartbeat(files.workspace?.settings, common)
        let (run, log) = (request, request.events)
        try await heartbeat.around { ended in
            try await log.around {
                try await metering(run, files.workspace?.settings, common) { hasEnded in
                    try await carryOut(run, files, in: folder, common, signals) { report in
                        hasEnded()
                        ended(report)
                    }
                }
            }
        }
    }

    /// A run that could not do its work has figures of its own, too. Whoever has the lock writes those of that run.
    ///
    /// - Parameter settings: those of the workspace, as far as they can be read.
    private func metering(
        _ request: RunRequest, _ settings: Settings?, _ common: Common,
        _ run: (_ hasEnded: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let hasEnded = Mutex(false)
        do { try await run { hasEnded.withLock { $0 = true } } } catch {
            if let path = metrics, let settings, !hasEnded.withLock(\.self),
                CommandFailure(blaming: error).status != .locked
            {
                MetricsFile.noteFailure(in: path, project: settings.project, at: request.now(), common.console)
            }
            throw error
        }
    }

    private func carryOut(
        _ request: RunRequest, _ files: WorkspaceLoader.Loaded, in folder: WorkspaceFolder, _ common: Common,
        _ signals: Signals, ended: @escaping @Sendable (Report) -> Void
    ) async throws {
        var request = request
        request.ended = ended
        let context: CommandContext
        do {
            let lists = try await ListFetch.fetchDue(of: files, in: folder, common, signals)
            request.isUnfetched = lists.hasFailed
            context = try CommandContext.open(common, cache: cache.use, without: lists.unfetched)
        } catch {
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
