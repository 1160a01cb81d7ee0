import ArgumentParser

struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a file to start from.", subcommands: [NewCampaign.self])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
}
