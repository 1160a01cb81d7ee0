import ArgumentParser
import FCM
import HeraldCore

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what a campaign puts on phones, and the request that does it.",
        discussion: """
            Offline. The request is the one a run would make at the campaign's next time, of many recipients the \
            first one's.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign; needed where there are several.")
    var campaign: String?

    @Flag(help: "Every campaign.")
    var all = false

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Option(help: "Only this kind of device: ios, android or web.")
    var platform: Platform?

    func validate() throws {
        if campaign != nil, all { throw ValidationError("--all and a campaign's name exclude each other") }
    }

    func run() async throws {
        let context = try CommandContext.open(Common(herald.common, options), about: campaign)
        let previews = try await previews(in: context)
        let style = context.console.output
        if let preview = previews.first, !all {
            context.console.result(PreviewDocument(preview).rendered(as: format, style))
        } else {
            context.console.result(PreviewsDocument(previews).rendered(as: format, style))
        }
    }
}
