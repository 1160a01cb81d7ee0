import ArgumentParser
import HeraldCore

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing more of a campaign, or of any, until 'resume'.",
        discussion: "A run that is under way stops starting it within a second. Memberships go on.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign (default: all).")
    var campaign: String?

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.changePauses(of: campaign) { _ in .pause(campaign) }
        context.console.info("herald: \(campaign.map { "campaign '\($0)'" } ?? "everything") is paused\n")
    }
}
