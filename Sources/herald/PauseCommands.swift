import ArgumentParser
import HeraldCore
import HeraldStore

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send nothing more of a campaign, or of any, until 'resume'.",
        discussion: "A run that is under way stops starting it within a second. Memberships go on.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign (default: all).")
    var campaign: String?

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.change(campaign) { _ in .pause(campaign) }
        session.console.info("herald: \(campaign.map { "campaign '\($0)'" } ?? "everything") is paused\n")
    }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let the next run go on with what was paused.",
        discussion: "Without a campaign, everything that is paused goes on.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign (default: all).")
    var campaign: String?

    func run() async throws {
        let session = try Session.openSettings(Common(herald.common, options))
        try await session.change(campaign) { state throws(ExitCode) in
            if let campaign, state.pauses.everything {
                throw session.console.end(
                    .wrong, "everything is paused, so that '\(campaign)' stays so; 'herald resume' lets all go on")
            }
            return .resume(campaign)
        }
        session.console.info("herald: \(campaign.map { "campaign '\($0)'" } ?? "everything") goes on at the next run\n")
    }
}

extension Session {
    /// Changes the state while a run may be working on it.
    ///
    /// - Parameter campaign: must be declared, or known to the state.
    fileprivate func change(
        _ campaign: String?, _ change: (RecordedState) throws(ExitCode) -> StateChange
    ) async throws {
        guard let store = try openStore() else { throw console.end(.missing(path: statePath)) }
        do {
            let state = try await store.snapshot()
            let known =
                workspace.campaigns.map(\.name.value) + state.occurrences.values.map(\.campaign)
                + state.pauses.campaigns
            if let campaign, !known.contains(campaign) {
                let near = suggestion(for: campaign, among: known).map { "; did you mean '\($0)'?" } ?? ""
                throw console.end(.wrong, "there is no campaign '\(campaign)'\(near)")
            }
            try await store.commit([try change(state)])
        } catch let error as StateError {
            throw console.end(error)
        }
    }
}
