import ArgumentParser
import HeraldCore

struct NewCampaign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Make a small campaign file.",
        discussion: """
            In the workspace's folder 'campaigns', if it has one. The campaign is disabled until its author has \
            edited it. Never overwrites a file. On a terminal it asks for what is missing.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign's name, and the file's.")
    var name: String?

    @OptionGroup var wanted: CampaignFileOptions

    func run() throws {
        let common = Common(herald.common, options)
        let console = common.console
        let name = try name ?? console.answer(to: "The campaign's name, as in tide-alert") ?? Self.missing("NAME")
        let kinds = WrittenTarget.kinds.map { "\($0):…" }.joined(separator: ", ")
        let target =
            try wanted.target
            ?? WrittenTarget(argument: console.answer(to: "Whom it is for (\(kinds))") ?? Self.missing("--target"))
        let file = try NewFile(name, out: wanted.out, common)
        var tags = wanted.tags
        if tags.isEmpty, file.workspace?.settings.requiresTags == true {
            tags = [try console.answer(to: "Its tag: what kind of message it is, as in news") ?? Self.missing("--tag")]
        }
        try file.write(CampaignTemplate(name: name, target: target, tags: tags).draft(schema: file.schema))
    }

    private static func missing(_ what: String) throws -> String {
        throw ValidationError("\(what) is missing", help: "add it; on a terminal 'herald new campaign' asks for it")
    }
}
