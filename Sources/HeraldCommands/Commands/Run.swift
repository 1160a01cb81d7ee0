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
}
