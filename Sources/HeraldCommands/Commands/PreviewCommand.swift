import ArgumentParser
import FCM
import HeraldCore

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show what a campaign puts on phones, and the request that does it.",
        discussion: """
            Offline. The request is the one a run would make at the campaign's next time, of many recipients the \
            first one's. The HTML page draws the notification as phones and browsers do. With --serve a browser of this \
            machine shows the page, and loads it again when a file of the workspace is saved; Ctrl-C ends it.

            A personal campaign has one preview for each text that differs, filled with a sample of its audience.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
    @OptionGroup var text: TextOptions

    @Argument(help: "The campaign; needed where there are several.")
    var campaign: String?

    @Flag(help: "Every campaign.")
    var all = false

    @Option(help: "text, json or html.")
    var format: PreviewFormat = .text

    @Option(help: "Only this kind of device: ios, android or web.")
    var platform: Platform?

    @Flag(help: "Fill personal messages with rows of the list: --sample counts the recipients then.")
    var revealValues = false

    @Option(help: "required, or skip: do not open lists; personal messages are filled with samples.")
    var lists: ListPolicy = .required

    @Option(
        defaultAsFlag: PortArgument.free, parsing: .next,
        help: ArgumentHelp("Show the page in a browser, at this port or a free one.", valueName: "port"))
    var serve: PortArgument?

    func validate() throws {
        try ValidationError.require(
            campaign == nil || !all, "--all and a campaign cannot be combined", help: "leave out one of them")
        try ValidationError.require(
            !revealValues || lists != .skip, "--reveal-values needs the lists, and --lists skip leaves them unread",
            help: "leave out one of them")
        try ValidationError.require(
            serve == nil || format != .json, "--serve shows a page, and --format json asks for a document",
            help: "leave out one of them")
        _ = try serve?.checked("--serve")
    }

    func run() async throws {
        let common = Common(herald.common, options)
        if let port = try serve?.checked("--serve") { return try await show(at: port, common) }
        let context = try CommandContext.open(common, lists: lists, about: campaign)
        let previews = try await previews(in: context)
        let style = context.console.output
        if let preview = previews.first, previews.count == 1, !all {
            context.console.result(PreviewDocument(preview).rendered(as: format, style))
        } else {
            context.console.result(PreviewsDocument(previews).rendered(as: format, style))
        }
    }
}
