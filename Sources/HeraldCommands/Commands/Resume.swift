import ArgumentParser
import Foundation
import HeraldCore

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let the next run go on with what was paused.",
        discussion: "Without a campaign, everything that is paused goes on. A campaign that is named must be paused.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign, by any name that it has had (default: all).")
    var campaign: String?

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let (subjects, deadlines) = try await context.changePauses(of: campaign) { pauses, called in
            guard let campaign, let called else { return [.resume(nil)] }
            if pauses.everything {
                throw CommandFailure(
                    .wrong, "everything is paused, so '\(campaign)' stays paused",
                    help: "'herald resume' without a campaign lets everything go on")
            }
            let changes = called.resuming(pauses)
            guard !changes.isEmpty else {
                throw CommandFailure(
                    .wrong, "\(called.words.joined(separator: " and ")) is not paused",
                    help: "'herald status' shows what is paused")
            }
            return changes
        }
        for subject in subjects { context.console.info("herald: \(subject) goes on at the next run\n") }
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
        return "\(occurrence) goes by each person's clock: it is too late for those whose \(each.words(setting)) "
            + "is over\(unnoted ?? ""); what was not sent to them is missed"
    }
}
