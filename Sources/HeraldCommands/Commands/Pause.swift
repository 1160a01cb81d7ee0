import ArgumentParser
import HeraldCore

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing more of a campaign, or of any, until 'resume'.",
        discussion: """
            A run that is under way stops starting it within a second. Memberships go on. A pause does not stop the \
            clock: what is paused for too long is missed, and this command says from when on. \
            A campaign stays paused when it is renamed.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign, by any name that it has had (default: all).")
    var campaign: String?

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let (subjects, deadlines) = try await context.changePauses(of: campaign) { _, called in
            called?.pausing ?? [.pause(nil)]
        }
        for subject in subjects { context.console.info("herald: \(subject) is paused\n") }
        let now = context.common.machine.now()
        for deadline in deadlines where deadline.end > now {
            context.console.info("herald: \(deadline.occurrence) \(words(deadline))\n")
        }
    }

    /// No list is read here, so that nobody knows which clocks people have.
    private func words(_ deadline: Deadline) -> String {
        let (end, setting) = (deadline.end.rfc3339, deadline.setting)
        guard let each = deadline.onEachClock else { return "is missed if it is still paused at \(end) (\(setting))" }
        let unnoted = each.unnoted.map {
            ", or \($0.written) after their clock comes to it, if no run notes that (catch_up)"
        }
        return "goes by each person's clock: while it is paused, people are missed when their "
            + "\(each.words(setting)) is over\(unnoted ?? ""), the last at \(end)"
    }
}

extension Deadline.OnEachClock {
    /// What ends it for each person: `max_lateness of 2h`.
    func words(_ setting: String) -> String {
        "\(setting) of \(span.written)" + (expiry.map { " or expires_after of \($0.written)" } ?? "")
    }
}
