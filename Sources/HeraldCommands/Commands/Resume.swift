import ArgumentParser
import Foundation
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
        for deadline in deadlines {
            if let words = words(deadline, at: now) { context.console.info("herald: \(words)\n") }
        }
    }

    /// For whom it is too late. `nil` if that is nobody.
    private func words(_ deadline: Deadline, at now: Date) -> String? {
        let (occurrence, setting) = (deadline.occurrence, deadline.setting)
        if deadline.end < now {
            return "too late for \(occurrence): it ended at \(deadline.end.rfc3339) (\(setting)); "
                + "what was not sent is missed"
        }
        guard let each = deadline.onEachClock, each.first < now else { return nil }
        let unnoted = each.unnoted.map {
            ", or whose clock came to it more than \($0.written) ago, if no run noted that (catch_up)"
        }
        return "\(occurrence) goes by each person's clock: it is too late for those whose \(setting) of "
            + "\(each.span.written) is over\(unnoted ?? ""); what was not sent to them is missed"
    }
}
