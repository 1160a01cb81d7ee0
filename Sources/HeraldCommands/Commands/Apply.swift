import ArgumentParser
import HeraldCore

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Subscribe, unsubscribe and send what the plan says.",
        discussion: """
            Shows the plan and asks first; without a terminal it needs --auto-approve or a saved plan. What was done is \
            recorded as it happens, so that a second apply, or one after a crash, does only what is missing.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var cache: CacheOptions

    @Argument(help: "A plan saved with 'plan --out'; it must still be true.", completion: .file())
    var plan: String?

    @Option(
        help: ArgumentHelp("Do not ask if the files still decide what this plan (JSON) says.", valueName: "file"),
        completion: .file())
    var approved: String?

    @Option(help: ArgumentHelp("Only this campaign and its target (repeatable).", valueName: "name"))
    var campaign: [String] = []

    @Flag(help: "Do not ask.")
    var autoApprove = false

    @Option(
        name: .customLong("override"), help: ArgumentHelp("Let a guard pass (repeatable).", valueName: "guard[=name]"))
    var overrides: [String] = []

    @Flag(help: "Let FCM check the messages and deliver none; the state stays untouched.")
    var dryRun = false

    @Option(help: "How many recipients of each campaign a dry run checks: a number (default: 100), or 'all'.")
    var sample: SampleArgument?

    @Option(
        help: ArgumentHelp("Take this for now; only for a dry run or an endpoint on this machine.", valueName: "time"))
    var at: TimeArgument?

    @Option(
        help: ArgumentHelp("Where to write the report (default: runs/ beside the state).", valueName: "file"),
        completion: .file())
    var report: String?

    @Option(
        help: ArgumentHelp("Add every accepted message's id to this file, one JSON object a line.", valueName: "file"),
        completion: .file())
    var receipts: String?

    func run() async throws {
        let context = try CommandContext.open(Common(herald.common, options), cache: cache.use)
        try await Conductor(context: context, request: try request(in: context)).conduct()
    }
}
