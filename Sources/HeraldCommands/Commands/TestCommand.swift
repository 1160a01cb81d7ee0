import ArgumentParser
import HeraldCore

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a campaign's real message to a few registrations.",
        discussion: """
            To at most 20, whatever the campaign's target, schedule and exclusions are. It is recorded as a test: the \
            campaign itself is sent to everybody all the same when it is due.

            A personal message is filled with the registration's own row if the list of the campaign's audience names \
            it, else with the audience's first sample. With --sample everybody gets that sample.
            """)

    /// The most registrations that one test may have.
    static let maximumRecipients = 20

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var text: TextOptions

    @Argument(help: "The campaign.")
    var campaign: String

    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("Tokens or fids to send to.", valueName: "registration"))
    var to: [String] = []

    @Option(help: ArgumentHelp("An audience of at most 20 to send to.", valueName: "name"))
    var audience: String?

    @Option(
        help: ArgumentHelp("Where to write the report (default: runs/ beside the state).", valueName: "file"),
        completion: .file())
    var report: String?

    func validate() throws {
        if to.isEmpty == (audience == nil) {
            throw ValidationError(
                to.isEmpty ? "nobody is named to send to" : "--to and --audience cannot be combined",
                help: "add either --to REGISTRATION or --audience NAME")
        }
        if to.count > Self.maximumRecipients {
            throw ValidationError(
                "--to has \(to.count) registrations", help: "name at most \(Self.maximumRecipients) for a test")
        }
    }

    func run() async throws {
        let context = try context()
        let campaign = try context.files.campaign(named: campaign)
        let registrations = try registrations(for: campaign, in: context.files)
        let numbered = Dictionary(uniqueKeysWithValues: registrations.enumerated().map { (RecipientID($0 + 1), $1) })
        let texts = try texts(of: campaign, for: numbered, in: context.files)
        var request = RunRequest(.test(campaign, on: numbered, texts: texts), now: context.machine.now)
        request.reportPath = report
        request.mode = .trial
        try await Conductor(context: context, request: request).conduct()
    }
}
