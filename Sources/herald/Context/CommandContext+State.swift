import HeraldCore
import HeraldStore

/// The state for people who read and repair it.
extension CommandContext {
    /// The state for changes that no run may be in the middle of.
    func repairing(_ body: (any StateStore) async throws -> Void) async throws {
        // Before anything is made beside it.
        try await state.require()
        try await state.lock(for: "state").hold { try await body(try await state.open()) }
    }

    /// Changes what is paused while a run may be working on the state.
    ///
    /// - Parameter campaign: must be declared, or known to the state; without one it is about all.
    func changePauses(
        of campaign: String?, _ change: (RecordedState) throws -> StateChange
    ) async throws {
        let store = try await state.open()
        let recorded = try await store.snapshot()
        let known =
            workspace.campaigns.map(\.name.value) + recorded.occurrences.values.map(\.campaign)
            + recorded.pauses.campaigns
        if let campaign, !known.contains(campaign) {
            let near = suggestion(for: campaign, among: known).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure(.wrong, "there is no campaign '\(campaign)'\(near)")
        }
        try await store.commit([try change(recorded)])
    }
}
