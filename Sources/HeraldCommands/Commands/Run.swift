import ArgumentParser
import HeraldCore

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Apply memberships and send whatever is due, without asking: what cron calls.",
        discussion: """
            Needs a state ('herald state init' or the first apply makes one). It fetches lists that are due first. What a guard refuses is left out and the \
            rest is done. While it works it looks for sends that came due, and sends before it changes memberships that \
            no send waits for. Nothing to do is success.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions

    @Option(help: ArgumentHelp("Stay, and do it again every so often: 30s, 5m.", valueName: "time"))
    var every: SpanArgument?

    @Option(help: "When another run works on the state: fail, skip, or wait=30s.")
    var ifLocked: LockedState = .fail

    @Option(
        help: ArgumentHelp("Write figures for Prometheus' textfile collector to this file.", valueName: "file"),
        completion: .file())
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Where to write the report (default: runs/ beside the state, when there was something to do).",
            valueName: "file"), completion: .file())
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Write what happens as it happens, one JSON document a line, to the end of this file; '-' is standard output, and nothing else is written there.",
            valueName: "file"), completion: .file())
    var events: String?

    func validate() throws {
        try ValidationError.require(
            every.map { $0.duration >= .seconds(1) } ?? true, "--every is less than a second", help: "write 1s or more")
    }

    func run() async throws {
        let common = Common(herald.common, options, isQuiet: events == "-")
        let signals = common.machine.signals(common.console)
        guard let every else { return try await once(common, signals) }
        try await signals.repeating(every: every.duration) { try await once(common, signals) }
    }

    private func once(_ common: Common, _ signals: Signals) async throws {
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
