import ArgumentParser

struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a file to start from.", subcommands: [NewCampaign.self, NewAudience.self])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions
}
