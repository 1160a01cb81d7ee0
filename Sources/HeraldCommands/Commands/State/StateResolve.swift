import ArgumentParser
import HeraldCore

struct StateResolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Settle what herald does not decide by itself.",
        discussion: """
            For recipients who may or may not have got it: --accept, --resend or --abandon. For an occurrence that is \
            half done and held: --continue with what the file says now, or --abandon. For refused recipients: --retry \
            with the code that 'state show' names. For outcomes that a run could not write: --from its report.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The occurrence, as 'plan' and 'state show' name it. --from takes all of the report without it.")
    var occurrence: String?

    @Flag(help: "Those who may have got it did.")
    var accept = false

    @Flag(help: "Those who may have got it are sent it again, by the next apply or run.")
    var resend = false

    @Flag(help: "It is over, whoever may be left.")
    var abandon = false

    @Flag(name: .customLong("continue"), help: "It goes on with the message and time that the file has now.")
    var goOn = false

    @Option(help: ArgumentHelp("Those who were refused with this code are tried again.", valueName: "code"))
    var retry: String?

    @Option(
        help: ArgumentHelp("Outcomes that this report has and the state lacks are added.", valueName: "report"),
        completion: .file())
    var from: String?

    func validate() throws {
        let chosen = [accept, resend, abandon, goOn, retry != nil, from != nil].filter(\.self).count
        if chosen != 1 {
            throw ValidationError(
                chosen == 0 ? "nothing says how to settle it" : "only one way to settle it is possible at a time",
                help: "add one of --accept, --resend, --abandon, --continue, --retry CODE, --from REPORT")
        }
        if occurrence == nil, from == nil {
            throw ValidationError("no occurrence is named", help: "name one, as 'herald state show' does")
        }
    }

    private var resolution: Resolution {
        if accept { return .accept }
        if resend { return .resend }
        if abandon { return .abandon }
        return retry.map { .retry(code: $0) } ?? .goOn
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        if let from { return try await context.resolve(from: from, only: occurrence) }
        try await context.resolve(OccurrenceID(rawValue: occurrence ?? ""), by: resolution)
    }
}
