import ArgumentParser
import HeraldCore

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let the next run go on with what was paused.",
        discussion: "Without a campaign, everything that is paused goes on.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign (default: all).")
    var campaign: String?

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let deadlines = try await context.changePauses(of: campaign) { state in
            if let campaign, state.pauses.everything {
                throw CommandFailure(
                    .wrong, "everything is paused, so '\(campaign)' stays paused",
                    help: "'herald resume' without a campaign lets everything go on")
            }
            return .resume(campaign)
        }
        context.console.info("herald: \(campaign.map { "campaign '\($0)'" } ?? "everything") goes on at the next run\n")
        let now = context.common.machine.now()
        for deadline in deadlines where deadline.end < now {
            context.console.info(
                "herald: too late for \(deadline.occurrence): it ended at \(deadline.end.rfc3339) (\(deadline.setting)); what was not sent is missed\n"
            )
        }
    }
}
