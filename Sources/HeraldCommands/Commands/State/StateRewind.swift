import ArgumentParser
import Foundation
import HeraldCore

struct StateRewind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewind", abstract: "Let a campaign come due again after a clock was fast.",
        discussion: """
            A run whose clock is fast deals with what is still to come, and nothing comes due until then. This makes the \
            campaign count from now on again. What was sent is not sent again. What nobody was sent comes due again if \
            its time is still to come. In local time, whoever waited for their window still gets it then.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign, by any name that it has had.")
    var campaign: String

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let now = context.machine.now()
        try await context.repairing { store in
            var state = try await store.snapshot()
            // No run may have come since it was renamed.
            let names = CampaignNames(of: context.workspace.campaigns, state).recorded(of: campaign)
            let name = names.first(where: state.knownCampaigns.contains) ?? campaign
            for id in state.endedAhead(of: name, at: now) {
                state.occurrences[id] = try await store.occurrence(id)
            }
            let changes: [StateChange]
            do throws(RewindProblem) { changes = try state.changes(rewinding: name, to: now) } catch {
                throw error.failure(for: campaign, in: state)
            }
            try await store.commit(changes)
        }
        context.console.info("herald: campaign '\(campaign)' counts from \(now.rfc3339) on\n")
    }
}

extension RewindProblem {
    func failure(for campaign: String, in state: RecordedState) -> CommandFailure {
        switch self {
        case .unknown:
            CommandFailure(
                .wrong, "the state has no campaign '\(campaign)'", for: campaign,
                among: state.knownCampaigns.sorted(), help: "'herald state show' lists what the state has")
        case .notAhead(let mark):
            CommandFailure(
                .wrong,
                mark.map { "campaign '\(campaign)' is dealt with until \($0.rfc3339), which has passed" }
                    ?? "no fast clock changed anything of campaign '\(campaign)'",
                help: "nothing is to be set back; 'herald plan' shows when it is due")
        }
    }
}
