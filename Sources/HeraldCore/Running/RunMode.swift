/// What effects a run may have.
package enum RunMode: Hashable, Sendable {
    case apply
    /// It sends, but forgets no recipient: what FCM says about a registration is only shown.
    case trial
    /// Sends go out with `validate_only`, at most `sample` for each campaign. Memberships are skipped, and nothing is
    /// written to the state.
    case dryRun(sample: Int)

    var isDryRun: Bool { if case .dryRun = self { true } else { false } }
}
